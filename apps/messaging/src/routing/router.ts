import { setTimeout as delay } from 'node:timers/promises';
import { type MessageRequested, messageRequested } from '@tidings/contracts/messaging/events';
import type { EventLog, EventRecord, Subscription } from '@tidings/events/event-log';
import type { OverrideSecrets } from '@tidings/persistence/override-secrets';
import { deriveRequest } from '../expansion/derive';
import { bytesOfEach, PAGE_BYTES_MAX } from '../expansion/page-size';
import type { ExpansionRunner } from '../expansion/expansion.runner';
import { type Processor, toTerminalFailure } from './processor';
import type { PipelineItem } from './preparation';

const GROUP = 'tidings.messaging.router';
const BATCH_MAX = 500;
/**
 * Batches begin at least so far apart: under load each then carries many messages, and a message costs a fraction of a
 * statement. One that comes after a pause waits for nothing.
 */
const BATCH_INTERVAL_MS = 15;
/** Messages of one workspace that are routed before the others of a full batch; more of it wait their turn in the table. */
const AT_ONCE_MAX = 200;

/** Recipients of a request that are sent to like as many sends of one, unless it is large. */
const NAMED_AT_ONCE_MAX = 20;

/** Reads accepted sends and has each processed. */
export class Router {
  private subscription: Subscription | undefined;

  constructor(
    private readonly events: EventLog,
    private readonly processor: Processor,
    private readonly expansions: ExpansionRunner,
    private readonly secrets: OverrideSecrets,
  ) {}

  async start(): Promise<void> {
    // Why is in the log, and with the record on its dead topic: it may be in words of the database.
    const onDead = ({ payload }: EventRecord<MessageRequested>): Promise<void> =>
      payload ? this.processor.fail({ request: payload }, toTerminalFailure(undefined)) : Promise.resolve();
    const options = { group: GROUP, maxBatch: BATCH_MAX, onDead };
    this.subscription = await this.events.consume(messageRequested, options, (batch, signal) => this.route(distinct(batch), signal));
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
  }

  /** Whether everything accepted up to `time` (ms) is stored. */
  async hasRoutedUpTo(time: number): Promise<boolean> {
    return (await this.subscription?.hasHandledUpTo(time)) ?? false;
  }

  private async route(requests: readonly MessageRequested[], signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const { few, many } = byTargets(requests.map((request) => this.secrets.seal(request)));
    await this.expansions.open(many);
    const { now, later } = inTurn(few);
    await this.processor.park(later);
    await this.processor.process(now);
    const restMs = startedAt + BATCH_INTERVAL_MS - performance.now();
    if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
  }
}

/** The requests of a batch; one that was appended twice is one. */
function distinct(batch: readonly EventRecord<MessageRequested>[]): MessageRequested[] {
  const byId = new Map<string, MessageRequested>();
  for (const { payload } of batch) if (payload) byId.set(payload.id, payload);
  return [...byId.values()];
}

/** Whoever sends very much shares a full batch with the others: what is above its part is stored to take its turn. */
function inTurn(requests: readonly MessageRequested[]): { now: PipelineItem[]; later: PipelineItem[] } {
  const now: PipelineItem[] = [];
  const later: PipelineItem[] = [];
  const isFull = requests.length >= BATCH_MAX && new Set(requests.map(({ workspaceId }) => workspaceId)).size > 1;
  const counts = new Map<string, number>();
  for (const request of requests) {
    const count = (counts.get(request.workspaceId) ?? 0) + 1;
    counts.set(request.workspaceId, count);
    (isFull && count > AT_ONCE_MAX ? later : now).push({ request });
  }
  return { now, later };
}

/**
 * Messages of requests with few recipients, all of them named; and requests that are to be expanded. What a batch makes at once is
 * bounded as a page of one request is: each message keeps all that its request says.
 */
function byTargets(requests: readonly MessageRequested[]): { few: MessageRequested[]; many: MessageRequested[] } {
  const few: MessageRequested[] = [];
  const many: MessageRequested[] = [];
  let bytes = 0;
  for (const request of requests) {
    const { targets } = request;
    if (!targets) few.push(request);
    else if (targets.length > NAMED_AT_ONCE_MAX) many.push(request);
    else {
      const users = targets.flatMap((target, index) =>
        target.kind === 'user' ? [deriveRequest({ ...request, lane: request.lane ?? 'normal' }, index, target)] : [],
      );
      const added = users.length * bytesOfEach(request);
      if (users.length === targets.length && bytes + added <= PAGE_BYTES_MAX) {
        few.push(...users);
        bytes += added;
      } else many.push(request);
    }
  }
  return { few, many };
}
