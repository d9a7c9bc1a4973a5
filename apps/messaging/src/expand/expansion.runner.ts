import { Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Target, UserTarget } from '@tidings/contracts/messaging/targets';
import { ClaimWorker } from '@tidings/jobs/claim-worker';
import { LeaseRenewer } from '@tidings/jobs/lease-renewer';
import { WorkTimes } from '@tidings/jobs/work-times';
import { Database, type Transaction } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { OperationClient } from '@tidings/rpc/operation-client';
import { type Guard, Processor } from '../deliver/processor';
import type { PipelineItem } from '../plan/plan';
import { UnstoredMessages } from '../record/unstored-messages';
import { isRefused } from '../service-calls';
import { deriveRequest, NAMED_MAX, type NoRecipients, noRecipientsError, recipientsAtOnce, targetNames } from './derive';
import { type Expansion, Expansions, openExpansions, type Progress } from './expansion-store';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { targetPage } from './target-pages';

/** Requests that are expanded concurrently. */
const AT_ONCE_MAX = 4;
/** Deliveries of one workspace and lane that may wait for a provider; above it no page is added. */
const BACKLOG_MAX = 2_000;
const BACKLOG_WAIT_MS = 500;

/**
 * Creates a message for each recipient of a request, page by page. The progress is committed after the messages of the page: memory
 * does not grow with the recipients, and after a crash the page is repeated, whether its messages are stored or not.
 */
@Injectable()
export class ExpansionRunner {
  private readonly logger = new Logger(ExpansionRunner.name);
  private readonly expansions = new Expansions(this.database, this.times.leaseMs);
  private readonly leases = new LeaseRenewer(this.expansions, this.times);
  private readonly worker = new ClaimWorker(
    this.expansions,
    AT_ONCE_MAX,
    (expansion) => this.expand(expansion).finally(() => this.start()),
    this.times,
    'Claiming requests to expand',
  );

  constructor(
    private readonly database: Database,
    private readonly processor: Processor,
    private readonly client: OperationClient,
    private readonly unstored: UnstoredMessages,
    private readonly times: WorkTimes,
    private readonly secrets: ProfileSecrets,
  ) {}

  /** Starts claiming requests, also those that an earlier process left. */
  start(): void {
    this.worker.scheduleIn(0);
  }

  /** Claims no more requests; resolves when the pages in progress are stored. */
  stop(): Promise<void> {
    return this.worker.stop();
  }

  /** Stores requests and schedules their expansion. */
  async open(requests: readonly MessageRequested[]): Promise<void> {
    await openExpansions(this.database, requests);
    if (requests.length > 0) this.start();
  }

  /** Stores a request in the transaction of its caller; it is expanded after the commit. */
  async openWithin(tx: Transaction, request: MessageRequested): Promise<void> {
    await openExpansions(tx, [request]);
    tx.afterCommit(() => this.start());
  }

  /** Never rejects. */
  private async expand(expansion: Expansion) {
    try {
      await this.leases.during([{ id: expansion.request_id, generation: expansion.generation }], () => this.expandPage(expansion));
    } catch (error) {
      this.logger.warn({ err: error, requestId: expansion.request.id }, 'Expanding a page of a request failed');
      // Retried, so that no recipient is left out; where the database fails too, the lease runs out. Users of a job come from our
      // own tables, so a refusal is never final for them.
      const handled =
        isRefused(error) && !isOfJob(expansion)
          ? this.endRefused(expansion, error)
          : this.expansions.advance(
              expansion,
              expansion.progress,
              isTransientServiceError(error) ? this.times.retryMs : this.times.faultRetryMs,
            );
      await handled.catch(() => undefined);
    }
  }

  private async expandPage(expansion: Expansion) {
    const { request, progress } = expansion;
    if (await this.expansions.hasRecord(expansion)) return this.expansions.close(expansion);
    if (await this.expansions.hasBacklog(expansion, BACKLOG_MAX)) return this.expansions.advance(expansion, progress, BACKLOG_WAIT_MS);
    const { derived, after, settle } = await this.nextPage(request, progress);
    // A user that occurs twice, as a member of two tenants, gets the first message.
    const items = new Map(derived.toReversed().map((one) => [one.id, { request: one }]));
    const failures = await this.processPage(expansion, [...items.values()].reverse());
    const isLast = after.target === request.targets!.length;
    const ends = derived.map(({ id }) => ({ messageId: id, error: failures.get(id) }));
    const settlePage = settle && ((tx: Transaction) => settle(tx, ends, isLast));
    if (!isLast) return this.expansions.advance(expansion, after, 0, settlePage);
    if (after.found === 0 && !isOfJob(expansion)) await this.end(expansion, noRecipientsError(request.targets!, after.noRecipients ?? []));
    await this.expansions.close(expansion, settlePage);
  }

  /**
   * Calls and stores the messages of a page (ADR 24). Resolves when all are stored, as `processEach`. The page may be a repeated one: those
   * that are stored are not called, and where a worker lost its lease all are stored first.
   */
  private async processPage(expansion: Expansion, items: readonly PipelineItem[]) {
    const ids = items.map(({ request }) => request.id);
    await this.unstored.stored(ids);
    const stored = await this.expansions.stored(expansion, ids);
    const { orphaned: isRepeated } = expansion;
    const mayCall = isRepeated ? undefined : (id: string) => !stored.has(id);
    let called: Promise<void>[] = [];
    const onCalled = (_id: string, one: Promise<void>) => void called.push(one);
    const guard: Guard = (work) =>
      this.expansions.during(expansion, async (hold) => {
        called = [];
        const result = await work(hold).finally(() => Promise.allSettled(called));
        await Promise.all(called); // rejects where the database refused a message
        return result;
      });
    return this.processor.processEach(items, { isRepeated, mayCall, onCalled }, guard);
  }

  /** The messages of the next page and the progress after it: a run of user targets, or a page of one other target. */
  private async nextPage(request: MessageRequested, progress: Progress) {
    const targets = request.targets!;
    const users = targets[progress.target]?.kind === 'user' ? usersFrom(targets, progress.target, recipientsAtOnce(request)) : [];
    if (users.length > 0) {
      const derived = users.map((one, index) => deriveRequest(request, progress.target + index, one));
      const after: Progress = { target: progress.target + users.length, found: progress.found + users.length };
      return { derived, after };
    }
    const page = await targetPage(this.client, this.database, this.secrets, request, targets[progress.target]!, progress.cursor);
    const { recipients, noRecipients, next, settle } = page;
    const found = progress.found + recipients.length;
    const position = next === undefined ? { target: progress.target + 1 } : { target: progress.target, cursor: next };
    const reasons = found === 0 && noRecipients && { noRecipients: reasonsSoFar(progress, noRecipients) };
    const after: Progress = { ...position, found, ...reasons };
    return { derived: recipients.map((one) => deriveRequest(request, progress.target, one)), after, settle };
  }

  /** Ends a request whose target another service refuses for good. Messages created so far stay; the record has the reason. */
  private async endRefused(expansion: Expansion, error: unknown) {
    await this.end(expansion, `The recipients could not be found: ${reasonOf(error)}`);
    await this.expansions.close(expansion);
  }

  /** Stores a record of the request itself: UNROUTABLE, with the reason. Its recipient is what the request was sent to. */
  private end(expansion: Expansion, error: string) {
    const request = { ...expansion.request, recipient: targetNames(expansion.request) };
    return this.processor.end({ request }, 'UNROUTABLE', error, (work) => this.expansions.during(expansion, work));
  }
}

function usersFrom(targets: readonly Target[], first: number, max: number) {
  const users: UserTarget[] = [];
  for (let target = targets[first]; target?.kind === 'user' && users.length < max; target = targets[first + users.length])
    users.push(target);
  return users;
}

/** Why the targets up to the current one have no recipients; stored as long as none was found. */
function reasonsSoFar({ target, noRecipients: earlier = [] }: Progress, reason: NoRecipients) {
  if (target >= NAMED_MAX) return earlier;
  return [...earlier.slice(0, target), earlier[target] === 'filtered' ? 'filtered' : reason];
}

function isOfJob({ request }: Expansion) {
  return request.jobId !== undefined;
}
