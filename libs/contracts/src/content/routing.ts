import { isJsonObject, type JsonObject } from '../core/deep-merge';
import { assertAtMost, assertObject, assertText, invalid, invalidValue, isGiven, requireArray, requireObject } from '../core/refusals';
import { assertStorable, keyPath } from '../core/text';
import { assertChannelTimeouts, assertProviderTimeouts } from '../messaging/timing/timeouts';

/** Maximum nesting of routing nodes. */
const ROUTING_DEPTH_MAX = 8;
/** Maximum channels and nodes of one routing, at all levels. */
const ROUTING_CHANNELS_MAX = 200;
/** Maximum entries of `channels`, and of `providers`. */
const DELIVERY_SETTINGS_MAX = 100;
/** Fields of an override that may contain credentials of a provider: settings that replace the configured ones, and headers. */
export const SECRET_FIELDS = ['config', 'headers'] as const;
/** Maximum values in them, in `channels` and in `providers` each: every value is sealed and opened. */
export const SECRET_VALUES_MAX = 500;
/** Maximum JSON bytes of a routing, of `channels` and of `providers`, each. */
const ROUTING_BYTES_MAX = 256 * 1024;

const CHANNEL_NAME_LENGTH_MAX = 256;
const CONDITION_LENGTH_MAX = 2_000;
const PROVIDERS_PER_CHANNEL_MAX = 100;

const ROUTING_METHODS = ['all', 'single'] as const;
/** `single`: from left to right until one succeeds; `all`: each of them. */
export type RoutingMethod = (typeof ROUTING_METHODS)[number];

/** The channels of a message, in order. */
export interface MessageRouting {
  method: RoutingMethod;
  channels: RoutingChannel[];
}

/** A channel or provider by name, a nested routing, or the longer form with the channel as a field. */
export type RoutingChannel = string | MessageRouting | DetailedRoutingChannel;

/** A channel with its settings, as older clients write it. */
interface DetailedRoutingChannel {
  channel: string;
  config?: JsonObject | null;
  method?: RoutingMethod | null;
  providers?: (string | DetailedRoutingProvider)[] | null;
  if?: string | null;
}

/** A provider of a channel, as older clients write it. Open: unknown fields are stored. */
export interface DetailedRoutingProvider {
  name: string;
  /** The provider is used only if this expression is true. */
  if?: string | null;
  [field: string]: unknown;
}

/** Delivery settings. Open: unknown fields are stored. */
interface DeliverySettings {
  /** The channel or provider is used only if this expression is true. */
  if?: string | null;
  metadata?: JsonObject | null;
  override?: JsonObject | null;
  [field: string]: unknown;
}

/** Delivery settings of one channel. */
export interface ChannelSettings extends DeliverySettings {
  brand_id?: string | null;
  /** Keys of providers in the order in which they are tried; no others are tried. */
  providers?: string[] | null;
  routing_method?: RoutingMethod | null;
  /** `{ channel, provider }`, ms. */
  timeouts?: JsonObject | null;
}

/** Delivery settings of one provider. */
export interface ProviderSettings extends DeliverySettings {
  /** ms, or `{ provider }` in ms. */
  timeouts?: number | JsonObject | null;
}

/** By channel, or by the key, alias or id of a provider. */
export type SettingsByChannel = Record<string, ChannelSettings>;
export type SettingsByProvider = Record<string, ProviderSettings>;

/** The routing in answers for a template without one: the workspace's routing applies. */
export const NO_ROUTING: MessageRouting = { method: 'single', channels: [] };

/**
 * The routing that a client gives for a template; null: none of its own. Answers show that as `NO_ROUTING`, so it means the same.
 * @param name its name in errors.
 * @throws ServiceError as `assertRouting`.
 */
export function routingOfTemplate(given: unknown, name: string): MessageRouting | null {
  if (!isGiven(given) || isNoRouting(given)) return null;
  return acceptRouting(given, name, { mayBeEmpty: true });
}

function isNoRouting(routing: unknown) {
  return isJsonObject(routing) && routing.method === NO_ROUTING.method && isEmptyArray(routing.channels);
}

/**
 * The routing of a send or a template. A routing with a method alone has no channels; they come from the lower layer (`routingOver`).
 * @param mayBeEmpty whether empty channels mean the same: answers for templates contain them.
 * @throws ServiceError as `assertRouting`.
 */
export function acceptRouting(routing: unknown, name: string, { mayBeEmpty = false } = {}): MessageRouting {
  if (isJsonObject(routing) && (!isGiven(routing.channels) || (mayBeEmpty && isEmptyArray(routing.channels)))) {
    assertMethod(routing.method, `${name}.method`);
    return { method: routing.method, channels: [] };
  }
  assertRouting(routing, name);
  return routing;
}

/** `routing` if given, with the channels of `below` if it names none; else `below`. */
export function routingOver<Below extends MessageRouting | null>(
  routing: MessageRouting | null | undefined,
  below: Below,
): MessageRouting | Below {
  if (!routing) return below;
  return routing.channels.length === 0 && below ? { method: routing.method, channels: below.channels } : routing;
}

/**
 * Refuses an invalid routing.
 * @param routing parsed JSON.
 * @param name its name in errors.
 * @throws ServiceError `invalid_request` naming the path and the problem.
 */
export function assertRouting(routing: unknown, name: string): asserts routing is MessageRouting {
  assertStored(routing, name, ROUTING_BYTES_MAX);
  assertNode(routing, name, 1, { channels: 0 });
}

interface SettingsCheck {
  /** Bytes of JSON that the settings may have. */
  bytesMax?: number;
  /** The path of an entry in errors. Default: its key below the name of the settings. */
  pathOf?: (key: string) => string;
}

/** Refuses invalid settings by channel; errors as `assertRouting`. */
export function assertChannelSettings(channels: unknown, name: string, check: SettingsCheck = {}): asserts channels is SettingsByChannel {
  assertSettings(channels, name, check, (settings, path) => {
    assertGiven(settings, path, CHANNEL_CHECKS);
    assertChannelTimeouts(settings, path);
    assertGiven(settings, path, { providers: assertNames });
  });
}

/** Refuses invalid settings by provider; errors as `assertRouting`. */
export function assertProviderSettings(
  providers: unknown,
  name: string,
  check: SettingsCheck = {},
): asserts providers is SettingsByProvider {
  assertSettings(providers, name, check, (settings, path) => {
    assertGiven(settings, path, SETTINGS_CHECKS);
    assertProviderTimeouts(settings, path);
  });
}

function assertNode(node: unknown, path: string, depth: number, tally: { channels: number }) {
  requireObject(node, path, 'an object with method and channels');
  if (depth > ROUTING_DEPTH_MAX) throw invalid(`${path} is nested deeper than ${ROUTING_DEPTH_MAX} levels`);
  assertMethod(node.method, `${path}.method`);
  requireArray(node.channels, `${path}.channels`);
  // Nothing could be sent by a node without channels.
  if (node.channels.length === 0) throw invalid(`${path}.channels must name a channel or provider at least`);
  node.channels.forEach((channel, index) => {
    const at = `${path}.channels[${index}]`;
    tally.channels += 1;
    if (tally.channels > ROUTING_CHANNELS_MAX) throw invalid(`${at} is more than the ${ROUTING_CHANNELS_MAX} channels a routing may have`);
    if (typeof channel === 'string') assertName(channel, at);
    else if (isJsonObject(channel) && !isNode(channel)) {
      assertName(channel.channel, `${at}.channel`);
      assertGiven(channel, at, DETAILED_CHECKS);
    } else if (isJsonObject(channel)) assertNode(channel, at, depth + 1, tally);
    else throw invalidValue(at, 'the name of a channel or provider, or a routing', channel);
  });
}

/** Whether an object among channels is a nested routing, not the longer form of a channel. */
function isNode(channel: JsonObject) {
  if ('channel' in channel) return false;
  return (
    'channels' in channel || ('method' in channel && !Object.keys(DETAILED_CHECKS).some((name) => name !== 'method' && name in channel))
  );
}

type Check = (value: unknown, path: string) => void;

/** Checks the given ones of these fields, in their order. */
function assertGiven(fields: JsonObject, path: string, checks: Readonly<Record<string, Check>>) {
  for (const [field, check] of Object.entries(checks)) if (isGiven(fields[field])) check(fields[field], `${path}.${field}`);
}

const assertCondition: Check = (value, path) => assertText(value, path, CONDITION_LENGTH_MAX);
const assertBrand: Check = (value, path) => assertText(value, path, CHANNEL_NAME_LENGTH_MAX);
const assertProviders: Check = (value, path) => {
  if (!Array.isArray(value) || value.length > PROVIDERS_PER_CHANNEL_MAX) {
    throw invalid(`${path} must be an array of at most ${PROVIDERS_PER_CHANNEL_MAX} providers`);
  }
  value.forEach((provider: unknown, index) => assertDetailedProvider(provider, `${path}[${index}]`));
};

const SETTINGS_CHECKS = { if: assertCondition, metadata: requireObject, override: requireObject };
const CHANNEL_CHECKS = { ...SETTINGS_CHECKS, brand_id: assertBrand, routing_method: assertMethod };
const DETAILED_CHECKS = { config: requireObject, method: assertMethod, if: assertCondition, providers: assertProviders };

function assertDetailedProvider(provider: unknown, path: string) {
  if (!isJsonObject(provider)) return assertName(provider, path);
  assertName(provider.name, `${path}.name`);
  assertGiven(provider, path, { if: assertCondition });
}

function assertSettings(
  all: unknown,
  name: string,
  { bytesMax = ROUTING_BYTES_MAX, pathOf = (key) => keyPath(name, key) }: SettingsCheck,
  assertOne: (settings: JsonObject, path: string) => void,
): asserts all is JsonObject {
  assertStored(all, name, bytesMax);
  const keys = Object.keys(all);
  assertAtMost(DELIVERY_SETTINGS_MAX, keys.length, name);
  let values = 0;
  for (const key of keys) {
    const path = pathOf(key);
    if (key === '' || key.length > CHANNEL_NAME_LENGTH_MAX)
      throw invalid(`${path} must be called by 1 to ${CHANNEL_NAME_LENGTH_MAX} characters`);
    const settings = all[key];
    assertObject(settings, path);
    assertOne(settings, path);
    values += secretValues(settings.override);
    if (values > SECRET_VALUES_MAX)
      throw invalid(
        `${path}.override has more values in ${SECRET_FIELDS.join(' and ')} than the ${SECRET_VALUES_MAX} that ${name} may have`,
      );
  }
}

function secretValues(override: unknown) {
  if (!isJsonObject(override)) return 0;
  return SECRET_FIELDS.reduce((sum, field) => sum + (isJsonObject(override[field]) ? Object.keys(override[field]).length : 0), 0);
}

function assertStored(value: unknown, name: string, bytesMax: number): asserts value is JsonObject {
  assertObject(value, name);
  assertStorable(value, name);
  if (bytesMax === Infinity) return;
  assertAtMost(bytesMax, Buffer.byteLength(JSON.stringify(value)), name, 'bytes of JSON');
}

function isEmptyArray(value: unknown) {
  return Array.isArray(value) && value.length === 0;
}

function assertMethod(method: unknown, path: string): asserts method is RoutingMethod {
  if (method !== 'all' && method !== 'single') throw invalidValue(path, `one of ${ROUTING_METHODS.join(', ')}`, method);
}

function assertNames(names: unknown, path: string) {
  requireArray(names, path, 'an array of providers');
  assertAtMost(PROVIDERS_PER_CHANNEL_MAX, names.length, path);
  names.forEach((name, index) => assertName(name, `${path}[${index}]`));
}

function assertName(name: unknown, path: string) {
  assertText(name, path, CHANNEL_NAME_LENGTH_MAX);
  if (name === '') throw invalid(`${path} must not be empty`);
}
