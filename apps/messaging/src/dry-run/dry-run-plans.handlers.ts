import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { MESSAGE_READS } from '@tidings/contracts/core/granted';
import { type DryRun, dryRunPlans, type DryRunRecipient, type PlanDryRun } from '@tidings/contracts/messaging/dry-runs';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import type { GetMessage } from '@tidings/contracts/messaging/messages';
import { Database } from '@tidings/persistence/database';
import { ConcurrencyLimiter } from '@tidings/rpc/concurrency-limiter';
import { Handles } from '@tidings/rpc/handles';
import { OperationClient } from '@tidings/rpc/operation-client';
import { allSettled } from '@tidings/runtime/all-settled';
import { Clock } from '@tidings/runtime/clock';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { Preparation, type Prepared } from '../context/preparation';
import { makeStep } from '../deliver/make-step';
import { Renderer } from '../deliver/renderer';
import type { RenderMeans } from '../deliver/start-leaves';
import { targetPage } from '../expand/target-pages';
import { seesContent } from '../queries/status-view';
import { StoredSends } from '../queries/stored-sends';
import { dryRunOf, type PlannedStep } from './dry-run-of';
import { ExampleLinks } from './example-links';
import { firstMessages } from './first-messages';

/** Bytes of JSON of all contents of an answer; those beyond it are left out. */
const CONTENT_BYTES_MAX = 4 * 1024 * 1024;
/** Dry runs of this process that run at once, and that wait: sends go first. */
const DRY_RUNS_AT_ONCE = 4;
const DRY_RUNS_WAITING_MAX = 16;
/** `Preparation.prepare`: a send stores a profile for a new user, a dry run does not. */
const ONLY_READS = true;

/** Plans messages as the pipeline does: the same decisions and renderings, whose steps are neither stored nor delivered. */
@Handles(dryRunPlans)
export class DryRunPlansHandlers {
  private readonly limiter = new ConcurrencyLimiter(DRY_RUNS_AT_ONCE, DRY_RUNS_WAITING_MAX);

  constructor(
    private readonly database: Database,
    private readonly client: OperationClient,
    private readonly secrets: ProfileSecrets,
    private readonly preparation: Preparation,
    private readonly renderer: Renderer,
    private readonly links: RecipientLinks,
    private readonly clock: Clock,
    private readonly sends: StoredSends,
  ) {}

  plan(context: CallContext, { request }: PlanDryRun): Promise<DryRun> {
    return this.planRequest(context, { ...request, workspaceId: context.workspaceId });
  }

  async planMessage(context: CallContext, { message_id }: GetMessage): Promise<DryRun> {
    if (!seesContent(context)) {
      throw new ServiceError('forbidden', `A dry run of a message shows its content: the credential lacks the scope ${MESSAGE_READS}`);
    }
    const requestedAt = this.clock.now();
    return this.planRequest(context, { ...(await this.sends.again(context, message_id)), id: newMessageId(requestedAt), requestedAt });
  }

  private planRequest(context: CallContext, request: MessageRequested) {
    return this.limiter.run(() => this.planFirst(request, this.meansUntil(context.expiresAt)));
  }

  private async planFirst(request: MessageRequested, means: RenderMeans): Promise<DryRun> {
    const { requests, more, error } = await firstMessages(request, (target, cursor) =>
      targetPage(this.client, this.database, this.secrets, request, target, cursor),
    );
    const prepared = await this.preparation.prepare(
      requests.map((one) => ({ request: one })),
      this.clock.now(),
      ONLY_READS,
    );
    // Running renderings stay bounded when one has failed.
    const results = await allSettled(prepared.map((item) => this.planOne(item, means)));
    return { results: withinBytes(results), more, error };
  }

  /** A delayed message is planned once more for the end of its delay. */
  private async planOne(item: Prepared, means: RenderMeans) {
    const first = await this.stepOf(item, means);
    if (item.verdict.kind !== 'delayed') return dryRunOf([first]);
    const { request, verdict } = item;
    const claimed = { generation: 0, stage: 'delayed' as const, status: 'DELAYED' as const, isDue: true };
    const [later] = await this.preparation.prepare([{ request, claimed }], verdict.dueMs, ONLY_READS);
    return dryRunOf([first, await this.stepOf(later!, means)]);
  }

  private async stepOf(item: Prepared, means: RenderMeans): Promise<PlannedStep> {
    const made = await makeStep(item, means);
    if (made === 'too large') throw new Error('A rendering on a pool thread returned "too large"');
    return { item, step: made.step };
  }

  /** @param endBy the caller's deadline: a later rendering has no reader */
  private meansUntil(endBy: number | undefined): RenderMeans {
    return {
      render: (one) => {
        const rendered = this.renderer.here(one);
        return rendered === 'too large' ? this.renderer.renderOnPool(one, { endBy }) : rendered;
      },
      emails: { shorten: (_one, rendering) => ({ stored: rendering }) },
      links: new ExampleLinks(this.links),
    };
  }
}

function withinBytes(results: readonly DryRunRecipient[]): DryRunRecipient[] {
  let bytes = 0;
  return results.map((result) => {
    bytes += Buffer.byteLength(JSON.stringify(result.contents));
    if (bytes <= CONTENT_BYTES_MAX) return result;
    const warning = 'The answer would be too long: plan this recipient separately to see the content';
    return { ...result, contents: [], warnings: [...result.warnings, warning] };
  });
}
