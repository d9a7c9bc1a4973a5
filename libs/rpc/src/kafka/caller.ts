import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { ReplyRecord, RequestHeaders } from '../envelope';
import { callTimedOut } from '../call-timed-out';
import type { OutgoingRequest } from '../record-client';
import { encodeFrame, PROBE, type ReplyAddress, requestId } from './call-header';
import type { OutgoingRecord, Outcome } from './coalescer';
import { PartitionSelector } from './partition-selector';
import { type Pending, PendingCalls } from './pending-calls';
import type { RpcProducer } from './rpc-producer';

/** A read without an answer for so long is sent once more, to another member. */
const RETRY_AFTER_MS = 1_000;
/** Attempts at a request that is not produced, each at another partition. */
const ATTEMPTS_MAX = 3;
/** An answer to a probe is useless after this. */
const PROBE_DEADLINE_MS = 2_000;
const PROBE_HEADERS: RequestHeaders = {
  operation: PROBE,
  deadline: String(PROBE_DEADLINE_MS),
  callId: PROBE,
  workspace: '',
  mode: 'production',
  scopes: '[]',
};
const PROBE_BODY = '{}';

interface Attempt {
  partition: number;
  record: OutgoingRecord;
  answered: boolean;
  /** Kafka did not append the record, and it is not retried. */
  failed: boolean;
}

interface Call extends Pending {
  service: ServiceName;
  headers: RequestHeaders;
  body: string;
  repeatable: boolean;
  probe: boolean;
  deadlineMs: number;
  /** By `performance.now()`. */
  deadline: number;
  attempts: Attempt[];
  resolve(reply: ReplyRecord): void;
  reject(error: Error): void;
}

/** The name of this instance and the partition of its replies. */
interface CallerChannel {
  readonly instance: string;
  readonly partition: number;
}

/** Sends requests to services, and tracks every attempt. */
export class Caller {
  private readonly selectors = new Map<ServiceName, PartitionSelector>();
  private readonly pending: PendingCalls<Call>;
  private closed = false;

  constructor(
    private readonly producer: RpcProducer,
    private readonly channel: CallerChannel,
    private readonly topicOf: (service: ServiceName) => string,
    partitions: ReadonlyMap<ServiceName, number>,
  ) {
    for (const [service, count] of partitions) this.selectors.set(service, new PartitionSelector(count));
    this.pending = new PendingCalls(
      (id, call, now) => this.onDue(id, call, now),
      (now) => this.onSweep(now),
    );
  }

  /** The reply to a request. @throws ServiceError: see `OperationClient.call`. */
  exchange({ service, record: { headers, body }, repeatable, deadlineMs }: OutgoingRequest): Promise<ReplyRecord> {
    return new Promise((resolve, reject) => {
      const now = performance.now();
      const selector = this.selectors.get(service);
      if (!selector) return reject(new ServiceError('not_served', `${headers.operation} is not served`, { shouldRetry: false }));
      if (this.closed) return reject(unavailable('This process is stopping'));
      if (selector.isAbsent(now)) {
        this.probe(service, selector, now);
        return reject(unavailable(`The ${service} service is not running`));
      }
      const deadline = now + deadlineMs;
      const due = repeatable ? Math.min(deadline, now + RETRY_AFTER_MS) : deadline;
      const call = { service, headers, body, repeatable, probe: false, deadlineMs, deadline, due, attempts: [], resolve, reject };
      const id = this.pending.add(call);
      if (!this.send(id, call, selector.choose(this.producer.batchCount, now), now)) {
        this.end(id, call);
        reject(unavailable(this.producer.isUnavailable ? 'Kafka cannot be reached' : 'Too many calls are waiting'));
      }
    });
  }

  /** Passes a reply to its call; drops the reply to a call that has ended. */
  onReply({ call: id, attempt: number, member }: ReplyAddress, reply: Buffer | null): void {
    const call = this.pending.get(id);
    if (!call) return;
    const now = performance.now();
    const attempt = call.attempts[number - 1];
    if (!attempt) return;
    attempt.answered = true;
    this.selectors.get(call.service)!.onAnswer(attempt.partition, member, now);
    this.end(id, call);
    call.resolve(reply?.toString() ?? '');
  }

  /** Refuses further calls, and resolves when every open call is answered or past its deadline. */
  async close(): Promise<void> {
    this.closed = true;
    for (const [id, call] of this.pending.entries()) if (call.probe) this.end(id, call);
    await this.pending.drained();
  }

  /** Makes an attempt at a call; false when the producer refuses its record. */
  private send(id: number, call: Call, partition: number, now: number): boolean {
    const number = call.attempts.length + 1;
    const headers = number === 1 ? call.headers : { ...call.headers, deadline: String(Math.ceil(call.deadline - now)) };
    const frame = { id: requestId(this.channel.instance, id, number), replyPartition: this.channel.partition, headers };
    const record: OutgoingRecord = {
      topic: this.topicOf(call.service),
      message: { partition, key: null, value: call.body, headers: encodeFrame(frame) },
      size: call.body.length,
      notAfter: call.deadline,
      failsFast: true,
      repeatable: call.repeatable,
      settled: (outcome) => this.onSettled(id, number, outcome),
    };
    call.attempts.push({ partition, record, answered: false, failed: false });
    this.selectors.get(call.service)!.onSend(partition, now);
    return this.producer.add(record);
  }

  private onSettled(id: number, number: number, outcome: Outcome): void {
    // The answer may arrive before the broker's acknowledgement of the request.
    const call = this.pending.get(id);
    if (!call) return;
    if (outcome === 'acknowledged') this.selectors.get(call.service)!.onAcknowledged(performance.now());
    if (outcome !== 'not produced') return;
    call.attempts[number - 1]!.failed = true;
    // A command that may have been sent is waited for; a call past its deadline ends in the next sweep.
    const hasFailed = call.repeatable ? call.attempts.every(({ failed }) => failed) : !isSent(call);
    if (!hasFailed || performance.now() >= call.deadline) return;
    const { partition } = call.attempts.at(-1)!;
    const now = performance.now();
    const other = call.attempts.length < ATTEMPTS_MAX ? this.selectors.get(call.service)!.anotherThan(partition, now) : undefined;
    if (other !== undefined && this.send(id, call, other, now)) return;
    this.end(id, call);
    call.reject(unavailable('Kafka cannot be reached'));
  }

  private onDue(id: number, call: Call, now: number): void {
    const selector = this.selectors.get(call.service)!;
    if (now >= call.deadline) {
      this.end(id, call);
      call.reject(this.timeoutError(call, selector, now));
      return;
    }
    call.due = call.deadline;
    if (call.attempts.length > 1 || !isSent(call)) return;
    const partition = selector.chooseForRetry(call.attempts[0]!.partition, now);
    if (partition !== undefined) this.send(id, call, partition, now);
  }

  /** Only a command that was sent has an unknown outcome; every other call had no effect. */
  private timeoutError(call: Call, selector: PartitionSelector, now: number): ServiceError {
    const { deadlineMs, repeatable, service } = call;
    if (!isSent(call)) return unavailable('Kafka cannot be reached');
    if (repeatable && !selector.isResponding(now)) return unavailable(`The ${service} service does not answer`);
    return callTimedOut(service, deadlineMs, repeatable);
  }

  private end(id: number, call: Call): void {
    this.pending.remove(id);
    const selector = this.selectors.get(call.service)!;
    for (const { partition, answered } of call.attempts) if (!answered) selector.onUnanswered(partition);
  }

  private onSweep(now: number): void {
    this.producer.sweep(now);
    if (!this.closed) for (const [service, selector] of this.selectors) this.probe(service, selector, now);
  }

  private probe(service: ServiceName, selector: PartitionSelector, now: number): void {
    if (this.producer.isUnavailable) return;
    for (const partition of selector.partitionsToProbe(now)) {
      const deadline = now + PROBE_DEADLINE_MS;
      const nothing = (): void => undefined;
      const call: Call = {
        service,
        headers: PROBE_HEADERS,
        body: PROBE_BODY,
        repeatable: true,
        probe: true,
        deadlineMs: PROBE_DEADLINE_MS,
        deadline,
        due: deadline,
        attempts: [],
        resolve: nothing,
        reject: nothing,
      };
      this.send(this.pending.add(call), call, partition, now);
    }
  }
}

/** Whether the broker appended the record of an attempt, or may have. */
function isSent({ attempts }: Call): boolean {
  return attempts.some(({ record }) => record.isSent);
}
