import { setTimeout as delay } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import { assertWithinLimits } from '@tidings/contracts/messaging/key-limits';
import type { EventLog, EventRecord, GivenBatch, Subscription } from '@tidings/events/event-log';
import { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { bytesOfEach, deriveRequest, PAGE_BYTES_MAX } from '../expand/derive';
import { ExpansionRunner } from '../expand/expansion.runner';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { isTracing, traceToContinue } from '@tidings/tracing/spans';
import type { TraceContext } from '@tidings/tracing/trace-context';
import { Backlog, isOver, type LookUp, ReadBatch, type WaitingRequest } from './backlog';
import { Processor } from '../deliver/processor';
import { ROUTER_GROUP } from './router-group';
import type { PipelineItem } from '../plan/plan';
import { UnstoredMessages } from '../record/unstored-messages';

const BATCH_MAX = 500;
/**
 * Minimum interval between the starts of batches: under load a batch then carries many messages, and a message costs a fraction of
 * a statement. A batch after a pause starts immediately.
 */
const BATCH_INTERVAL_MS = 15;
/** Waiting requests that are processed together: few, as an urgent one waits for their end. */
const TOGETHER_MAX = 256;
/** Messages of one workspace that are processed from a full batch; the others are parked and claimed round-robin. */
const AT_ONCE_MAX = 200;

/** Longer than a cancel takes: a message that it does not cancel after all is processed then. */
const PARKED_MS = 10_000;

/** A request that names at most this many users is processed without an expansion, unless it is large. */
const NAMED_AT_ONCE_MAX = 20;

/** Consumes accepted sends and processes them. */
@Injectable()
export class Router {
  private subscription: Subscription | undefined;
  private readonly backlog = new Backlog();
  private working: Promise<void> | undefined;

  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly processor: Processor,
    private readonly unstored: UnstoredMessages,
    private readonly expansions: ExpansionRunner,
    private readonly secrets: OverrideSecrets,
    private readonly positions: ConsumerPositions,
  ) {}

  async start(): Promise<void> {
    // The cause is in the log and with the dead letter: it may be a message of the database, so clients do not get it.
    const onDead = ({ payload }: EventRecord<MessageRequested>) =>
      payload ? this.processor.fail({ request: payload }) : Promise.resolve();
    // In Kafka no batch is settled later: its messages are stored when the handler resolves, and stored messages are not stored again.
    const options = { group: ROUTER_GROUP, maxBatch: BATCH_MAX, onDead, positions: this.positions };
    this.subscription = await this.events.consume(messageRequested, options, (batch, signal, given) => this.route(batch, signal, given));
  }

  /** Waiting requests are delivered again by the next start. */
  async stop(): Promise<void> {
    const stopped = this.subscription?.stop();
    this.backlog.clear(new Error('The router has stopped'));
    await this.working;
    await stopped;
  }

  /** Whether everything accepted up to `time` (ms) is stored. */
  async hasRoutedUpTo(time: number): Promise<boolean> {
    return (await this.subscription?.hasHandledUpTo(time)) ?? false;
  }

  /** Whether all messages of a request to several named users are known to be stored. */
  hasStored(requestId: string): boolean {
    return this.backlog.hasStored(requestId);
  }

  /** The messages that a client looks up are processed next, or stored for it to cancel them. */
  hurry(lookUp: LookUp): void {
    this.backlog.hurry(lookUp);
  }

  private async route(records: readonly EventRecord<MessageRequested>[], signal: AbortSignal, given: GivenBatch | undefined) {
    const startedAt = performance.now();
    const requests = await this.withinLimits(distinct(records));
    const { direct, expanded } = byTargets(requests.map((request) => this.secrets.seal(request)));
    await this.expansions.open(expanded);
    if (!given?.isFirst) return this.processAtOnce(direct, signal, given);
    const batch = new ReadBatch(given, direct.length, signal);
    const characters = records.reduce((sum, { size }) => sum + size, 0);
    this.backlog.add(direct, characters, records[0]!.appendedAt, batch);
    if (this.backlog.size > 0) this.working ??= this.processBacklog();
    await restOf(startedAt, signal);
    while (!this.backlog.hasSpace(this.events.appendLoad().isMixed)) await delay(BATCH_INTERVAL_MS);
    return { settled: batch.settled };
  }

  /** The requests that the limits of their API keys allow. The gateway accepts no others; one that came all the same ends with the reason. */
  private async withinLimits(requests: readonly MessageRequested[]) {
    if (!requests.some(({ limits }) => limits)) return requests;
    const allowed: MessageRequested[] = [];
    for (const request of requests) {
      try {
        assertWithinLimits(request);
        allowed.push(request);
      } catch (error) {
        await this.processor.fail({ request }, error);
      }
    }
    return allowed;
  }

  /** Processes the requests in their order: another member, or an attempt before, may have called some that are not stored yet. */
  private async processAtOnce(requests: readonly MessageRequested[], signal: AbortSignal, given: GivenBatch | undefined) {
    const startedAt = performance.now();
    await this.unstored.stored();
    const { immediate, parked } = splitByShare(requests);
    await this.processor.park(parked);
    await this.processor.process(immediate, given && { isRepeated: true });
    await restOf(startedAt, signal);
  }

  private async processBacklog() {
    while (this.backlog.size > 0) {
      const startedAt = performance.now();
      const waiting = this.backlog.next(TOGETHER_MAX, this.events.appendLoad().isBurst);
      if (waiting.length > 0) await this.processWaiting(waiting);
      await restOf(startedAt);
    }
    this.working = undefined;
  }

  /** Never rejects: the batches of requests that cannot be processed fail, so that the event log delivers them again. */
  private async processWaiting(waiting: readonly WaitingRequest[]) {
    const parked = waiting.filter(({ isParked }) => isParked).map(({ request }) => ({ request }));
    const items = waiting.filter(({ isParked }) => !isParked).map(({ request }) => ({ request }));
    const aloneSinceMs = Math.max(...waiting.flatMap(({ batches }) => batches.map(({ given }) => given.aloneSinceMs)));
    const byId = new Map(waiting.map((one) => [one.request.id, one]));
    // Once its batch is over the request is delivered again: what is stored first decides who calls.
    const mayCall = (id: string) => !isOver(byId.get(id)!) && this.unstored.mayCall(id, aloneSinceMs);
    const called = new Map<string, Promise<void>>();
    const onCalled = (id: string, stored: Promise<void>) => void called.set(id, stored);
    try {
      await this.processor.park(parked, PARKED_MS);
      await this.processor.process(items, { isRepeated: false, mayCall, onCalled });
      for (const one of waiting) this.backlog.endWith(one, called.get(one.request.id));
    } catch (error) {
      for (const one of waiting) this.backlog.fail(one, error);
    }
  }
}

/** Resolves when the interval of a batch that began at `startedAt` is over, or the signal is aborted. */
async function restOf(startedAt: number, signal?: AbortSignal) {
  const restMs = startedAt + BATCH_INTERVAL_MS - performance.now();
  if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
}

/** The requests of a batch; a request that was appended twice counts once. */
function distinct(batch: readonly EventRecord<MessageRequested>[]) {
  const byId = new Map<string, MessageRequested>();
  const isTraced = isTracing();
  for (const { payload, trace } of batch) if (payload) byId.set(payload.id, isTraced ? withTrace(payload, trace) : payload);
  return [...byId.values()];
}

/** The request with the trace of its record, if that is sampled: its spans continue the trace. */
function withTrace(request: MessageRequested, given: TraceContext | undefined): MessageRequested {
  const trace = traceToContinue(given);
  return trace ? { ...request, trace } : request;
}

/** Limits the share of a workspace in a full batch with several workspaces: its further messages are parked. */
function splitByShare(requests: readonly MessageRequested[]) {
  const immediate: PipelineItem[] = [];
  const parked: PipelineItem[] = [];
  const isFull = requests.length >= BATCH_MAX && new Set(requests.map(({ workspaceId }) => workspaceId)).size > 1;
  const counts = new Map<string, number>();
  for (const request of requests) {
    const count = (counts.get(request.workspaceId) ?? 0) + 1;
    counts.set(request.workspaceId, count);
    (isFull && count > AT_ONCE_MAX ? parked : immediate).push({ request });
  }
  return { immediate, parked };
}

/**
 * Splits requests: `direct` are the messages of requests whose targets are a few named users, `expanded` the requests to expand.
 * The bytes of direct messages with targets are bounded as those of a page: each message stores its whole request.
 */
function byTargets(requests: readonly MessageRequested[]) {
  const direct: MessageRequested[] = [];
  const expanded: MessageRequested[] = [];
  let bytes = 0;
  for (const request of requests) {
    const { targets } = request;
    if (!targets) direct.push(request);
    else if (targets.length > NAMED_AT_ONCE_MAX) expanded.push(request);
    else {
      const users = targets.filter((target) => target.kind === 'user');
      const added = users.length * bytesOfEach(request);
      if (users.length === targets.length && bytes + added <= PAGE_BYTES_MAX) {
        const { lane = 'normal' } = request;
        direct.push(...users.map((user, index) => deriveRequest({ ...request, lane }, index, user)));
        bytes += added;
      } else expanded.push(request);
    }
  }
  return { direct, expanded };
}
