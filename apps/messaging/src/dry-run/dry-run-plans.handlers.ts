import type { CallContext } from '@tidings/contracts/core/context';
import { type DryRun, dryRunPlans, type DryRunRecipient, type PlanDryRun } from '@tidings/contracts/messaging/dry-runs';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import type { GetMessage } from '@tidings/contracts/messaging/messages';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { OperationClient } from '@tidings/rpc/operation-client';
import { allSettled } from '@tidings/runtime/all-settled';
import { Clock } from '@tidings/runtime/clock';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { RecipientLinks } from '@tidings/runtime/recipient-links';
import { Preparation, type Prepared } from '../context/preparation';
import { makeStep } from '../deliver/make-step';
import { Renderer } from '../deliver/renderer';
import type { RenderMeans, ToRender } from '../deliver/start-leaves';
import { targetPage } from '../expand/target-pages';
import { StoredSends } from '../queries/stored-sends';
import { dryRunOf, type PlannedStep } from './dry-run-of';
import { ExampleLinks } from './example-links';
import { firstMessages } from './first-messages';

/** Bytes of JSON of all contents of an answer; those beyond it are left out. */
const CONTENT_BYTES_MAX = 4 * 1024 * 1024;

/** Plans messages as the pipeline does: the same decisions and renderings, whose steps are neither stored nor delivered. */
@Handles(dryRunPlans)
export class DryRunPlansHandlers {
  private readonly means: RenderMeans = {
    render: (one) => this.render(one),
    emails: { shorten: (_one, rendering) => ({ stored: rendering }) },
    links: new ExampleLinks(this.links),
  };

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

  plan({ workspaceId }: CallContext, { request }: PlanDryRun): Promise<DryRun> {
    return this.planRequest({ ...request, workspaceId });
  }

  async planMessage(context: CallContext, { message_id }: GetMessage): Promise<DryRun> {
    const requestedAt = this.clock.now();
    return this.planRequest({ ...(await this.sends.again(context, message_id)), id: newMessageId(requestedAt), requestedAt });
  }

  private async planRequest(request: MessageRequested): Promise<DryRun> {
    const { requests, more, error } = await firstMessages(request, (target, cursor) =>
      targetPage(this.client, this.database, this.secrets, request, target, cursor),
    );
    const prepared = await this.preparation.prepare(
      requests.map((one) => ({ request: one })),
      this.clock.now(),
    );
    // Running renderings stay bounded when one has failed.
    const results = await allSettled(prepared.map((item) => this.planOne(item)));
    return { results: withinBytes(results), more, error };
  }

  /** A delayed message is planned once more for the end of its delay. */
  private async planOne(item: Prepared) {
    const first = await this.stepOf(item);
    if (item.verdict.kind !== 'delayed') return dryRunOf([first]);
    const { request, verdict } = item;
    const claimed = { generation: 0, stage: 'delayed' as const, status: 'DELAYED' as const, isDue: true };
    const [later] = await this.preparation.prepare([{ request, claimed }], verdict.dueMs);
    return dryRunOf([first, await this.stepOf(later!)]);
  }

  private async stepOf(item: Prepared): Promise<PlannedStep> {
    const made = await makeStep(item, this.means);
    if (made === 'too large') throw new Error('A rendering on a pool thread returned "too large"');
    return { item, step: made.step };
  }

  private render(one: ToRender) {
    const rendered = this.renderer.here(one);
    return rendered === 'too large' ? this.renderer.renderOnPool(one) : rendered;
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
