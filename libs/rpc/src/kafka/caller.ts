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

/** A read that got no answer for so long is asked once more, of another member. */
const ASK_AGAIN_AFTER_MS = 1_000;
/** What was never sent goes another way, so often. */
const ASKS_MAX = 3;
/** How long the answer to a probe is worth anything. */
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

interface Ask {
  partition: number;
  record: OutgoingRecord;
  answered: boolean;
  /** Kafka did not take it, or not for sure, and it is not tried any more. */
  givenUp: boolean;
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
  asks: Ask[];
  resolve(reply: ReplyRecord): void;
  reject(error: Error): void;
}

/** Where requests leave and replies come back. */
interface CallerChannel {
  readonly instance: string;
  readonly partition: number;
}

/** Asks services, and knows what became of each ask. */
export class Caller {
  private readonly routes = new Map<ServiceName, PartitionSelector>();
  private readonly pending: PendingCalls<Call>;
  private closed = false;

  constructor(
    private readonly producer: RpcProducer,
    private readonly channel: CallerChannel,
    private readonly topicOf: (service: ServiceName) => string,
    partitions: ReadonlyMap<ServiceName, number>,
  ) {
    for (const [service, count] of partitions) this.routes.set(service, new PartitionSelector(count));
    this.pending = new PendingCalls(
      (id, call, now) => this.onDue(id, call, now),
      (now) => this.onSweep(now),
    );
  }

  /** The reply to an errand. @throws ServiceError: see `OperationClient.call`. */
  exchange({ service, record: { headers, body }, repeatable, deadlineMs }: OutgoingRequest): Promise<ReplyRecord> {
    return new Promise((resolve, reject) => {
      const now = performance.now();
      const routes = this.routes.get(service);
      if (!routes) return reject(new ServiceError('not_served', `${headers.operation} is not served`, { shouldRetry: false }));
      if (this.closed) return reject(unavailable('This process is stopping'));
      if (routes.absent(now)) {
        this.probe(service, routes, now);
        return reject(unavailable(`The ${service} service is not running`));
      }
      const deadline = now + deadlineMs;
      const due = repeatable ? Math.min(deadline, now + ASK_AGAIN_AFTER_MS) : deadline;
      const call = { service, headers, body, repeatable, probe: false, deadlineMs, deadline, due, asks: [], resolve, reject };
      const id = this.pending.add(call);
      if (!this.ask(id, call, routes.choose(this.producer.turn, now), now)) {
        this.end(id, call);
        reject(unavailable(this.producer.away ? 'Kafka cannot be reached' : 'Too many calls are waiting'));
      }
    });
  }

  /** Takes a reply that arrived; what nobody waits for any more is dropped. */
  onReply({ call: id, ask, member }: ReplyAddress, reply: Buffer | null): void {
    const call = this.pending.get(id);
    if (!call) return;
    const now = performance.now();
    const asked = call.asks[ask - 1];
    if (!asked) return;
    asked.answered = true;
    this.routes.get(call.service)!.answered(asked.partition, member, now);
    this.end(id, call);
    call.resolve(reply?.toString() ?? '');
  }

  /** Takes no more calls, and resolves when those under way have their answer or their deadline. */
  async close(): Promise<void> {
    this.closed = true;
    for (const [id, call] of this.pending.entries()) if (call.probe) this.end(id, call);
    await this.pending.drained();
  }

  private ask(id: number, call: Call, partition: number, now: number): boolean {
    const ask = call.asks.length + 1;
    const headers = ask === 1 ? call.headers : { ...call.headers, deadline: String(Math.ceil(call.deadline - now)) };
    const frame = { id: requestId(this.channel.instance, id, ask), replyPartition: this.channel.partition, headers };
    const record: OutgoingRecord = {
      topic: this.topicOf(call.service),
      message: { partition, key: null, value: call.body, headers: encodeFrame(frame) },
      characters: call.body.length,
      notAfter: call.deadline,
      impatient: true,
      repeatable: call.repeatable,
      settled: (outcome) => this.onSettled(id, ask, outcome),
    };
    call.asks.push({ partition, record, answered: false, givenUp: false });
    this.routes.get(call.service)!.asked(partition, now);
    return this.producer.add(record);
  }

  private onSettled(id: number, ask: number, outcome: Outcome): void {
    // An answer may be quicker than the broker's word that it has the ask.
    const call = this.pending.get(id);
    if (!call) return;
    if (outcome === 'taken') this.routes.get(call.service)!.taken(performance.now());
    if (outcome !== 'not taken') return;
    call.asks[ask - 1]!.givenUp = true;
    // A command that may be under way has to be waited for; and what is past its deadline ends with the next sweep, as what it is.
    const over = call.repeatable ? call.asks.every(({ givenUp }) => givenUp) : !sent(call);
    if (!over || performance.now() >= call.deadline) return;
    const { partition } = call.asks.at(-1)!;
    const now = performance.now();
    const other = call.asks.length < ASKS_MAX ? this.routes.get(call.service)!.otherThan(partition, now) : undefined;
    if (other !== undefined && this.ask(id, call, other, now)) return;
    this.end(id, call);
    call.reject(unavailable('Kafka cannot be reached'));
  }

  private onDue(id: number, call: Call, now: number): void {
    const routes = this.routes.get(call.service)!;
    if (now >= call.deadline) {
      this.end(id, call);
      call.reject(this.late(call, routes, now));
      return;
    }
    call.due = call.deadline;
    if (call.asks.length > 1 || !sent(call)) return;
    const partition = routes.elsewhere(call.asks[0]!.partition, now);
    if (partition !== undefined) this.ask(id, call, partition, now);
  }

  /** Whether anything came of a command that was sent is unknown; everything else surely had no effect. */
  private late(call: Call, routes: PartitionSelector, now: number): ServiceError {
    const { deadlineMs, repeatable, service } = call;
    if (!sent(call)) return unavailable('Kafka cannot be reached');
    if (repeatable && !routes.heard(now)) return unavailable(`The ${service} service does not answer`);
    return callTimedOut(service, deadlineMs, repeatable);
  }

  private end(id: number, call: Call): void {
    this.pending.remove(id);
    const routes = this.routes.get(call.service)!;
    for (const { partition, answered } of call.asks) if (!answered) routes.abandoned(partition);
  }

  private onSweep(now: number): void {
    this.producer.sweep(now);
    if (!this.closed) for (const [service, routes] of this.routes) this.probe(service, routes, now);
  }

  private probe(service: ServiceName, routes: PartitionSelector, now: number): void {
    if (this.producer.away) return;
    for (const partition of routes.toProbe(now)) {
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
        asks: [],
        resolve: nothing,
        reject: nothing,
      };
      this.ask(this.pending.add(call), call, partition, now);
    }
  }
}

/** Whether the broker took one of the asks, or may have. */
function sent({ asks }: Call): boolean {
  return asks.some(({ record }) => record.departed);
}
