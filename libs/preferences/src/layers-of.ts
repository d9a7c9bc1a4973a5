import {
  CHANNEL_CLASSES,
  type ChannelClass,
  PREFERENCE_STATUSES,
  type PreferenceDetails,
  type PreferenceStatus,
  type RecipientPreferences,
} from '@tidings/contracts/core/preferences';
import type { Named, PreferenceInput, TopicChoice } from './input';
import type { PreferenceLayer } from './layers';

/** Where a layer comes from. */
type Origin = Pick<PreferenceLayer, 'source' | 'name'>;
type MapForm = RecipientPreferences | null | undefined;

/**
 * The layers that apply to a message, by precedence. The user's map entry for the notification is more specific than the choice for
 * its topic, which is more specific than the map's categories.
 */
export function layersOf(input: PreferenceInput): readonly PreferenceLayer[] {
  const { topic, tenant, list, userId, recipient, tenantDefaults, subscription } = input;
  const sent = ofMap({ source: 'send' }, input, input.send);
  if (!userId) return sent.filter(isDefined);
  return [
    ...sent,
    ...(topic && tenant ? ofChoice({ source: 'user-in-tenant', name: nameOf(tenant) }, input.choiceInTenant) : []),
    ...ofNotification({ source: 'user' }, input, recipient),
    ...(topic ? ofChoice({ source: 'user' }, input.choice) : []),
    ...ofCategories({ source: 'user' }, input, recipient),
    ...((topic && tenant && tenantDefaults) || []).flatMap((one) => ofChoice({ source: 'tenant-default', name: nameOf(one.tenant) }, one)),
    ...ofMap({ source: 'subscription', name: list ? nameOf(list) : undefined }, input, subscription),
    ...(list ? ofMap({ source: 'list', name: nameOf(list) }, input, list.preferences) : []),
    ...(topic ? [{ source: 'topic-default' as const, name: nameOf(topic), status: statusOf(topic.defaultStatus) }] : []),
  ].filter(isDefined);
}

function ofMap(origin: Origin, input: PreferenceInput, map: MapForm): PreferenceLayer[] {
  return [...ofNotification(origin, input, map), ...ofCategories(origin, input, map)];
}

function ofNotification(origin: Origin, { notificationId }: PreferenceInput, map: MapForm): PreferenceLayer[] {
  return ofEntry(origin, map?.notifications, notificationId);
}

function ofCategories(origin: Origin, { topic }: PreferenceInput, map: MapForm): PreferenceLayer[] {
  return [...ofEntry(origin, map?.categories, topic?.id), ...ofEntry(origin, map?.categories, topic?.categoryId)];
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

function isDefined({ status, channels, rules }: PreferenceLayer): boolean {
  return status !== undefined || channels !== undefined || rules !== undefined;
}

function statusOf(status: unknown): PreferenceStatus | undefined {
  return PREFERENCE_STATUSES.find((value) => value === status);
}

/** The known channels among `names`. A choice of unknown channels only allows none: it is still a choice. */
function channelsIn(names: readonly unknown[]): ChannelClass[] {
  return CHANNEL_CLASSES.filter((channel) => names.includes(channel));
}

function nameOf({ id, name }: Named): string {
  return name ?? id;
}
