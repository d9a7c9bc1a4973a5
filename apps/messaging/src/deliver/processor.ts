import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError, toErrorShape } from '@tidings/contracts/core/errors';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { Clock } from '@tidings/runtime/clock';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { isTracing } from '@tidings/tracing/spans';
import { type LeasedDelivery, toNewDelivery } from './leased-delivery';
import { Dispatcher } from './dispatcher';
import { EmailBases } from './email-bases';
import { LEASE_MS } from '../record/step-store';
import { failingStep, makeStep, parkingStep, type Step } from './make-step';
import { Preparation, type Prepared } from '../context/preparation';
import type { PipelineItem } from '../plan/plan';
import { Renderer } from './renderer';
import { inRouteSpans } from './route-spans';
import { UnstoredMessages } from '../record/unstored-messages';
import type { Render, RenderMeans } from './start-leaves';
import { StepWriter } from './step-writer';
import { unstoredStep, type UnstoredStep } from './unstored-message';

/** Rendered texts of one statement, in characters; the router and the page size bound the data of the requests. */
const STATEMENT_CHARS_MAX = 4_000_000;

/** Messages that are called before they are stored wait for so many permits: no statement is made for them together. */
const ENOUGH_FOR_CALLS = 16;

const ROUTED = metrics.counter(METRICS.routed);

function countRouted({ request }: Pick<Prepared, 'request'>) {
  ROUTED.inc({ lane: request.lane ?? 'normal' });
}

/** Messages that may be called before they are stored (ADR 24). */
interface FirstCalls {
  /** Some may have been called by a process that ended. */
  readonly isRepeated: boolean;
  /** Whether the provider of this message may be called now, before the message is stored. Absent: none may. */
  mayCall?(id: string): boolean;
  /** A message is called; `stored` resolves when it is stored. */
  onCalled?(id: string, stored: Promise<void>): void;
}

/** Whether steps may be stored now, and their providers called. */
export type Hold = () => Promise<boolean>;

/** Runs `work`, which stores steps and calls providers only as long as `hold` resolves with true. */
export type Guard = <Result>(work: (hold?: Hold) => Promise<Result>) => Promise<Result>;

const unguarded: Guard = (work) => work();

/** Advances messages by one step: decides, renders, stores, and passes deliveries to the dispatcher. */
@Injectable()
export class Processor {
  private readonly logger = new Logger(Processor.name);
  private readonly yielder = new EventLoopYielder();

  constructor(
    private readonly preparation: Preparation,
    private readonly renderer: Renderer,
    private readonly emails: EmailBases,
    private readonly steps: StepWriter,
    private readonly dispatcher: Dispatcher,
    private readonly unstored: UnstoredMessages,
    private readonly links: RecipientLinks,
    private readonly clock: Clock,
  ) {}

  /**
   * Processes a batch. Messages with a long rendering are stored, to be rendered on a pool thread. Rejects while another service or the
   * database is unavailable, and where a message of the batch cannot be stored; steps stored before that stay.
   */
  process(items: readonly PipelineItem[], calls?: FirstCalls, guard = unguarded): Promise<void> {
    if (!isTracing()) return this.processTogether(items, calls, guard);
    return inRouteSpans(items, (traced) => this.processTogether(traced, calls, guard));
  }

  private async processTogether(items: readonly PipelineItem[], calls: FirstCalls | undefined, guard: Guard) {
    const prepared = await this.preparation.prepare(items, this.clock.now());
    await guard(async (hold) => {
      for (let waiting = prepared; waiting.length > 0;) {
        const { fitting, others } = await this.dispatcher.waitForPermits(waiting, calls?.mayCall && ENOUGH_FOR_CALLS);
        waiting = [...(await this.processSome(fitting, calls, hold)), ...others];
      }
    });
  }

  /**
   * As `process`, but one message that cannot be processed does not stop the others: each is then processed alone, and one that fails
   * permanently ends with the reason. Resolves with the error by message id. Rejects only with transient errors; stored steps stay.
   */
  async processEach(items: readonly PipelineItem[], calls?: FirstCalls, guard = unguarded): Promise<Map<string, string>> {
    const failures = new Map<string, string>();
    try {
      await this.process(items, calls, guard);
    } catch (error) {
      if (isTransientServiceError(error)) throw error;
      for (const item of items) {
        const failure = await this.processAlone(item, guard);
        if (failure !== undefined) failures.set(item.request.id, failure);
      }
    }
    return failures;
  }

  /** Resolves with the error of a message that cannot be processed. */
  private async processAlone(item: PipelineItem, guard: Guard) {
    try {
      await this.process([item], undefined, guard);
      return undefined;
    } catch (error) {
      if (isTransientServiceError(error)) throw error;
      this.logger.warn({ err: error, messageId: item.request.id }, 'Processing a message failed');
      const failure = toTerminalFailure(error);
      // The user of a bulk job records the failure; any other message records its own.
      if (item.request.jobId === undefined) {
        await this.fail(item, error, guard).catch((again: unknown) => {
          if (isTransientServiceError(again)) throw again;
          this.logger.error({ err: again, messageId: item.request.id }, 'Storing the terminal failure of a message failed');
        });
      }
      return failure;
    }
  }

  /** Stores the next step of as many of these as one statement may hold; resolves with the others. */
  private async processSome(prepared: readonly Prepared[], calls: FirstCalls | undefined, hold: Hold | undefined) {
    const steps: Step[] = [];
    for (let chars = 0; steps.length < prepared.length && chars <= STATEMENT_CHARS_MAX;) {
      const item = prepared[steps.length]!;
      const made = await makeStep(
        item,
        this.means((one) => this.renderer.here(one)),
      );
      const step = made === 'too large' ? parkingStep(item, 'long', this.clock.now()) : made;
      steps.push(step);
      chars += step.renderedChars;
      await this.yielder.yieldIfDue();
    }
    await this.store(steps, calls, hold);
    prepared.slice(0, steps.length).forEach(countRouted);
    return prepared.slice(steps.length);
  }

  private means(render: Render): RenderMeans {
    return { render, emails: this.emails, links: this.links };
  }

  /** Processes one message and renders it on a pool thread, within the bounds of renderings. */
  processApart(item: PipelineItem): Promise<void> {
    return isTracing() ? inRouteSpans([item], ([traced]) => this.processOnPool(traced!)) : this.processOnPool(item);
  }

  private async processOnPool(item: PipelineItem) {
    const [prepared] = await this.preparation.prepare([item], this.clock.now());
    const step = await makeStep(
      prepared!,
      this.means((one) => this.renderer.renderOnPool(one)),
    );
    if (step === 'too large') throw new Error('A rendering on a pool thread returned "too large"');
    await this.store([step]);
    countRouted(prepared!);
  }

  /** Stores messages without processing them; the runner claims them round-robin, `waitMs` later. */
  async park(items: readonly PipelineItem[], waitMs = 0): Promise<void> {
    if (items.length === 0) return;
    const now = this.clock.now();
    await this.store(items.map((item) => parkingStep(item, 'parked', now, now + waitMs)));
  }

  /** Ends a message that cannot be processed as UNDELIVERABLE, with the error as clients may see it. */
  async fail(item: PipelineItem, error?: unknown, guard = unguarded): Promise<void> {
    const failure = toTerminalFailure(error);
    try {
      await this.end(item, 'UNDELIVERABLE', failure, guard);
    } catch (again) {
      if (isTransientServiceError(again) || !item.claimed?.routed) throw again;
      // An inconsistent routing tree must not keep the message from ending.
      const { routed: _inconsistent, ...claimed } = item.claimed;
      await this.end({ request: item.request, claimed }, 'UNDELIVERABLE', failure, guard);
    }
  }

  /** Ends a message without processing it. */
  async end(item: PipelineItem, status: 'UNDELIVERABLE' | 'UNROUTABLE', error: string, guard = unguarded): Promise<void> {
    await guard((hold) => this.store([failingStep(item, status, error, this.clock.now())], undefined, hold));
  }

  /**
   * Stores steps. Deliveries with a permit are stored under a lease of this process, and the dispatcher gets them from memory; those of
   * first calls are called before they are stored.
   */
  private async store(steps: readonly Step[], calls?: FirstCalls, hold?: Hold) {
    const reserved = new Set<LeasedDelivery>();
    try {
      if (hold && !(await hold())) return;
      for (const { deliveries } of steps) for (const delivery of deliveries) if (this.dispatcher.reserve(delivery)) reserved.add(delivery);
      const unstored = calls ? steps.flatMap((made) => unstoredStep(made) ?? []) : [];
      // Without a pause in between: what `mayCall` answers is true only now.
      const called = calls ? unstored.filter((one) => this.callFirst(one, reserved, calls)) : [];
      const uuids = new Set(called.map(({ step }) => step.uuid));
      const others = uuids.size === 0 ? steps : steps.filter(({ step }) => !uuids.has(step.uuid));
      // The same request may be in the log twice.
      if (unstored.length > called.length) await this.unstored.stored(others.map(({ step }) => uuidToMessageId(step.uuid)));
      const stored = await this.storeNow(others, reserved);
      if (calls?.isRepeated) this.dispatcher.countRepeated(unstored.filter(({ step }) => stored.has(step.uuid)).length);
    } catch (error) {
      // The steps may have been stored nevertheless; then the leases of their deliveries run out.
      this.dispatcher.scheduleIn(LEASE_MS);
      throw error;
    } finally {
      for (const delivery of reserved) this.dispatcher.release(delivery);
    }
  }

  /** Whether the message is called, before it is stored. */
  private callFirst(step: UnstoredStep, reserved: Set<LeasedDelivery>, { mayCall, onCalled }: FirstCalls) {
    const { delivery } = step;
    const { messageId } = delivery;
    if (!reserved.has(delivery) || !mayCall?.(messageId)) return false;
    reserved.delete(delivery);
    const stored = this.dispatcher.acceptUnstored(step);
    this.unstored.add(messageId, stored);
    onCalled?.(messageId, stored);
    return true;
  }

  /** Deliveries that are passed to the dispatcher are removed from `reserved`. */
  private async storeNow(steps: readonly Step[], reserved: Set<LeasedDelivery>) {
    if (steps.length === 0) return new Set<string>();
    const rows = steps.map(({ step, deliveries }) =>
      Object.assign(step, { deliveries: deliveries.map((delivery) => toNewDelivery(delivery, reserved.has(delivery))) }),
    );
    const bases = steps.flatMap((made) => made.bases);
    const stored = await this.steps.store(rows, bases);
    for (const delivery of steps.flatMap(({ deliveries }) => deliveries)) {
      if (!stored.has(delivery.uuid) || !reserved.delete(delivery)) continue;
      this.dispatcher.accept(delivery);
    }
    if (rows.some(({ deliveries }) => deliveries.some(({ isLeased }) => !isLeased))) this.dispatcher.takeStored();
    return stored;
  }
}

/**
 * The error of a message, or of a bulk user, that cannot be processed, for clients. The text of an unexpected error, as of the
 * database, is only logged.
 */
function toTerminalFailure(error: unknown) {
  return `The message could not be processed: ${toErrorShape(error).message}`;
}
