import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import {
  PREFERENCE_STATUSES,
  type PreferenceDetails,
  type PreferenceRule,
  type PreferenceStatus,
  type RecipientPreferences,
} from '@tidings/contracts/core/preferences';
import type { PreferenceSource } from '@tidings/contracts/messaging/decisions';
import type { Named, PreferenceInput, TopicChoice } from './input';

/** The preference of one source for one topic or notification. Absent fields come from the layers below. */
export interface PreferenceLayer {
  source: PreferenceSource;
  /** Id of the tenant, list or topic of the source. */
  id?: string;
  /** Its readable name. */
  name?: string;
  status?: PreferenceStatus;
  /** The only allowed channels; absent without a choice of channels. */
  channels?: readonly ChannelClass[];
  rules?: readonly PreferenceRule[];
}

/** Each field from the highest layer that defines it; absent where none does. */
export interface EffectivePreference {
  statusFrom?: PreferenceLayer;
  channelsFrom?: PreferenceLayer;
  rulesFrom?: PreferenceLayer;
  /**
   * Whether a default, of the topic or of a tenant, forbids opting out. Of a tenant and its parents the nearest to the user counts: a
   * child with another default overrides the requirement of its parent.
   */
  required: boolean;
  /** That default. */
  requiredBy?: PreferenceLayer;
}

/** Combines the preferences of all sources of a send. Pure. */
export function effectivePreference(input: PreferenceInput): EffectivePreference {
  const layers = layersOf(input);
  const highest = (field: keyof PreferenceLayer) => layers.find((layer) => layer[field] !== undefined);
  const requiring = (source: PreferenceSource) => {
    const nearest = layers.find((layer) => layer.source === source && layer.status !== undefined);
    return nearest?.status === 'REQUIRED' ? nearest : undefined;
  };
  const requiredBy = requiring('topic-default') ?? requiring('tenant-default');
  return {
    statusFrom: highest('status'),
    channelsFrom: highest('channels'),
    rulesFrom: highest('rules'),
    required: requiredBy !== undefined,
    requiredBy,
  };
}

/** Where a layer comes from. */
type Origin = Pick<PreferenceLayer, 'source' | 'id' | 'name'>;
type MapForm = RecipientPreferences | null | undefined;

/**
 * The layers that apply to a message, by precedence. The user's map entry for the notification is more specific than the choice for
 * its topic, which is more specific than the map's categories. A notification has one entry in a map: that under its id, else under its
 * alias.
 */
export function layersOf(input: PreferenceInput): readonly PreferenceLayer[] {
  const { topic, tenant, list, userId, recipient, tenantDefaults, subscription } = input;
  const ofNotification = (origin: Origin, map: MapForm) => {
    const ofId = ofEntry(origin, map?.notifications, input.notificationId);
    return ofId.length > 0 ? ofId : ofEntry(origin, map?.notifications, input.notificationAlias);
  };
  const ofCategories = (origin: Origin, map: MapForm) =>
    [topic?.id, topic?.categoryId].flatMap((id) => ofEntry(origin, map?.categories, id));
  const ofMap = (origin: Origin, map: MapForm) => [...ofNotification(origin, map), ...ofCategories(origin, map)];
  const sent = ofMap({ source: 'send' }, input.send);
  if (!userId) return sent.filter(isDefined);
  return [
    ...sent,
    ...ofChoice({ source: 'user-in-tenant', ...namesOf(tenant) }, topic && tenant && input.choiceInTenant),
    ...ofNotification({ source: 'user' }, recipient),
    ...ofChoice({ source: 'user' }, topic && input.choice),
    ...ofCategories({ source: 'user' }, recipient),
    ...((topic && tenant && tenantDefaults) || []).flatMap((one) => ofChoice({ source: 'tenant-default', ...namesOf(one.tenant) }, one)),
    ...ofMap({ source: 'subscription', ...namesOf(list) }, subscription),
    ...ofMap({ source: 'list', ...namesOf(list) }, list?.preferences),
    { source: 'topic-default' as const, ...namesOf(topic), status: statusOf(topic?.defaultStatus) },
  ].filter(isDefined);
}

/**
 * Reads own properties only: ids come from clients, and a template may be called `constructor`. An empty `channel_preferences` chooses
 * nothing: in the map form it means that all channels are allowed.
 */
function ofEntry(origin: Origin, entries: RecipientPreferences['notifications'], id: string | null | undefined): PreferenceLayer[] {
  if (!id || !entries || typeof entries !== 'object' || !Object.hasOwn(entries, id)) return [];
  const entry: unknown = entries[id];
  if (entry === null || typeof entry !== 'object') return [];
  const { status, channel_preferences: chosen, rules } = entry as PreferenceDetails;
  const channels = Array.isArray(chosen) && chosen.length > 0 ? channelsIn(chosen.map((one) => one?.channel)) : undefined;
  return [{ ...origin, status: statusOf(status), channels, rules: Array.isArray(rules) ? rules : undefined }];
}

/** With `has_custom_routing` an empty `custom_routing` is a choice: no channel at all. */
function ofChoice(origin: Origin, choice: TopicChoice | null | undefined): PreferenceLayer[] {
  if (!choice) return [];
  const { status, has_custom_routing: chosen, custom_routing: routing } = choice;
  const channels = chosen === true && Array.isArray(routing) ? channelsIn(routing) : undefined;
  return [{ ...origin, status: statusOf(status), channels }];
}

function isDefined({ status, channels, rules }: PreferenceLayer) {
  return status !== undefined || channels !== undefined || rules !== undefined;
}

function statusOf(status: unknown) {
  return PREFERENCE_STATUSES.find((value) => value === status);
}

/** The known channels among `names`. A choice of unknown channels only allows none: it is still a choice. */
function channelsIn(names: readonly unknown[]) {
  return CHANNEL_CLASSES.filter((channel) => names.includes(channel));
}

function namesOf(named: Named | null | undefined) {
  return { id: named?.id, name: named?.name ?? named?.id };
}
