import type { ChannelSettings, ProviderSettings } from '@tidings/contracts/content/routing';
import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { LoadedRecipient, LoadedTenant, LoadedTopic } from '@tidings/contracts/identity/recipients';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { PreferenceInput } from '@tidings/preferences/input';
import type { Utm } from '@tidings/rendering/urls';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { mergedProfile } from '../record/stored-events';
import type { Leaf } from '../record/routing-tree';

/** Input of one routing decision: recipient, tenant context, template and providers of a message. */
export interface RoutingContext {
  /** `null`: the send names a template that does not exist. Absent: the send has its own content. */
  template?: LoadedTemplate | null;
  /** Absent where the send names an address and no user. */
  recipient?: LoadedRecipient;
  /** The tenant in whose context the message is sent, with its ancestors. */
  tenant?: LoadedTenant;
  /** The topic of the message, where it exists in the workspace. */
  topic?: LoadedTopic;
  /** Configured providers of the workspace, in the order they are tried. */
  integrations: readonly ProviderConfiguration[];
  /** Opens the sealed credentials of a profile, for a check of their form. Absent: none is sealed. */
  openProfile?: (profile: JsonObject) => JsonObject;
}

/** The profiles of a message. */
export interface Profiles {
  /** Merged from the tenants (root first), the user, and the user in the tenant; later profiles override earlier ones. */
  stored: JsonObject;
  /** `stored`, overridden by the profile of the send. */
  merged: JsonObject;
}

/** The topic of a message: the one the send names, else that of the template. */
export function topicIdOf({ topicId }: MessageRequested, template: LoadedTemplate | null | undefined): string | undefined {
  return topicId ?? template?.topic_id ?? undefined;
}

/** The stored and the merged profile. A `null` in the profile of the send removes a field; a stored `null` does not. */
export function profilesOf(request: MessageRequested, { recipient, tenant }: RoutingContext): Profiles {
  const layers = [...(tenant?.chain ?? []).map(({ user_profile }) => user_profile), recipient?.profile, recipient?.member_profile];
  const [first = {}, ...others] = layers.filter(isJsonObject);
  const stored = others.reduce((below, layer) => deepMerge(below, layer), first);
  return { stored, merged: mergedProfile(stored, request.profile) };
}

/** The variable `tenant`: the tenant with the properties of its ancestors. Undefined without a tenant context. */
export function tenantVariables({ tenant }: RoutingContext): JsonObject | undefined {
  const own = tenant?.chain.at(-1);
  if (!tenant || !own) return undefined;
  const properties = tenant.chain.reduce<JsonObject>((above, one) => deepMerge(above, one.properties ?? {}), {});
  return { id: own.tenant_id, tenant_id: own.tenant_id, name: own.name, properties, ...properties };
}

/** The brand of the tenant context: that of the nearest tenant with a brand. */
export function tenantBrand({ tenant }: RoutingContext): string | undefined {
  return tenant?.chain.findLast(({ brand_id }) => brand_id !== null)?.brand_id ?? undefined;
}

/** All preferences that apply to the message. `now`: ms since the epoch. */
export function preferenceInput(request: MessageRequested, context: RoutingContext, now: number): PreferenceInput {
  const { template, recipient, tenant, topic } = context;
  const topicId = topicIdOf(request, template);
  const ownTenant = tenant?.chain.at(-1);
  const choiceIn = (tenantId: string | null) =>
    recipient?.choices?.find((choice) => choice.topic_id === topicId && choice.tenant_id === tenantId);
  const nameOf = (id: string) => tenant?.chain.find(({ tenant_id }) => tenant_id === id)?.name;
  return {
    now,
    notificationId: template?.notification_id,
    notificationAlias: template?.alias,
    topic:
      topicId === undefined
        ? null
        : { id: topicId, ...(topic && { name: topic.name, categoryId: topic.section_id, defaultStatus: topic.default_status }) },
    userId: request.userId,
    tenant: ownTenant ? { id: ownTenant.tenant_id, name: ownTenant.name } : null,
    send: request.preferences,
    choiceInTenant: ownTenant && choiceIn(ownTenant.tenant_id),
    choice: choiceIn(null),
    recipient: recipient?.preferences,
    tenantDefaults: tenant?.defaults
      .filter((one) => one.topic_id === topicId)
      .map((one) => ({ ...one, tenant: { id: one.tenant_id, name: nameOf(one.tenant_id) } })),
    list: request.list ? { id: request.list.id, preferences: request.list.preferences } : null,
    subscription: request.list?.subscription,
  };
}

/** Settings by channel or provider: those of the send override those of the template. */
export function settingsOf<Settings extends object>(
  ofTemplate: Record<string, Settings> | undefined,
  ofSend: Record<string, Settings> | undefined,
): Record<string, Settings> {
  if (!ofSend) return ofTemplate ?? {};
  if (!isJsonObject(ofTemplate)) return ofSend;
  // `null` stays: in the body of an override it applies to the provider's own request.
  return deepMerge(ofTemplate, ofSend) as Record<string, Settings>;
}

/** Settings of one leaf, from the send and the template. */
export interface LeafSettings {
  readonly channel: ChannelSettings;
  readonly provider: ProviderSettings;
}

/** The settings of a leaf. Provider settings may use any name of the provider; the more specific name overrides. */
export function settingsOfLeaf(leaf: Leaf, request: MessageRequested, context: RoutingContext): LeafSettings {
  const { template } = context;
  const providers = settingsOf(template?.providers, request.providers);
  const named = providerNames(leaf, context).flatMap((name) => providers[name] ?? []);
  return {
    channel: settingsOf(template?.channels, request.channels)[leaf.channel] ?? {},
    provider: named.reduceRight<JsonObject>((below, one) => deepMerge(below, one as JsonObject), {}),
  };
}

/** The configuration with this id; undefined where it was removed after the routes were planned. */
export function configurationOf(integration: string, { integrations }: RoutingContext): ProviderConfiguration | undefined {
  return integrations.find(({ id }) => id === integration);
}

/** Names of the provider of a leaf, the most specific first: configuration id, alias, provider key. */
export function providerNames({ integration, provider }: Leaf, context: RoutingContext): string[] {
  return [integration, configurationOf(integration, context)?.alias, provider].filter((name) => name !== undefined);
}

/** Id of the brand that renders a leaf; `null`: no brand; undefined: the default brand. */
export function brandIdOf(
  { channel, provider }: LeafSettings,
  { brandId }: MessageRequested,
  context: RoutingContext,
): string | null | undefined {
  const own = [provider.brand_id, channel.brand_id].find((id) => typeof id === 'string' && id !== '') as string | undefined;
  const ofTemplate = context.template?.brand;
  const given = own ?? brandId ?? ofTemplate;
  return given === undefined ? tenantBrand(context) : given;
}

/** UTM parameters of the links of a leaf: each from the provider's settings, else the channel's, else the message's. */
export function utmOf({ channel, provider }: LeafSettings, { utm }: MessageRequested): Utm | undefined {
  const layers = [utm, channel.metadata?.utm, provider.metadata?.utm].filter(isJsonObject);
  return layers.length > 0 ? (Object.assign({}, ...layers) as Utm) : undefined;
}

/** The overrides of the channel, then of the provider. */
export function overridesOf({ channel, provider }: LeafSettings): JsonObject[] {
  return [channel.override, provider.override].filter(isJsonObject);
}
