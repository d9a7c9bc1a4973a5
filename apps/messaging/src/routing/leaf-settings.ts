import type { ChannelSettings, ProviderSettings } from '@tidings/contracts/content/routing';
import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Utm } from '@tidings/rendering/urls';
import { type RoutingContext, settingsOf, tenantBrand } from './routing-context';
import type { Leaf } from './tree/routing-tree';

/** What send and template say of one leaf. */
export interface LeafSettings {
  readonly channel: ChannelSettings;
  readonly provider: ProviderSettings;
}

/** Settings of a provider may stand under any of its names; what is more exact wins. */
export function settingsOfLeaf(leaf: Leaf, request: MessageRequested, known: RoutingContext): LeafSettings {
  const { template } = known;
  const providers = settingsOf(template?.providers, request.providers);
  const named = providerNames(leaf, known).flatMap((name) => providers[name] ?? []);
  return {
    channel: settingsOf(template?.channels, request.channels)[leaf.channel] ?? {},
    provider: named.reduceRight<JsonObject>((below, one) => deepMerge(below, one as JsonObject), {}),
  };
}

/** What the provider of a leaf is called, the most exact name first: the id of its configuration, its alias, the key of its kind. */
export function providerNames({ integration, provider }: Leaf, { integrations }: RoutingContext): string[] {
  const alias = integrations.find(({ id }) => id === integration)?.alias;
  return [integration, alias, provider].filter((name) => name !== undefined);
}

/** The brand a leaf is rendered with: `null`: none; undefined: the default one. */
export function brandIdOf({ channel, provider }: LeafSettings, { brandId }: MessageRequested, known: RoutingContext): string | null | undefined {
  const own = [provider.brand_id, channel.brand_id].find((id) => typeof id === 'string' && id !== '') as string | undefined;
  const ofTemplate = known.template?.brand;
  if (own !== undefined || brandId !== undefined) return own ?? brandId;
  return ofTemplate === null ? null : (ofTemplate ?? tenantBrand(known));
}

/** What links of a leaf carry: each name as the provider's settings give it, else the channel's, else the message's. */
export function utmOf({ channel, provider }: LeafSettings, { utm }: MessageRequested): Utm | undefined {
  const layers = [utm, channel.metadata?.utm, provider.metadata?.utm].filter(isJsonObject);
  return layers.length > 0 ? (Object.assign({}, ...layers) as Utm) : undefined;
}

/** The override of the channel under that of the provider. */
export function overridesOf({ channel, provider }: LeafSettings): { channel: JsonObject; provider: JsonObject } {
  return { channel: channel.override ?? {}, provider: provider.override ?? {} };
}
