import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { SECOND_MS } from '@tidings/contracts/core/duration';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { LoadedTenant, RecipientPart } from '@tidings/contracts/identity/recipients';
import { OperationClient } from '@tidings/rpc/operation-client';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { LRUCache } from 'lru-cache';
import { ContentLoader, type RenderResources } from './content-loader';
import { ProviderConfigurations } from '../providers/provider-configurations';
import type { Ended, Verdict } from '../plan/decide';
import { type PipelineItem, plan } from '../plan/plan';
import { brandIdOf, type RoutingContext, settingsOfLeaf, topicIdOf } from '../plan/routing-context';
import { unknownProviderWarnings } from '../plan/unknown-providers';
import type { FoundSuppressions } from '../suppressions/found-suppressions';
import { Suppressions } from '../suppressions/suppressions';
import { addressesToTry } from './addresses-to-try';
import { loadRecipients, type RecipientContext } from './recipients';

/** Workspaces that are remembered for a second. */
const SEARCHED_MAX = 10_000;

/** A message with its verdict and everything needed to render it. */
export interface Prepared extends PipelineItem {
  readonly context: RoutingContext;
  readonly verdict: Verdict;
  readonly events: readonly HistoryEvent[];
  readonly resources: RenderResources;
  /** The suppressions among the addresses of its batch. */
  readonly suppressed: FoundSuppressions;
  /** Time of the step, ms since the epoch. */
  readonly ts: number;
}

/** A message with its verdict. */
type Decided = Omit<Prepared, 'resources' | 'suppressed'>;

/** Loads the routing contexts of a batch, decides, and loads the render resources. */
@Injectable()
export class Preparation {
  /** Workspaces whose providers were loaded anew within the last second because a send names an unknown one. */
  private readonly searched = new LRUCache<string, true>({ max: SEARCHED_MAX, ttl: SECOND_MS });

  constructor(
    private readonly content: ContentLoader,
    private readonly client: OperationClient,
    private readonly configurations: ProviderConfigurations,
    private readonly secrets: ProfileSecrets,
    private readonly suppressions: Suppressions,
  ) {}

  /**
   * Results in the order of `items`. Rejects with `unavailable` while another service is unavailable.
   * @param onlyReads nothing is stored for users without a profile
   */
  async prepare(items: readonly PipelineItem[], nowMs: number, onlyReads?: boolean): Promise<Prepared[]> {
    const first = await this.decideOn(items, nowMs, onlyReads);
    const outdated = await this.findOutdated(first);
    const again = await this.decideOn(outdated, nowMs, onlyReads);
    const replaced = new Map(outdated.map((one, index) => [one, again[index]!]));
    const decided = first.map((one) => replaced.get(one) ?? one);
    const suppressed = await this.suppressions.among(
      decided.map((one) => ({ workspaceId: one.request.workspaceId, one })),
      ({ one }) => addressesToTry(one),
    );
    const resources = await this.content.renderResources(
      decided.map(({ request, context, verdict }) => {
        const { workspaceId } = request;
        if (verdict.kind !== 'routes') return { workspaceId, brands: [] };
        const { profiles, tree } = verdict;
        const { locale } = profiles.merged;
        const leaves = tree.leaves.filter((_leaf, number) => tree.states[number] === 'waiting');
        const brands = new Set(leaves.map((leaf) => brandIdOf(settingsOfLeaf(leaf, request, context), request, context)));
        return {
          workspaceId,
          brands: [...brands].filter((id) => id !== null),
          locale: typeof locale === 'string' ? locale : undefined,
        };
      }),
    );
    return decided.map((one, index) => Object.assign(one, { resources: resources[index]!, suppressed }));
  }

  private async decideOn(items: readonly PipelineItem[], nowMs: number, onlyReads?: boolean) {
    const contexts = await this.loadContexts(
      items.map(({ request }) => request),
      onlyReads,
    );
    return items.map(({ request, claimed }, index) => {
      const context = contexts[index]!;
      const ts = Math.max(nowMs, request.requestedAt);
      return { request, claimed, context, ts, ...plan({ request, claimed }, context, ts) };
    });
  }

  /**
   * The messages to decide about once more. Cached templates and providers may be a second old, and a message sent just
   * after its template or provider was created must not end for want of it: before it does, both are loaded anew.
   * While content is unavailable, the cached templates count. Providers are also loaded anew where settings name an unknown one, at most
   * once a second for a workspace, since every send of it may do so.
   */
  private async findOutdated(decided: readonly Decided[]) {
    const endedWithout = (missing: Ended['missing']) =>
      decided.filter(({ verdict }) => verdict.kind === 'ended' && verdict.missing === missing);
    const naming = decided.filter(
      ({ request, context }) => !this.searched.has(request.workspaceId) && unknownProviderWarnings(request, context).length > 0,
    );
    for (const { request } of naming) this.searched.set(request.workspaceId, true);
    const [ofProviders, ofTemplates] = [[...endedWithout('provider'), ...naming], endedWithout('template')];
    const workspaceIds = ofProviders.map(({ request }) => request.workspaceId);
    const keys = ofTemplates.map(({ request, context }) => templateKey(request, context.tenant));
    const [configured, templates] = await Promise.all([
      this.configurations.ofMany(workspaceIds, { anew: true }),
      this.content.templates(keys, { anew: true }).catch((error: unknown) => {
        if (isTransientServiceError(error)) return ofTemplates.map(({ context }) => context.template);
        throw error;
      }),
    ]);
    const outdated = new Set([
      ...ofProviders.filter(({ request, context }) => !isDeepStrictEqual(configured.get(request.workspaceId), context.integrations)),
      ...ofTemplates.filter(({ context }, index) => !isDeepStrictEqual(templates[index], context.template)),
    ]);
    return [...outdated];
  }

  private async loadContexts(requests: readonly MessageRequested[], onlyReads?: boolean) {
    const configured = await this.configurations.ofMany(requests.map(({ workspaceId }) => workspaceId));
    const ownTemplates = await this.content.templates(requests.map((request) => templateKey(request)));
    const parts: RecipientPart[] = ['tenant', 'preferences'];
    if ([...configured.values()].some((providers) => providers.some(({ channel }) => channel === 'push'))) parts.push('tokens');
    const loaded = await loadRecipients(
      this.client,
      requests.map((request, index) => {
        const { workspaceId, userId, tenantId } = request;
        const topicId = topicIdOf(request, ownTemplates[index]);
        // An address without user, tenant and topic has nothing to load.
        if (userId === undefined && tenantId === undefined && topicId === undefined) return undefined;
        return { workspace_id: workspaceId, user_id: userId, tenant_id: tenantId, topic_id: topicId };
      }),
      parts,
      onlyReads,
    );
    const templates = await this.content.templates(requests.map((request, index) => templateKey(request, loaded[index]!.tenant)));
    return requests.map(({ workspaceId }, index) => {
      const openProfile = (profile: JsonObject) => this.secrets.openForCheck(workspaceId, profile);
      const own = this.sealed(workspaceId, loaded[index]!);
      return { template: templates[index], integrations: configured.get(workspaceId) ?? [], openProfile, ...own };
    });
  }

  /** The context with every profile sealed: identity may have stored some in clear, before it had a key. */
  private sealed(workspaceId: string, { recipient, tenant, topic }: RecipientContext): RecipientContext {
    const seal = <Profile extends JsonObject | null | undefined>(profile: Profile) => profile && this.secrets.seal(workspaceId, profile);
    return {
      topic,
      recipient: recipient && { ...recipient, profile: seal(recipient.profile), member_profile: seal(recipient.member_profile) },
      tenant: tenant && { ...tenant, chain: tenant.chain.map((one) => ({ ...one, user_profile: seal(one.user_profile) })) },
    };
  }
}

/**
 * The template of a message in its tenant: the one it names, else the only one of its user. A user with a single tenant is addressed as
 * its member, and that tenant may override the template.
 */
function templateKey({ workspaceId, template, tenantId }: MessageRequested, ofUser?: LoadedTenant) {
  return template === undefined ? undefined : { workspace_id: workspaceId, template, tenant_id: tenantId ?? ofUser?.tenant_id };
}
