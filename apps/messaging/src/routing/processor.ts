import { Inject, Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError, toErrorShape } from '@tidings/contracts/core/errors';
import { Database } from '@tidings/persistence/database';
import { Clock } from '@tidings/runtime/clock';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import type { LeasedDelivery } from '../delivery/delivery';
import { Dispatcher } from '../delivery/dispatcher';
import { ENOUGH_PERMITS, FEW_PLACES_WAIT_MS } from '../delivery/fair-semaphore';
import { HistoryPublisher } from '../publishing/history-publisher';
import type { MessageStep } from '../store/step';
import { LEASE_MS, storeSteps } from '../store/step-store';
import { StoredMessageNotifier } from './stored-message-notifier';
import { type TerminalFailure, failingStep, makeStep, parkingStep, type Step } from './make-step';
import { OpenMessagesNotifier } from './open-messages-notifier';
import { Preparation, type Prepared, type PipelineItem } from './preparation';
import { Renderer } from './renderer';

/** How long messages wait for places at the dispatcher before their deliveries are left to the lease query. */
const PLACE_WAIT_MS = 250;
/** Rendered texts of one statement, in characters; what came with the requests is bounded by the router and by pages. */
const STATEMENT_CHARS_MAX = 4_000_000;

/** Stores steps, or those of them that count; resolves with the ids (uuid) of their messages. */
export type StepStoring = (steps: readonly MessageStep[], nowMs: number) => Promise<Set<string>>;

/** Takes messages one step on: decides, renders, stores, and hands deliveries to the dispatcher. */
@Injectable()
export class Processor {
  private readonly logger = new Logger(Processor.name);
  private readonly turns = new EventLoopYielder();
  private readonly storing: StepStoring = (steps, nowMs) => storeSteps(this.database, steps, nowMs);

  constructor(
    @Inject(Preparation) private readonly preparation: Preparation,
    private readonly renderer: Renderer,
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly arrivals: StoredMessageNotifier,
    private readonly history: HistoryPublisher,
    private readonly bell: OpenMessagesNotifier,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  /**
   * A batch: what is rendered at once goes its way, what takes long is stored to be rendered apart. Rejects when another service
   * or the database is away, or when a message of the batch cannot be stored; what was stored by then stays so.
   */
  async process(works: readonly PipelineItem[], storing = this.storing): Promise<void> {
    let waiting = await this.preparation.prepare(works, this.clock.now());
    let since = performance.now();
    while (waiting.length > 0) {
      const { fitting, others } = this.dispatcher.splitByRoom(waiting, ({ request }) => request);
      const isEnough = fitting.length >= Math.min(waiting.length, ENOUGH_PERMITS);
      const waitMs = (fitting.length === 0 ? PLACE_WAIT_MS : isEnough ? 0 : FEW_PLACES_WAIT_MS) - (performance.now() - since);
      if (waitMs > 0) {
        await this.dispatcher.whenRoom(waitMs);
        continue;
      }
      const left = await this.processSome(fitting.length > 0 ? fitting : waiting, storing);
      waiting = fitting.length > 0 ? [...left, ...others] : left;
      since = performance.now();
    }
  }

  /**
   * As `process`, but the others do not wait for a message of the batch that cannot be processed: each is tried alone then, and one
   * that fails for a reason of its own ends and says so. Rejects only with what passes; what was stored by then stays so.
   */
  async processEach(works: readonly PipelineItem[], storing = this.storing): Promise<Map<string, string>> {
    const failures = new Map<string, string>();
    try {
      await this.process(works, storing);
    } catch (error) {
      if (isTransientServiceError(error)) throw error;
      for (const work of works) {
        const failure = await this.processAlone(work, storing);
        if (failure !== undefined) failures.set(work.request.id, failure);
      }
    }
    return failures;
  }

  /** Why it cannot be processed, where it cannot. */
  private async processAlone(work: PipelineItem, storing: StepStoring): Promise<string | undefined> {
    try {
      await this.process([work], storing);
      return undefined;
    } catch (error) {
      if (isTransientServiceError(error)) throw error;
      this.logger.warn({ err: error, messageId: work.request.id }, 'A message cannot be processed');
      const failure = toTerminalFailure(error);
      // Of a job its user tells; of others nobody but the message itself could.
      if (work.request.jobId === undefined) {
        await this.fail(work, failure, storing).catch((again: unknown) => {
          if (isTransientServiceError(again)) throw again;
          this.logger.error({ err: again, messageId: work.request.id }, 'The end of a message cannot be stored');
        });
      }
      return failure;
    }
  }

  /** Takes as many of these one step on as one statement may hold; resolves with the others. */
  private async processSome(prepared: readonly Prepared[], storing: StepStoring): Promise<Prepared[]> {
    const steps: Step[] = [];
    for (let chars = 0; steps.length < prepared.length && chars <= STATEMENT_CHARS_MAX;) {
      const step = await this.stepHere(prepared[steps.length]!);
      steps.push(step);
      chars += step.renderedChars;
      await this.turns.yieldIfDue();
    }
    await this.store(steps, storing);
    return prepared.slice(steps.length);
  }

  /** One message, rendered on another thread however long it takes within the bounds of renderings. */
  async processApart(work: PipelineItem): Promise<void> {
    const [prepared] = await this.preparation.prepare([work], this.clock.now());
    const step = await makeStep(prepared!, (one) => this.renderer.elsewhere(one));
    if (step === 'too large') throw new Error('A rendering on a thread of its own cannot be too large');
    await this.store([step]);
  }

  /** Messages that are stored now and taken up at their turn. */
  async park(works: readonly PipelineItem[]): Promise<void> {
    const now = this.clock.now();
    await this.store(works.map((work) => parkingStep(work, 'parked', now)));
  }

  /** A message that no batch can hold ends, and says so. */
  async fail(work: PipelineItem, error: string, storing = this.storing): Promise<void> {
    const how: TerminalFailure = { status: 'UNDELIVERABLE', reason: 'FAILED', error };
    try {
      await this.end(work, how, storing);
    } catch (again) {
      if (isTransientServiceError(again) || !work.taken?.routed) throw again;
      // Ways that cannot be read must not keep the message from ending.
      const { routed: _unreadable, ...taken } = work.taken;
      await this.end({ request: work.request, taken }, how, storing);
    }
  }

  /** A message ends unprocessed. */
  async end(work: PipelineItem, how: TerminalFailure, storing = this.storing): Promise<void> {
    await this.store([failingStep(work, how, this.clock.now())], storing);
  }

  private async stepHere(prepared: Prepared): Promise<Step> {
    const step = await makeStep(prepared, (one) => this.renderer.here(one));
    return step === 'too large' ? parkingStep(prepared, 'long', this.clock.now()) : step;
  }

  /** Stores steps; deliveries that find a place begin leased here and go on from memory. */
  private async store(steps: readonly Step[], storing = this.storing): Promise<void> {
    const reserved: LeasedDelivery[] = [];
    let accepted = 0;
    try {
      const rows = steps.map(({ step, deliveries }): MessageStep => {
        const held = deliveries.map((delivery) => this.dispatcher.reserve(delivery) && reserved.push(delivery) > 0);
        return { ...step, deliveries: deliveries.map((delivery, index) => toNewDelivery(delivery, held[index]!)) };
      });
      const stored = await storing(rows, this.clock.now());
      while (accepted < reserved.length) {
        const delivery = reserved[accepted]!;
        accepted += 1;
        if (stored.has(delivery.uuid)) this.dispatcher.accept(delivery);
        else this.dispatcher.release(delivery);
      }
      if (rows.some(({ deliveries }) => deliveries.some(({ held }) => !held))) this.dispatcher.wakeIn(0);
      this.announce(stored, rows);
    } catch (error) {
      // Whether they were stored may be unknown; if they were, nobody holds them and their leases run out.
      this.dispatcher.wakeIn(LEASE_MS);
      throw error;
    } finally {
      for (const delivery of reserved.slice(accepted)) this.dispatcher.release(delivery);
    }
  }

  private announce(stored: ReadonlySet<string>, rows: readonly MessageStep[]): void {
    if (stored.size === 0) return;
    this.arrivals.announce(stored);
    this.history.committed();
    const due = rows.flatMap(({ open }) => open?.dueMs ?? []);
    if (due.length > 0) this.bell.notifyDueIn(Math.min(...due) - this.clock.now());
  }
}

/**
 * What a message, or a job of its user, says that ends because it cannot be processed: in words that are meant for people. Of what nobody
 * thought of, as an error of the database, the text is the log's.
 */
export function toTerminalFailure(error: unknown): string {
  return `The message could not be processed: ${toErrorShape(error).message}`;
}

function toNewDelivery(delivery: LeasedDelivery, held: boolean) {
  const { leaf, channel, integration, provider, lane, more, patience } = delivery;
  return { leaf, channel, integration, provider, lane, more, since_ms: patience.sinceMs, held };
}
