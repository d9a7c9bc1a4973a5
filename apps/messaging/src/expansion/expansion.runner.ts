import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError, ServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Target, UserTarget } from '@tidings/contracts/messaging/targets';
import { Database, type Transaction } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { DuePoller } from '../delivery/due-poller';
import { Processor, type StepStoring } from '../routing/processor';
import { LeaseRenewer } from '../store/lease-renewer';
import { WorkTimes } from '../store/work-times';
import { deriveRequest } from './derive';
import { type Expansion, Expansions, openExpansions, type Progress } from './expansion-store';
import { NAMED_MAX, type NoRecipients, noRecipientsError } from './no-recipients';
import { recipientsAtOnce } from './page-size';
import { type TargetPage, TargetPages } from './target-pages';

/** Requests that are expanded at once. */
const AT_ONCE_MAX = 4;
/** Deliveries of one workspace and lane that may wait for their provider; until they are fewer, nothing is added. */
const BACKLOG_MAX = 2_000;
const BACKLOG_WAIT_MS = 500;

/** A page of a request as messages. */
interface DerivedPage extends Pick<TargetPage, 'settle'> {
  readonly derived: readonly MessageRequested[];
  /** Where the next page begins. */
  readonly after: Progress;
}

/**
 * Makes a message for each recipient of a request, page by page, each page's progress committed behind its messages: memory
 * does not grow with the recipients, and after a crash it goes on at the page, whose messages are there already or not.
 */
@Injectable()
export class ExpansionRunner {
  private readonly logger = new Logger(ExpansionRunner.name);
  private readonly expansions: Expansions;
  private readonly leases: LeaseRenewer;
  private readonly waker = new DuePoller(this.times.pollMs, () => this.run());
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly database: Database,
    private readonly processor: Processor,
    private readonly pages: TargetPages,
    private readonly times: WorkTimes,
  ) {
    this.expansions = new Expansions(database, times.leaseMs);
    this.leases = new LeaseRenewer((held) => this.expansions.renew(held), times);
  }

  /** Takes up what an earlier process left behind. */
  start(): void {
    this.waker.scheduleIn(0);
  }

  /** Takes up nothing more; resolves when the pages that are under way are stored. */
  async stop(): Promise<void> {
    await this.waker.stop();
    await Promise.all(this.running);
  }

  /** Keeps requests, to be expanded in turn. */
  async open(requests: readonly MessageRequested[]): Promise<void> {
    await openExpansions(this.database, requests);
    if (requests.length > 0) this.waker.scheduleIn(0);
  }

  /** Keeps a request in a transaction that says why; it is expanded once that is committed. */
  async openWithin(tx: Transaction, request: MessageRequested): Promise<void> {
    await openExpansions(tx, [request]);
    tx.afterCommit(() => this.waker.scheduleIn(0));
  }

  private async run(): Promise<number> {
    try {
      for (;;) {
        if (this.running.size >= AT_ONCE_MAX) await Promise.race(this.running);
        if (this.waker.isStopped) return this.times.retryMs;
        const room = AT_ONCE_MAX - this.running.size;
        const taken = await this.expansions.take(room);
        for (const expansion of taken) this.begin(expansion);
        if (taken.length < room) break;
      }
      return (await this.expansions.nextDueMs()) ?? this.times.pollMs;
    } catch (error) {
      this.logger.warn(`Requests cannot be expanded now: ${String(error)}`);
      return this.times.retryMs;
    }
  }

  private begin(expansion: Expansion): void {
    const done = this.expandGuarded(expansion).finally(() => {
      this.running.delete(done);
      this.waker.scheduleIn(0);
    });
    this.running.add(done);
  }

  private async expandGuarded(expansion: Expansion): Promise<void> {
    try {
      await this.leases.during([{ id: expansion.request_id, generation: expansion.generation }], () => this.expandPage(expansion));
    } catch (error) {
      this.logger.warn({ err: error, requestId: expansion.request.id }, 'A request cannot be expanded now');
      // Whatever goes wrong here is no reason to leave anybody out; where nothing can be written, its lease runs out. The users of
      // a job are our own: nobody refuses them for good.
      const goOn =
        isRefused(error) && !isOfJob(expansion)
          ? this.giveUp(expansion, error)
          : this.expansions.advance(expansion, expansion.progress, isTransientServiceError(error) ? this.times.retryMs : this.times.faultRetryMs);
      await goOn.catch(() => undefined);
    }
  }

  private async expandPage(expansion: Expansion): Promise<void> {
    const { request, progress } = expansion;
    if (await this.expansions.hasRecord(expansion)) return this.expansions.close(expansion);
    if ((await this.expansions.backlog(expansion, BACKLOG_MAX)) >= BACKLOG_MAX) {
      return this.expansions.advance(expansion, progress, BACKLOG_WAIT_MS);
    }
    const { derived, after, settle } = await this.nextPage(request, progress);
    // Who comes twice, as a member of two tenants, gets the first of the two.
    const works = new Map(derived.toReversed().map((one) => [one.id, { request: one }]));
    const failures = await this.processor.processEach([...works.values()].reverse(), this.storing(expansion));
    const isLast = after.target === request.targets!.length;
    const ends = derived.map(({ id }) => ({ messageId: id, ...(failures.has(id) && { error: failures.get(id)! }) }));
    const settlePage = settle && ((tx: Transaction) => settle(tx, ends, isLast));
    if (!isLast) return this.expansions.advance(expansion, after, 0, settlePage);
    if (after.found === 0 && !isOfJob(expansion)) await this.end(expansion, noRecipientsError(request.targets!, after.noRecipients ?? []));
    await this.expansions.close(expansion, settlePage);
  }

  /** The messages of a page, and where the next one begins: the users that are named one after the other, or a part of the others. */
  private async nextPage(request: MessageRequested, progress: Progress): Promise<DerivedPage> {
    const targets = request.targets!;
    const users = targets[progress.target]?.kind === 'user' ? usersFrom(targets, progress.target, recipientsAtOnce(request)) : [];
    if (users.length > 0) {
      const derived = users.map((one, index) => deriveRequest(request, progress.target + index, one));
      return { derived, after: { target: progress.target + users.length, found: progress.found + users.length } };
    }
    const { recipients, noRecipients, next, settle } = await this.pages.page(request, targets[progress.target]!, progress.cursor);
    const found = progress.found + recipients.length;
    const place = next === undefined ? { target: progress.target + 1 } : { target: progress.target, cursor: next };
    const reasons = found === 0 && noRecipients && { noRecipients: reasonsSoFar(progress, noRecipients) };
    return {
      derived: recipients.map((one) => deriveRequest(request, progress.target, one)),
      after: { ...place, found, ...reasons },
      ...(settle && { settle }),
    };
  }

  /** Its targets are refused whoever asks: what was found by then stays, and the request says what became of it. */
  private async giveUp(expansion: Expansion, error: unknown): Promise<void> {
    await this.end(expansion, `The recipients could not be found: ${reasonOf(error)}`);
    await this.expansions.close(expansion);
  }

  /** The request itself has a record, which says that it came to nobody. */
  private end(expansion: Expansion, error: string): Promise<void> {
    return this.processor.end(
      { request: expansion.request },
      { status: 'UNROUTABLE', reason: 'NO_CHANNELS', error },
      this.storing(expansion),
    );
  }

  /** Whatever is made of a request counts only in these hands. */
  private storing(expansion: Expansion): StepStoring {
    return (steps, nowMs) => this.expansions.store(expansion, steps, nowMs);
  }
}

function usersFrom(targets: readonly Target[], first: number, max: number): UserTarget[] {
  const users: UserTarget[] = [];
  for (let target = targets[first]; target?.kind === 'user' && users.length < max; target = targets[first + users.length])
    users.push(target);
  return users;
}

/** Another service says that there is no such question, however often it is asked. */
function isRefused(error: unknown): boolean {
  return error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'not_found');
}

/** Why the targets passed so far have no recipients, the one in hand included: kept while there are none. */
function reasonsSoFar({ target, noRecipients: passed = [] }: Progress, why: NoRecipients): NoRecipients[] {
  if (target >= NAMED_MAX) return passed;
  return [...passed.slice(0, target), passed[target] === 'filtered' ? 'filtered' : why];
}

function isOfJob({ request }: Expansion): boolean {
  return request.jobId !== undefined;
}
