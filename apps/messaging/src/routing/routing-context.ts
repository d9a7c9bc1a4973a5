import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { LoadedRecipient, LoadedTenant, LoadedTopic } from '@tidings/contracts/identity/recipients';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { PreferenceInput } from '@tidings/preferences/input';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { mergedProfile } from '../store/history-row';

/** What is known of one message's recipient, context and template when it is decided about. */
export interface RoutingContext {
  /** `null`: the send names a template that does not exist. Absent: it has content of its own. */
  template?: LoadedTemplate | null;
  /** Absent where the send names an address and no user. */
  recipient?: LoadedRecipient;
  /** The tenant in whose context the message is sent, with those above it. */
  tenant?: LoadedTenant;
  /** What the message is about, where the workspace has that topic. */
  topic?: LoadedTopic;
  /** Configured providers of the workspace, the one to try first first. */
  integrations: readonly ProviderConfiguration[];
}

/** The profiles a message is made with. */
export interface Profiles {
  /** Of the tenants from the root down, of the user, and of the user in the tenant; what is later in this list wins. */
  stored: JsonObject;
  /** With what the send gives on top. */
  merged: JsonObject;
}

/** What a message can be about: the topic it names, else that of its template. */
export function topicIdOf({ topicId }: MessageRequested, template: LoadedTemplate | null | undefined): string | undefined {
  return topicId ?? template?.topic_id ?? undefined;
}

/** A profile given with a send may take fields away with `null`; what is stored cannot. */
export function profilesOf(request: MessageRequested, { recipient, tenant }: RoutingContext): Profiles {
  const layers = [...(tenant?.chain ?? []).map(({ user_profile }) => user_profile), recipient?.profile, recipient?.member_profile];
  const stored = layers.reduce<JsonObject>((below, layer) => (layer ? deepMerge(below, layer) : below), {});
  return { stored, merged: mergedProfile(stored, request.profile) };
}

/** What variables see as `tenant`: the tenant itself with the properties of those above it. Undefined without a context. */
export function tenantVariables({ tenant }: RoutingContext): JsonObject | undefined {
  const own = tenant?.chain.at(-1);
  if (!tenant || !own) return undefined;
  const properties = tenant.chain.reduce<JsonObject>((above, one) => deepMerge(above, one.properties ?? {}), {});
  return { id: own.tenant_id, tenant_id: own.tenant_id, name: own.name, properties, ...properties };
}

/** The brand of the tenant context: the nearest tenant's that has one. */
export function tenantBrand({ tenant }: RoutingContext): string | undefined {
  return tenant?.chain.findLast(({ brand_id }) => brand_id !== null)?.brand_id ?? undefined;
}

/** Everything that was said about whether the recipient wants the message. */
export function preferenceInput(request: MessageRequested, known: RoutingContext, now: number): PreferenceInput {
  const { template, recipient, tenant, topic } = known;
  const topicId = topicIdOf(request, template);
  const context = tenant?.chain.at(-1);
  const nameOf = (id: string): string | undefined => tenant?.chain.find(({ tenant_id }) => tenant_id === id)?.name;
  return {
    now,
    notificationId: template?.notification_id,
    topic:
      topicId === undefined
        ? null
        : { id: topicId, ...(topic && { name: topic.name, categoryId: topic.section_id, defaultStatus: topic.default_status }) },
    userId: request.userId,
    tenant: context ? { id: context.tenant_id, name: context.name } : null,
    send: request.preferences,
    choiceInTenant: context && recipient?.choices?.find((choice) => choice.topic_id === topicId && choice.tenant_id === context.tenant_id),
    choice: recipient?.choices?.find((choice) => choice.topic_id === topicId && choice.tenant_id === null),
    recipient: recipient?.preferences,
    tenantDefaults: tenant?.defaults
      .filter((one) => one.topic_id === topicId)
      .map((one) => ({ ...one, tenant: { id: one.tenant_id, name: nameOf(one.tenant_id) } })),
    list: request.list ? { id: request.list.id, preferences: request.list.preferences } : null,
    subscription: request.list?.subscription,
  };
}

/** Settings by channel or provider: those of the send over those of the template. */
export function settingsOf<Settings extends object>(
  ofTemplate: Record<string, Settings> | undefined,
  ofSend: Record<string, Settings> | undefined,
): Record<string, Settings> {
  if (!ofSend) return ofTemplate ?? {};
  if (!ofTemplate || !isJsonObject(ofTemplate)) return ofSend;
  // What is `null` stays so: in the body of an override it is for the provider's own request.
  return deepMerge(ofTemplate, ofSend) as Record<string, Settings>;
}
