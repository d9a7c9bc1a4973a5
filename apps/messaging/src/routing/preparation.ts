import { Injectable } from '@nestjs/common';
import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { RecipientPart } from '@tidings/contracts/identity/recipients';
import { ContentLoader, type RenderResources } from '../content/content-loader';
import { type ProviderConfiguration, ProviderConfigurations } from '../providers/provider-configurations';
import type { LeafRecord } from '../store/leaf-record';
import type { Stage } from '../store/step';
import { type Decision, decide, type Ended, type Verdict } from './decide';
import { type RoutingContext, type Profiles, topicIdOf } from './routing-context';
import { brandIdOf, settingsOfLeaf } from './leaf-settings';
import { Recipients } from './recipients';
import type { Escalation } from '@tidings/contracts/messaging/timing/timeouts';
import type { RoutingTree } from './tree/routing-tree';

/** A message that was stored before and is taken up again. */
export interface ClaimedMessage {
  /** Under which its next step counts. */
  readonly generation: number;
  readonly stage: Stage;
  /** As it is stored. */
  readonly status: MessageStatus;
  /** Its delay is over. */
  readonly isDue: boolean;
  /**
   * From `routed` on: its ways as they stand at this time, the ends of its leaves so far, the profiles it was routed with, and
   * for how long a reaction to what was sent is still waited for.
   */
  readonly routed?: {
    readonly tree: RoutingTree;
    readonly records: readonly LeafRecord[];
    readonly profiles: Profiles;
    readonly escalation?: Escalation;
  };
}

/** A message as the pipeline takes it up. */
export interface PipelineItem {
  readonly request: MessageRequested;
  /** Absent: it is not stored yet. */
  readonly taken?: ClaimedMessage;
}

/** A message that was decided about, with all that is needed to render it. */
export interface Prepared extends PipelineItem {
  readonly known: RoutingContext;
  readonly verdict: Verdict;
  readonly events: readonly HistoryEvent[];
  readonly voice: RenderResources;
  /** Time of the step, ms since the epoch. */
  readonly ts: number;
}

/** A message that was decided about. */
type Decided = Omit<Prepared, 'voice'>;

const ALWAYS: readonly RecipientPart[] = ['tenant', 'preferences'];

/** Looks up, for whole batches, what decisions depend on, and decides. */
@Injectable()
export class Preparation {
  constructor(
    private readonly contents: ContentLoader,
    private readonly recipients: Recipients,
    private readonly configurations: ProviderConfigurations,
  ) {}

  /** In the order given. Rejects with `unavailable` while another service cannot answer. */
  async prepare(works: readonly PipelineItem[], nowMs: number): Promise<Prepared[]> {
    const decided = await this.decideOn(works, nowMs);
    const overtaken = await this.overtaken(decided);
    const again = await this.decideOn(
      overtaken.map((place) => works[place]!),
      nowMs,
    );
    overtaken.forEach((place, index) => (decided[place] = again[index]!));
    const voices = await this.contents.voices(
      decided.map(({ request, known: one, verdict }) => {
        if (verdict.kind !== 'ways') return { workspaceId: request.workspaceId, brands: [] };
        const { locale } = verdict.profiles.merged;
        const brands = verdict.tree.leaves.map((leaf) => brandIdOf(settingsOfLeaf(leaf, request, one), request, one));
        return {
          workspaceId: request.workspaceId,
          brands: [...new Set(brands)].filter((id) => id !== null),
          ...(typeof locale === 'string' && { locale }),
        };
      }),
    );
    return decided.map((one, index) => ({ ...one, voice: voices[index]! }));
  }

  private async decideOn(works: readonly PipelineItem[], nowMs: number): Promise<Decided[]> {
    if (works.length === 0) return [];
    const known = await this.learn(works.map(({ request }) => request));
    return works.map((work, index) => {
      const ts = Math.max(nowMs, work.request.requestedAt);
      return { ...work, known: known[index]!, ts, ...decisionOn(work, known[index]!, ts) };
    });
  }

  /**
   * The places of messages that are to be decided about once more. What is remembered of templates and providers may be a second old, and
   * whoever configures something and sends at once must not be told that it is not there: before a message ends so, it is asked anew.
   * While content cannot answer, what is remembered of templates counts.
   */
  private async overtaken(decided: readonly Decided[]): Promise<number[]> {
    const lacking = (want: Ended['want']) =>
      decided.flatMap(({ verdict, ...one }, place) => (verdict.kind === 'ended' && verdict.want === want ? [{ ...one, place }] : []));
    const [ofProviders, ofTemplates] = [lacking('provider'), lacking('template')];
    if (ofProviders.length === 0 && ofTemplates.length === 0) return [];
    const anew = { anew: true };
    const workspaceIds = ofProviders.map(({ request }) => request.workspaceId);
    const keys = ofTemplates.map(({ request, known }) => templateKey(request, contextOf(request, known)));
    const [configured, templates] = await Promise.all([
      this.configurations.ofMany(workspaceIds, anew),
      this.contents.templates(keys, anew).catch((error: unknown) => {
        if (isTransientServiceError(error)) return ofTemplates.map(({ known }) => known.template);
        throw error;
      }),
    ]);
    return [
      ...ofProviders.filter(({ request, known }) => !areSame(configured.get(request.workspaceId) ?? [], known.integrations)),
      ...ofTemplates.filter(({ known }, index) => !isSame(templates[index], known.template)),
    ].map(({ place }) => place);
  }

  private async learn(requests: readonly MessageRequested[]): Promise<RoutingContext[]> {
    const configured = await this.configurations.ofMany(requests.map(({ workspaceId }) => workspaceId));
    const first = await this.contents.templates(requests.map((request) => templateKey(request, request.tenantId)));
    const pushes = [...configured.values()].some((providers) => providers.some(({ channel }) => channel === 'push'));
    const loaded = await this.recipients.load(
      requests.map((request, index) => {
        const { workspaceId, userId, tenantId } = request;
        const topicId = topicIdOf(request, first[index]);
        // Of a bare address there is nothing to know but its context.
        if (userId === undefined && tenantId === undefined && topicId === undefined) return undefined;
        return {
          workspace_id: workspaceId,
          ...(userId !== undefined && { user_id: userId }),
          ...(tenantId !== undefined && { tenant_id: tenantId }),
          ...(topicId !== undefined && { topic_id: topicId }),
        };
      }),
      pushes ? [...ALWAYS, 'tokens'] : ALWAYS,
    );
    // A user of one tenant alone is written to as its member, and it may have a template of its own.
    const templates = await this.contents.templates(
      requests.map((request, index) => templateKey(request, contextOf(request, loaded[index]!))),
    );
    return requests.map(({ workspaceId }, index) => {
      const template = templates[index];
      return { ...loaded[index]!, ...(template !== undefined && { template }), integrations: configured.get(workspaceId) ?? [] };
    });
  }
}

function isSame(one: LoadedTemplate | null | undefined, other: LoadedTemplate | null | undefined): boolean {
  return one?.notification_id === other?.notification_id && one?.version === other?.version;
}

function areSame(some: readonly ProviderConfiguration[], others: readonly ProviderConfiguration[]): boolean {
  return (
    some.length === others.length && some.every(({ id, version }, index) => id === others[index]!.id && version === others[index]!.version)
  );
}

/** The tenant in whose context a message is: the one it names, else the only one of its user. */
function contextOf({ tenantId }: MessageRequested, { tenant }: Pick<RoutingContext, 'tenant'>): string | undefined {
  return tenantId ?? tenant?.tenant_id;
}

function templateKey({ workspaceId, template }: MessageRequested, tenantId: string | undefined) {
  if (template === undefined) return undefined;
  return { workspace_id: workspaceId, template, ...(tenantId !== undefined && { tenant_id: tenantId }) };
}

function decisionOn({ request, taken }: PipelineItem, known: RoutingContext, ts: number): Decision {
  const routed = taken?.routed;
  if (!routed) return decide(request, known, { isDue: taken?.isDue ?? false, isStored: taken !== undefined, ts });
  const content = known.template === undefined ? request.content : known.template?.content;
  // Its template was taken back meanwhile: what is left of its ways has nothing to say.
  if (!content) return { events: [], verdict: { kind: 'spent', tree: routed.tree } };
  return { events: [], verdict: { kind: 'ways', content, profiles: routed.profiles, tree: routed.tree } };
}
