import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { requireMessageUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { DuePoller } from '../delivery/due-poller';
import { BatchSize } from '../store/batch-size';
import { loadedProfiles } from '../store/history-row';
import { type Claim, LeaseRenewer } from '../store/lease-renewer';
import { OpenMessages, type ClaimedRow } from '../store/open-store';
import { storedRequest } from '../store/stored-request';
import { WorkTimes } from '../store/work-times';
import { escalated, unmet } from './escalate';
import { OpenMessagesNotifier } from './open-messages-notifier';
import type { PipelineItem } from './preparation';
import { Processor, toTerminalFailure } from './processor';

/** Messages taken up at once. */
const BATCH_MAX = 200;
/** Messages that are rendered on threads at once. */
const APART_MAX = 8;

/** Work that stands in the table, under the turn in which it was taken up. */
type TakenWork = PipelineItem & Required<Pick<PipelineItem, 'taken'>>;

/** Takes open messages on when they are due: after a delay, at their turn, when another way is to be tried, on a thread. */
@Injectable()
export class OpenMessagesRunner {
  private readonly logger = new Logger(OpenMessagesRunner.name);
  private readonly quick: OpenMessages;
  private readonly slow: OpenMessages;
  private readonly leases: LeaseRenewer;
  private readonly quickWaker = new DuePoller(this.times.pollMs, () => this.runQuick());
  private readonly slowWaker = new DuePoller(this.times.pollMs, () => this.runSlow());
  private readonly apart = new Set<Promise<void>>();
  private readonly batch = new BatchSize(BATCH_MAX);

  constructor(
    database: Database,
    private readonly processor: Processor,
    bell: OpenMessagesNotifier,
    private readonly clock: Clock,
    private readonly times: WorkTimes,
  ) {
    this.quick = new OpenMessages(database, 'together', times.leaseMs);
    this.slow = new OpenMessages(database, 'apart', times.leaseMs);
    this.leases = new LeaseRenewer((held) => this.quick.renew(held), times);
    bell.listen((delayMs) => this.wakeIn(delayMs));
  }

  /** Takes up what an earlier process left behind. */
  start(): void {
    this.wakeIn(0);
  }

  /** Takes up nothing more; resolves when what was taken up is stored. */
  async stop(): Promise<void> {
    await Promise.all([this.quickWaker.stop(), this.slowWaker.stop()]);
    await Promise.all(this.apart);
  }

  private wakeIn(delayMs: number): void {
    this.quickWaker.scheduleIn(delayMs);
    this.slowWaker.scheduleIn(delayMs);
  }

  private async runQuick(): Promise<number> {
    try {
      for (;;) {
        if (this.quickWaker.isStopped) return this.times.retryMs;
        const asked = this.batch.current;
        const rows = await this.batch.during(() => this.quick.take(asked));
        const works = this.worksOf(rows);
        if (works.length > 0) await this.leases.during(works.map(heldBy), () => this.processor.processEach(works));
        if (rows.length < asked) break;
      }
      return (await this.quick.nextDueMs()) ?? this.times.pollMs;
    } catch (error) {
      this.logger.warn(`Open messages cannot be taken on now: ${String(error)}`);
      return this.times.retryMs;
    }
  }

  /** Each goes on as soon as it is rendered, so a slow one holds up none of the others. */
  private async runSlow(): Promise<number> {
    try {
      for (;;) {
        if (this.apart.size >= APART_MAX) await Promise.race(this.apart);
        if (this.slowWaker.isStopped) return this.times.retryMs;
        const room = APART_MAX - this.apart.size;
        const works = this.worksOf(await this.slow.take(room));
        for (const work of works) this.processApart(work);
        if (works.length < room) break;
      }
      return (await this.slow.nextDueMs()) ?? this.times.pollMs;
    } catch (error) {
      this.logger.warn(`Open messages cannot be rendered now: ${String(error)}`);
      return this.times.retryMs;
    }
  }

  private processApart(work: TakenWork): void {
    this.besides(this.guarded(work));
  }

  /** A stop waits for it. */
  private besides(work: Promise<void>): void {
    const done = work.finally(() => {
      this.apart.delete(done);
    });
    this.apart.add(done);
  }

  /** What fails for a reason of its own ends; what fails for another one is taken up again when its lease is over. */
  private async guarded(work: TakenWork): Promise<void> {
    try {
      await this.leases.during([heldBy(work)], () => this.processor.processApart(work));
    } catch (error) {
      this.logger.warn({ err: error, messageId: work.request.id }, 'A message cannot be taken on');
      if (!isTransientServiceError(error)) await this.failed(work, toTerminalFailure(error));
    }
  }

  /** Ends a message. Never rejects: what cannot be stored now is taken up again when its lease is over. */
  private async failed(work: PipelineItem, why: string): Promise<void> {
    try {
      await this.processor.fail(work, why);
    } catch (error) {
      this.logger.error({ err: error, messageId: work.request.id }, 'The end of an open message cannot be stored');
    }
  }

  /** What cannot be read now cannot be read at its next turn either: it ends, or it would be taken up for ever. */
  private end({ workspace_id: workspaceId, message_id, generation, stage, status, state: { tree, records = [] } }: ClaimedRow): void {
    const request = { workspaceId, id: uuidToMessageId(message_id), requestedAt: 0, mode: 'production' as const };
    const nothing = { recipient: '', profile: {}, data: {}, event: '', tags: [] };
    const routed = tree && { tree, records, profiles: { stored: {}, merged: {} } };
    const work = { request: { ...request, ...nothing }, taken: { generation, stage, status, isDue: true, ...(routed && { routed }) } };
    this.besides(this.failed(work, toTerminalFailure(undefined)));
  }

  private worksOf(rows: readonly ClaimedRow[]): TakenWork[] {
    const works: TakenWork[] = [];
    for (const row of rows) {
      try {
        works.push(toWork(row, this.clock.now()));
      } catch (error) {
        this.logger.error({ err: error, messageId: row.message_id }, 'An open message cannot be read');
        this.end(row);
      }
    }
    return works;
  }
}

function heldBy({ request, taken }: TakenWork): Claim {
  return { id: requireMessageUuid(request.id), generation: taken.generation };
}

function toWork({ workspace_id, message_id, stage, generation, state, status, steps }: ClaimedRow, nowMs: number): TakenWork {
  const id = uuidToMessageId(message_id);
  const events = steps.flat();
  const request = storedRequest(workspace_id, id, eventOf(events, 'ENQUEUED', id));
  const { tree, records = [], isDue = stage === 'delayed' } = state;
  const taken = { generation, stage, status, isDue };
  if (!tree) return { request, taken };
  const { merged_profile, stored_profile } = loadedProfiles(eventOf(events, 'PROFILE_LOADED', id), request.profile);
  const profiles = { stored: stored_profile, merged: merged_profile };
  const escalation = unmet(state.escalation, status);
  return { request, taken: { ...taken, routed: { tree: escalated(tree, escalation, nowMs), records, profiles, escalation } } };
}

function eventOf(events: readonly HistoryEvent[], type: 'ENQUEUED' | 'PROFILE_LOADED', id: string): HistoryEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`Message ${id} is open but has no ${type} event`);
  return event;
}
