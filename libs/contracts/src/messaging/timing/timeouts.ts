import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../core/duration';
import { isJsonObject } from '../../core/deep-merge';
import { keyPath } from '../../core/text';
import { assertAtMost, assertObject, invalid, invalidValue, isGiven } from '../../core/refusals';

/** The shortest and the longest time limit; shorter limits count as the shortest. */
const TIMEOUT_MS_MIN = SECOND_MS;
export const TIMEOUT_MS_MAX = 30 * DAY_MS;
/** Maximum channels, or providers, with limits of their own in one message. */
const TIMEOUT_NAMES_MAX = 100;
const NAME_LENGTH_MAX = 256;

/** The default limits. */
export const DEFAULT_LIMITS: Readonly<Limits> = { messageMs: 72 * HOUR_MS, channelMs: 30 * MINUTE_MS, providerMs: 5 * MINUTE_MS };

const ESCALATION_CRITERIA = ['no-escalation', 'delivered', 'viewed', 'engaged'] as const;
/** The event that stops the escalation to the next channel: `viewed` is opened, `engaged` is clicked. */
type EscalationCriterion = (typeof ESCALATION_CRITERIA)[number];

/** One limit for all of them, or limits by name (ms). */
type LimitOrLimits = number | Record<string, number>;

/** The time limits of one message (ms), and when to escalate to another channel although one has accepted the message. */
export interface Timeouts {
  messageMs?: number;
  channelMs?: LimitOrLimits;
  providerMs?: LimitOrLimits;
  criteria?: EscalationCriterion;
  escalationMs?: number;
}

/** How long (ms) delivery may be tried: of the message, over one channel, by one provider of the channel. */
export interface Limits {
  messageMs: number;
  channelMs: number;
  providerMs: number;
}

/** The time limits in the settings of a channel or a provider, as clients write them. */
interface TimedSettings {
  timeouts?: unknown;
  /** Another name of `timeouts`, which wins. */
  timeout?: unknown;
  [field: string]: unknown;
}

/**
 * Parses a message's `timeout`: `{ message, channel, provider, criteria, escalation }`, each may be missing or `null`. `channel` and
 * `provider` are a number or numbers by name. Returns whole milliseconds, at least 1 s.
 * @param where the field, for errors.
 * @throws ServiceError `invalid_request` naming field and value.
 */
export function parseTimeouts(value: unknown, where: string): Timeouts {
  assertObject(value, where);
  const { message, channel, provider, criteria, escalation } = value;
  if (isGiven(criteria) && !isCriterion(criteria)) {
    throw invalidValue(`${where}.criteria`, `one of ${ESCALATION_CRITERIA.join(', ')}`, criteria);
  }
  return {
    ...(isGiven(message) && { messageMs: limitOf(message, `${where}.message`) }),
    ...(isGiven(channel) && { channelMs: limitsByName(channel, `${where}.channel`) }),
    ...(isGiven(provider) && { providerMs: limitsByName(provider, `${where}.provider`) }),
    ...(isCriterion(criteria) && { criteria }),
    ...(isGiven(escalation) && { escalationMs: limitOf(escalation, `${where}.escalation`) }),
  };
}

/** Refuses settings of a channel whose `timeouts` or `timeout` are not `{ channel, provider }` in ms. */
export function assertChannelTimeouts(settings: TimedSettings, where: string): void {
  assertTimed(settings, where, (value, path) => assertParts(value, path, ['channel', 'provider']));
}

/** Refuses settings of a provider whose `timeouts` or `timeout` is neither a number of ms nor `{ provider }`. */
export function assertProviderTimeouts(settings: TimedSettings, where: string): void {
  assertTimed(settings, where, (value, path) => {
    if (isJsonObject(value)) assertParts(value, path, ['provider']);
    else limitOf(value, path);
  });
}

/** The message, channel and provider to calculate limits for. */
export interface LimitsInput {
  timeouts?: Timeouts;
  channel: string;
  /** The names of the provider, most specific first: the id of its configuration, its alias, its key. */
  provider: readonly string[];
  /** The settings of this channel and of this provider; invalid limits in them are ignored. */
  channelSettings?: TimedSettings | null;
  providerSettings?: TimedSettings | null;
}

/**
 * The limits for one provider of one channel of a message. The most specific limit wins: of the provider, then of the channel, then
 * of all, then the default. A provider's limit is at most its channel's, and a channel's at most the message's.
 */
export function limitsOf({ timeouts = {}, channel, provider, channelSettings, providerSettings }: LimitsInput): Limits {
  const ofChannel = timedPart(channelSettings);
  const ofProvider = timedPart(providerSettings);
  const messageMs = timeouts.messageMs ?? DEFAULT_LIMITS.messageMs;
  const channelMs =
    partOf(ofChannel, 'channel') ?? partOf(timeouts.channelMs, channel) ?? forAll(timeouts.channelMs) ?? DEFAULT_LIMITS.channelMs;
  const providerMs =
    usable(ofProvider) ??
    partOf(ofProvider, 'provider') ??
    provider.map((name) => partOf(timeouts.providerMs, name)).find((limit) => limit !== undefined) ??
    partOf(ofChannel, 'provider') ??
    forAll(timeouts.providerMs) ??
    DEFAULT_LIMITS.providerMs;
  return { messageMs, channelMs: Math.min(channelMs, messageMs), providerMs: Math.min(providerMs, channelMs, messageMs) };
}

/** The next channel is tried too unless the event of `criteria` happened within `afterMs` after the last one accepted the message. */
export interface Escalation {
  criteria: Exclude<EscalationCriterion, 'no-escalation'>;
  afterMs: number;
}

/** The escalation to the next channel; undefined: never. */
export function escalationOf({ criteria = 'no-escalation', escalationMs }: Timeouts): Escalation | undefined {
  return criteria === 'no-escalation' || escalationMs === undefined ? undefined : { criteria, afterMs: escalationMs };
}

function assertTimed(settings: TimedSettings, where: string, assertValue: (value: unknown, path: string) => void) {
  for (const name of ['timeouts', 'timeout']) if (isGiven(settings[name])) assertValue(settings[name], `${where}.${name}`);
}

function assertParts(value: unknown, where: string, names: readonly string[]) {
  assertObject(value, where, `an object with ${names.join(' and ')}`);
  for (const name of names) if (isGiven(value[name])) limitOf(value[name], `${where}.${name}`);
}

function limitsByName(value: unknown, where: string) {
  if (!isJsonObject(value)) return limitOf(value, where);
  const limits = Object.entries(value).filter(([, limit]) => isGiven(limit));
  assertAtMost(TIMEOUT_NAMES_MAX, limits.length, where);
  return Object.fromEntries(
    limits.map(([name, limit]) => {
      const path = keyPath(where, name);
      if (name.length > NAME_LENGTH_MAX) throw invalid(`${path} must be called by at most ${NAME_LENGTH_MAX} characters`);
      return [name, limitOf(limit, path)];
    }),
  );
}

function limitOf(value: unknown, where: string) {
  if (typeof value !== 'number' || !(value > 0 && value <= TIMEOUT_MS_MAX)) {
    throw invalidValue(where, `a number of milliseconds above 0 and at most ${TIMEOUT_MS_MAX}`, value);
  }
  return withinBounds(value);
}

function withinBounds(ms: number) {
  return Math.ceil(Math.min(Math.max(ms, TIMEOUT_MS_MIN), TIMEOUT_MS_MAX));
}

function isCriterion(value: unknown): value is EscalationCriterion {
  return (ESCALATION_CRITERIA as readonly unknown[]).includes(value);
}

function timedPart(settings: TimedSettings | null | undefined) {
  return settings?.timeouts ?? settings?.timeout;
}

/** A limit of stored settings; undefined if it is invalid. */
function usable(value: unknown) {
  return typeof value === 'number' && value > 0 ? withinBounds(value) : undefined;
}

function partOf(value: unknown, name: string) {
  return isJsonObject(value) ? usable(value[name]) : undefined; // inherited properties are no numbers
}

function forAll(limits: LimitOrLimits | undefined) {
  return typeof limits === 'number' ? limits : undefined;
}
