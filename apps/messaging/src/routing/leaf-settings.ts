import type { ChannelSettings, ProviderSettings } from '@tidings/contracts/content/routing';
import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Utm } from '@tidings/rendering/urls';
import { type RoutingContext, settingsOf, tenantBrand } from './routing-context';
import type { Leaf } from './tree/routing-tree';

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

/** Names of the provider of a leaf, the most specific first: configuration id, alias, provider key. */
export function providerNames({ integration, provider }: Leaf, { integrations }: RoutingContext): string[] {
  const alias = integrations.find(({ id }) => id === integration)?.alias;
  return [integration, alias, provider].filter((name) => name !== undefined);
}

/** Id of the brand that renders a leaf; `null`: no brand; undefined: the default brand. */
export function brandIdOf(
  { channel, provider }: LeafSettings,
  { brandId }: MessageRequested,
  context: RoutingContext,
): string | null | undefined {
  const own = [provider.brand_id, channel.brand_id].find((id) => typeof id === 'string' && id !== '') as string | undefined;
  const ofTemplate = context.template?.brand;
  if (own !== undefined || brandId !== undefined) return own ?? brandId;
  return ofTemplate === null ? null : (ofTemplate ?? tenantBrand(context));
}

/** UTM parameters of the links of a leaf: each from the provider's settings, else the channel's, else the message's. */
export function utmOf({ channel, provider }: LeafSettings, { utm }: MessageRequested): Utm | undefined {
  const layers = [utm, channel.metadata?.utm, provider.metadata?.utm].filter(isJsonObject);
  return layers.length > 0 ? (Object.assign({}, ...layers) as Utm) : undefined;
}

/** The overrides of the channel, then of the provider. */
export function overridesOf({ channel, provider }: LeafSettings): JsonObject[] {
  return [channel.override ?? {}, provider.override ?? {}];
}
