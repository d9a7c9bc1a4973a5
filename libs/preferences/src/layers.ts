import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { PreferenceRule, PreferenceStatus } from '@tidings/contracts/core/preferences';

/** Where a preference was said, from what counts most to what counts least. */
const PREFERENCE_SOURCES = ['send', 'user-in-tenant', 'user', 'tenant-default', 'subscription', 'list', 'topic-default'] as const;
export type PreferenceSource = (typeof PREFERENCE_SOURCES)[number];

const RANK = Object.fromEntries(PREFERENCE_SOURCES.map((source, rank) => [source, rank])) as Record<PreferenceSource, number>;

/** What was said in one place about one topic or notification. What is absent, the layers below say. */
export interface PreferenceLayer {
  source: PreferenceSource;
  /** In words a person understands: which tenant, list or topic said it. */
  name?: string;
  status?: PreferenceStatus;
  /** The only channels allowed; present only where somebody chose channels. */
  channels?: readonly ChannelClass[];
  rules?: readonly PreferenceRule[];
}

/** Of each field the highest layer that defines it. */
export interface EffectivePreference {
  status?: { value: PreferenceStatus; from: PreferenceLayer };
  channels?: { value: readonly ChannelClass[]; from: PreferenceLayer };
  rules?: { value: readonly PreferenceRule[]; from: PreferenceLayer };
  /**
   * A default, of the topic or of a tenant, that nobody can opt out of. Of a tenant and its parents the one nearest to the user
   * counts: a child that says something else has replaced what its parent required.
   */
  required: boolean;
}

/** @param layers in any order; of two with one source (tenant defaults, leaf first), the earlier counts more. */
export function effectivePreference(layers: readonly PreferenceLayer[]): EffectivePreference {
  const status = highest(layers, 'status');
  const channels = highest(layers, 'channels');
  const rules = highest(layers, 'rules');
  return {
    status: status && { value: status.status!, from: status },
    channels: channels && { value: channels.channels!, from: channels },
    rules: rules && { value: rules.rules!, from: rules },
    required: defaultIsRequired(layers, 'topic-default') || defaultIsRequired(layers, 'tenant-default'),
  };
}

/** Layers are few, and this runs once per recipient: looking through them is cheaper than sorting a copy. */
function highest(layers: readonly PreferenceLayer[], field: 'status' | 'channels' | 'rules'): PreferenceLayer | undefined {
  let found: PreferenceLayer | undefined;
  for (const layer of layers) {
    if (layer[field] !== undefined && (!found || RANK[layer.source] < RANK[found.source])) found = layer;
  }
  return found;
}

function defaultIsRequired(layers: readonly PreferenceLayer[], source: PreferenceSource): boolean {
  for (const layer of layers) {
    if (layer.source === source && layer.status !== undefined) return layer.status === 'REQUIRED';
  }
  return false;
}
