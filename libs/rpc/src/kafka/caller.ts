import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { ReplyRecord } from '../envelope';
import { callTimedOut, type OutgoingRequest } from '../operation-client';
import { PROBE, type ReplyAddress, requestId } from './call-header';
import type { OutgoingRecord, Outcome } from './coalescer';
import type { PartitionSelector } from './partition-selector';
import type { ReplyChannel } from './reply-channel';
import { tooLargeForKafka } from './record-size';
import type { RpcProducer } from './rpc-producer';
import type { SealedBodies } from './sealed-bodies';
import type { SignedCalls } from './signed-calls';

/** A read without an answer for so long is sent once more: to another member, or where its record may be lost. Else that is considered again. */
const RETRY_AFTER_MS = 1_000;
/** Attempts at a request that is not produced, each at another partition. */
const ATTEMPTS_MAX = 3;
/** An answer to a probe is useless after this. */
const PROBE_DEADLINE_MS = 2_000;
const PROBE_REQUEST = {
  record: {
    headers: { operation: PROBE, deadline: String(PROBE_DEADLINE_MS), callId: PROBE, workspace: '', mode: 'production', scopes: '[]' },
    body: '{}',
  },
  deadlineMs: PROBE_DEADLINE_MS,
  repeatable: true,
};
/** Interval of checking deadlines while calls are open, in ms: one timer for all calls. */
const SWEEP_INTERVAL_MS = 20;

interface Attempt {
  partition: number;
  record: OutgoingRecord;
  answered: boolean;
  /** Kafka did not append the record, and it is not retried. */
  failed: boolean;
}

/** Where a service gets its requests. */
interface Callee {
  topic: string;
  selector: PartitionSelector;
}

/** Where the result of a call goes. */
interface Result {
  resolve(reply: ReplyRecord): void;
  reject(error: Error): void;
}

/** A probe checks whether a member answers; its result is not used. */
const NO_RESULT: Result = { resolve: () => {}, reject: () => {} };

/** An open call. Times by `performance.now()`. */
interface Call extends Callee, OutgoingRequest, Result {
  /** Number of the call in this process. */
  id: number;
  probe: boolean;
  deadline: number;
  /** When its retry or its end is due. */
  due: number;
  attempts: Attempt[];
}

/** Sends requests to services, and tracks every attempt. */
export class Caller {
  private readonly calls = new Map<number, Call>();
  private lastId = 0;
  private sweeps?: NodeJS.Timeout;
  private closed = false;
  private drained?: () => void;

  constructor(
    private readonly producer: RpcProducer,
    private readonly channel: Pick<ReplyChannel, 'instance' | 'partition'>,
    private readonly signed: SignedCalls,
    private readonly bodies: SealedBodies,
    private readonly callees: ReadonlyMap<ServiceName, Callee>,
    /** Whose topic of replies the channel reads; without one, that of all callers. */
    private readonly replyRole?: ServiceName,
  ) {}

  /** The reply to a request. @throws ServiceError: see `OperationClient.call`. */
  exchange(request: OutgoingRequest): Promise<ReplyRecord> {
    return new Promise((resolve, reject) => {
      const { service, record } = request;
      const now = performance.now();
      const callee = this.callees.get(service);
      if (!callee) return reject(new ServiceError('not_served', `${record.headers.operation} is not served`, { shouldRetry: false }));
      if (this.closed) return reject(unavailable('This process is stopping'));
      const { selector } = callee;
      if (selector.isAbsent(now)) {
        this.probe(service, callee, now);
        return reject(unavailable(`The ${service} service is not running`));
      }
      const call = this.open(request, callee, { resolve, reject }, now);
      if (this.producer.isTooLarge(call.record.body)) {
        this.end(call);
        return reject(tooLargeForKafka(`The request of ${record.headers.operation}`));
      }
      if (!this.send(call, selector.choose(this.producer.batchCount, now), now)) {
        this.end(call);
        reject(unavailable(this.producer.isUnavailable ? 'Kafka cannot be reached' : 'Too many calls are waiting'));
      }
    });
  }

  /** Passes a reply to its call; drops the reply to a call that has ended. */
  onReply({ call: id, attempt: number, member }: ReplyAddress, reply: Buffer | null): void {
    const call = this.calls.get(id);
    const attempt = call?.attempts[number - 1];
    if (!call || !attempt) return;
    attempt.answered = true;
    call.selector.onAnswer(attempt.partition, member, performance.now());
    this.end(call);
    call.resolve(this.bodies.openReply(call.record.headers.operation, reply?.toString() ?? ''));
  }

  /** Refuses further calls, and resolves when every open call is answered or past its deadline. */
  async close(): Promise<void> {
    this.closed = true;
    for (const call of this.calls.values()) if (call.probe) this.end(call);
    if (this.calls.size > 0) await new Promise<void>((resolve) => (this.drained = resolve));
  }

  private open(request: OutgoingRequest, { topic, selector }: Callee, result: Result, now: number) {
    const { service, record: given, repeatable, deadlineMs, isSealed } = request;
    const record = isSealed ? this.bodies.sealRequest(given) : given;
    const { resolve, reject } = result;
    const probe = result === NO_RESULT;
    const deadline = now + deadlineMs;
    const due = repeatable && !probe ? Math.min(deadline, now + RETRY_AFTER_MS) : deadline;
    // Spreads would cost 5 µs a call.
    const call: Call = {
      service,
      record,
      repeatable,
      deadlineMs,
      topic,
      selector,
      resolve,
      reject,
      probe,
      id: ++this.lastId,
      deadline,
      due,
      attempts: [],
    };
    this.calls.set(call.id, call);
    this.sweeps ??= setInterval(() => this.sweep(), SWEEP_INTERVAL_MS);
    return call;
  }

  /** Makes an attempt at a call; false when the producer refuses its record. */
  private send(call: Call, partition: number, now: number) {
    const number = call.attempts.length + 1;
    const { headers: first, body } = call.record;
    const headers = number === 1 ? first : { ...first, deadline: String(Math.ceil(call.deadline - now)) };
    const frame = {
      id: requestId(this.channel.instance, call.id, number),
      replyPartition: this.channel.partition,
      replyRole: this.replyRole,
      headers,
    };
    const record: OutgoingRecord = {
      topic: call.topic,
      message: { partition, key: null, value: body, headers: this.signed.requestHeaders(call.topic, frame, body) },
      size: body.length,
      notAfter: call.deadline,
      failsFast: true,
      repeatable: call.repeatable,
      settled: (outcome) => this.onSettled(call, attempt, outcome),
    };
    const attempt: Attempt = { partition, record, answered: false, failed: false };
    call.attempts.push(attempt);
    call.selector.onSend(partition, now);
    return this.producer.add(record);
  }

  private onSettled(call: Call, attempt: Attempt, outcome: Outcome) {
    // The answer may arrive before the broker's acknowledgement of the request.
    if (!this.calls.has(call.id)) return;
    const { selector, attempts } = call;
    const now = performance.now();
    if (outcome === 'acknowledged') selector.onAcknowledged(now);
    if (outcome !== 'not produced') return;
    attempt.failed = true;
    // A command that may have been sent is waited for; a call past its deadline ends in the next sweep.
    const hasFailed = call.repeatable ? attempts.every(({ failed }) => failed) : !isSent(call);
    if (!hasFailed || now >= call.deadline) return;
    const other = attempts.length < ATTEMPTS_MAX ? selector.anotherThan(attempts.at(-1)!.partition, now) : undefined;
    if (other !== undefined && this.send(call, other, now)) return;
    this.end(call);
    call.reject(unavailable('Kafka cannot be reached'));
  }

  private sweep() {
    const now = performance.now();
    this.producer.sweep(now);
    if (!this.closed) for (const [service, callee] of this.callees) this.probe(service, callee, now);
    for (const call of this.calls.values()) if (call.due <= now) this.onDue(call, now);
    if (this.calls.size > 0) return;
    clearInterval(this.sweeps);
    this.sweeps = undefined;
  }

  private onDue(call: Call, now: number) {
    if (now >= call.deadline) {
      this.end(call);
      call.reject(timeoutError(call, now));
      return;
    }
    call.due = call.deadline;
    if (call.attempts.length > 1 || !isSent(call)) return;
    const partition = call.selector.chooseForRetry(call.attempts[0]!.partition, now) ?? this.choiceIfLost(call, now);
    if (partition !== undefined) this.send(call, partition, now);
    else call.due = Math.min(call.deadline, now + RETRY_AFTER_MS);
  }

  /** A partition for a call whose record, or whose reply, was acknowledged by a leader alone that leads no more. */
  private choiceIfLost({ selector, deadline, deadlineMs }: Call, now: number) {
    return this.producer.leadersChangedAt > deadline - deadlineMs ? selector.choose(this.producer.batchCount, now) : undefined;
  }

  private end(call: Call) {
    this.calls.delete(call.id);
    for (const { partition, answered } of call.attempts) if (!answered) call.selector.onEnded(partition);
    if (this.calls.size === 0) this.drained?.();
  }

  private probe(service: ServiceName, callee: Callee, now: number) {
    if (this.producer.isUnavailable) return;
    for (const partition of callee.selector.partitionsToProbe(now)) {
      this.send(this.open({ ...PROBE_REQUEST, service }, callee, NO_RESULT, now), partition, now);
    }
  }
}

/** Only a command that was sent has an unknown outcome; every other call had no effect. */
function timeoutError(call: Call, now: number) {
  if (!isSent(call)) return unavailable('Kafka cannot be reached');
  if (call.repeatable && !call.selector.isResponding(now)) return unavailable(`The ${call.service} service does not answer`);
  return callTimedOut(call);
}

/** Whether the broker appended the record of an attempt, or may have. */
function isSent({ attempts }: Call) {
  return attempts.some(({ record }) => record.isSent);
}
