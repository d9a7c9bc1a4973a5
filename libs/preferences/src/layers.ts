import type { ChannelClass, PreferenceRule, PreferenceStatus } from '@tidings/contracts/core/preferences';

/** Sources of preferences, by precedence. */
const PREFERENCE_SOURCES = ['send', 'user-in-tenant', 'user', 'tenant-default', 'subscription', 'list', 'topic-default'] as const;
export type PreferenceSource = (typeof PREFERENCE_SOURCES)[number];

const RANK = Object.fromEntries(PREFERENCE_SOURCES.map((source, rank) => [source, rank])) as Record<PreferenceSource, number>;

/** The preference of one source for one topic or notification. Absent fields come from the layers below. */
export interface PreferenceLayer {
  source: PreferenceSource;
  /** Readable name of the tenant, list or topic of the source. */
  name?: string;
  status?: PreferenceStatus;
  /** The only allowed channels; absent without a choice of channels. */
  channels?: readonly ChannelClass[];
  rules?: readonly PreferenceRule[];
}

/** Each field from the highest layer that defines it. */
export interface EffectivePreference {
  status?: { value: PreferenceStatus; from: PreferenceLayer };
  channels?: { value: readonly ChannelClass[]; from: PreferenceLayer };
  rules?: { value: readonly PreferenceRule[]; from: PreferenceLayer };
  /**
   * Whether a default, of the topic or of a tenant, forbids opting out. Of a tenant and its parents the nearest to the user counts: a
   * child with another default overrides the requirement of its parent.
   */
  required: boolean;
}

/** @param layers in any order; of two with the same source (tenant defaults, leaf first) the earlier takes precedence. */
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

/** Layers are few, and this runs once per recipient: a linear search is cheaper than sorting a copy. */
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
