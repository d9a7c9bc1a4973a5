import { CHANNEL_CLASSES, type ChannelClass } from '@tidings/contracts/core/channels';
import {
  PREFERENCE_STATUSES,
  type PreferenceDetails,
  type PreferenceStatus,
  type RecipientPreferences,
} from '@tidings/contracts/core/preferences';
import type { Named, PreferenceInput, TopicChoice } from './input';
import type { PreferenceLayer, PreferenceSource } from './layers';

/**
 * The layers that apply to a message, by precedence. The user's map entry for the notification is more specific than the choice for
 * its topic, which is more specific than the map's categories.
 */
export function layersOf(input: PreferenceInput): readonly PreferenceLayer[] {
  const layers: PreferenceLayer[] = [];
  const { topic, tenant, list } = input;
  addMap(layers, 'send', undefined, input, input.send);
  if (!input.userId) return layers;

  if (topic && tenant) addChoice(layers, 'user-in-tenant', nameOf(tenant), input.choiceInTenant);
  addNotification(layers, 'user', undefined, input, input.recipient);
  if (topic) addChoice(layers, 'user', undefined, input.choice);
  addCategories(layers, 'user', undefined, input, input.recipient);
  if (topic && tenant && input.tenantDefaults) {
    for (const choice of input.tenantDefaults) addChoice(layers, 'tenant-default', nameOf(choice.tenant), choice);
  }
  if (input.subscription) addMap(layers, 'subscription', list ? nameOf(list) : undefined, input, input.subscription);
  if (list) addMap(layers, 'list', nameOf(list), input, list.preferences);
  const status = statusOf(topic?.defaultStatus);
  if (topic && status) layers.push({ source: 'topic-default', name: nameOf(topic), status });
  return layers;
}

type MapForm = RecipientPreferences | null | undefined;

function addMap(layers: PreferenceLayer[], source: PreferenceSource, name: string | undefined, input: PreferenceInput, map: MapForm): void {
  addNotification(layers, source, name, input, map);
  addCategories(layers, source, name, input, map);
}

function addNotification(
  layers: PreferenceLayer[],
  source: PreferenceSource,
  name: string | undefined,
  { notificationId }: PreferenceInput,
  map: MapForm,
): void {
  if (map && notificationId) addDetails(layers, source, name, entryOf(map.notifications, notificationId));
}

function addCategories(
  layers: PreferenceLayer[],
  source: PreferenceSource,
  name: string | undefined,
  { topic }: PreferenceInput,
  map: MapForm,
): void {
  if (!map || !topic) return;
  addDetails(layers, source, name, entryOf(map.categories, topic.id));
  if (topic.categoryId) addDetails(layers, source, name, entryOf(map.categories, topic.categoryId));
}

/** Reads own properties only: ids come from clients, and a template may be called `constructor`. */
function entryOf(entries: RecipientPreferences['notifications'], id: string): PreferenceDetails | undefined {
  if (!entries || typeof entries !== 'object' || !Object.hasOwn(entries, id)) return undefined;
  const entry: unknown = entries[id];
  return entry !== null && typeof entry === 'object' ? (entry as PreferenceDetails) : undefined;
}

/** An empty `channel_preferences` chooses nothing: in the map form it means that all channels are allowed. */
function addDetails(
  layers: PreferenceLayer[],
  source: PreferenceSource,
  name: string | undefined,
  details: PreferenceDetails | undefined,
): void {
  if (!details) return;
  const { channel_preferences: chosen, rules } = details;
  const channels = Array.isArray(chosen) && chosen.length > 0 ? channelsIn(chosen.map((one) => one?.channel)) : undefined;
  add(layers, { source, name, status: statusOf(details.status), channels, rules: Array.isArray(rules) ? rules : undefined });
}

/** With `has_custom_routing` an empty `custom_routing` is a choice: no channel at all. */
function addChoice(
  layers: PreferenceLayer[],
  source: PreferenceSource,
  name: string | undefined,
  choice: TopicChoice | null | undefined,
): void {
  if (!choice) return;
  const { has_custom_routing: chosen, custom_routing: routing } = choice;
  const channels = chosen === true && Array.isArray(routing) ? channelsIn(routing) : undefined;
  add(layers, { source, name, status: statusOf(choice.status), channels });
}

function add(layers: PreferenceLayer[], layer: PreferenceLayer): void {
  if (layer.status !== undefined || layer.channels !== undefined || layer.rules !== undefined) layers.push(layer);
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
