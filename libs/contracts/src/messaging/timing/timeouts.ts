import { isJsonObject } from '../../core/deep-merge';
import { keyPath } from '../../core/text';
import { invalid, isGiven, shown } from '../../core/refusals';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;

/** The shortest and the longest time limit; what is shorter counts as the shortest. */
const TIMEOUT_MS_MIN = SECOND_MS;
export const TIMEOUT_MS_MAX = 30 * 24 * HOUR_MS;
/** Channels, or providers, that one message gives limits of their own. */
const TIMEOUT_NAMES_MAX = 100;
const NAME_LENGTH_MAX = 256;

/** What holds where nothing else is said. */
export const DEFAULT_LIMITS: Readonly<Limits> = { messageMs: 72 * HOUR_MS, channelMs: 30 * MINUTE_MS, providerMs: 5 * MINUTE_MS };

const ESCALATION_CRITERIA = ['no-escalation', 'delivered', 'viewed', 'engaged'] as const;
/** What must have happened for the next channel not to be tried: `viewed` is opened, `engaged` is clicked. */
type EscalationCriterion = (typeof ESCALATION_CRITERIA)[number];

/** One limit for all of them, or limits by name (ms). */
type LimitOrLimits = number | Record<string, number>;

/** How long sending one message may take (ms), and when to go on to another channel although one has taken it. */
export interface Timeouts {
  messageMs?: number;
  channelMs?: LimitOrLimits;
  providerMs?: LimitOrLimits;
  criteria?: EscalationCriterion;
  escalationMs?: number;
}

/** How long (ms) trying may go on: at all, over one channel, by one provider of it. */
export interface Limits {
  messageMs: number;
  channelMs: number;
  providerMs: number;
}

/** The part of a channel's or a provider's settings that is about time, as clients write it. */
interface TimedSettings {
  timeouts?: unknown;
  /** The same by another name; `timeouts` counts where both are there. */
  timeout?: unknown;
  [field: string]: unknown;
}

/**
 * A message's `timeout`: `{ message, channel, provider, criteria, escalation }`, each may be missing or `null`. `channel` and `provider` are
 * a number or numbers by name. Whole milliseconds come back, 1 s at least.
 * @param where the field it came in.
 * @throws ServiceError `invalid_request` naming field and value.
 */
export function parseTimeouts(value: unknown, where: string): Timeouts {
  if (!isJsonObject(value)) throw invalid(`${where} must be an object (got ${shown(value)})`);
  const { message, channel, provider, criteria, escalation } = value;
  if (isGiven(criteria) && !isCriterion(criteria)) {
    throw invalid(`${where}.criteria must be one of ${ESCALATION_CRITERIA.join(', ')} (got ${shown(criteria)})`);
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

/** Of whom the limits are asked. */
export interface LimitsQuestion {
  timeouts?: Timeouts;
  channel: string;
  /** What the provider is called, the most exact name first: the id of its configuration, its alias, its key. */
  provider: readonly string[];
  /** The settings of this channel and of this provider; what is no limit in them is passed over. */
  channelSettings?: TimedSettings | null;
  providerSettings?: TimedSettings | null;
}

/**
 * The limits for one provider of one channel of a message. What is more specific wins: what is said of the provider, then of the
 * channel, then of all, then the default; but what is within may not take longer than what it is within.
 */
export function limitsOf({ timeouts = {}, channel, provider, channelSettings, providerSettings }: LimitsQuestion): Limits {
  const ofChannel = timedPart(channelSettings);
  const ofProvider = timedPart(providerSettings);
  const messageMs = timeouts.messageMs ?? DEFAULT_LIMITS.messageMs;
  const channelMs =
    partOf(ofChannel, 'channel') ?? byName(timeouts.channelMs, channel) ?? forAll(timeouts.channelMs) ?? DEFAULT_LIMITS.channelMs;
  const providerMs =
    usable(ofProvider) ??
    partOf(ofProvider, 'provider') ??
    provider.map((name) => byName(timeouts.providerMs, name)).find((limit) => limit !== undefined) ??
    partOf(ofChannel, 'provider') ??
    forAll(timeouts.providerMs) ??
    DEFAULT_LIMITS.providerMs;
  return { messageMs, channelMs: Math.min(channelMs, messageMs), providerMs: Math.min(providerMs, channelMs, messageMs) };
}

/** The next channel is tried as well unless, `afterMs` after the last one took the message, this has happened. */
export interface Escalation {
  criteria: Exclude<EscalationCriterion, 'no-escalation'>;
  afterMs: number;
}

/** After how long without which outcome the next channel is tried as well; undefined: never. */
export function escalationOf({ criteria = 'no-escalation', escalationMs }: Timeouts): Escalation | undefined {
  return criteria === 'no-escalation' || escalationMs === undefined ? undefined : { criteria, afterMs: escalationMs };
}

function assertTimed(settings: TimedSettings, where: string, assertValue: (value: unknown, path: string) => void): void {
  for (const name of ['timeouts', 'timeout']) if (isGiven(settings[name])) assertValue(settings[name], `${where}.${name}`);
}

function assertParts(value: unknown, where: string, names: readonly string[]): void {
  if (!isJsonObject(value)) throw invalid(`${where} must be an object with ${names.join(' and ')} (got ${shown(value)})`);
  for (const name of names) if (isGiven(value[name])) limitOf(value[name], `${where}.${name}`);
}

function limitsByName(value: unknown, where: string): LimitOrLimits {
  if (!isJsonObject(value)) return limitOf(value, where);
  const limits = Object.entries(value).filter(([, limit]) => isGiven(limit));
  if (limits.length > TIMEOUT_NAMES_MAX) throw invalid(`${where} has ${limits.length} entries, at most ${TIMEOUT_NAMES_MAX} are allowed`);
  return Object.fromEntries(
    limits.map(([name, limit]) => {
      const path = keyPath(where, name);
      if (name.length > NAME_LENGTH_MAX) throw invalid(`${path} must be called by at most ${NAME_LENGTH_MAX} characters`);
      return [name, limitOf(limit, path)];
    }),
  );
}

function limitOf(value: unknown, where: string): number {
  if (typeof value !== 'number' || !(value > 0 && value <= TIMEOUT_MS_MAX)) {
    throw invalid(`${where} must be a number of milliseconds above 0 and at most ${TIMEOUT_MS_MAX} (got ${shown(value)})`);
  }
  return withinBounds(value);
}

function withinBounds(ms: number): number {
  return Math.ceil(Math.min(Math.max(ms, TIMEOUT_MS_MIN), TIMEOUT_MS_MAX));
}

function isCriterion(value: unknown): value is EscalationCriterion {
  return (ESCALATION_CRITERIA as readonly unknown[]).includes(value);
}

function timedPart(settings: TimedSettings | null | undefined): unknown {
  return settings?.timeouts ?? settings?.timeout;
}

/** A limit of stored settings; what is none is passed over. */
function usable(value: unknown): number | undefined {
  return typeof value === 'number' && value > 0 ? withinBounds(value) : undefined;
}

function partOf(value: unknown, name: string): number | undefined {
  return isJsonObject(value) ? usable(value[name]) : undefined; // what every object inherits is no number
}

function byName(limits: LimitOrLimits | undefined, name: string): number | undefined {
  return typeof limits === 'object' ? partOf(limits, name) : undefined;
}

function forAll(limits: LimitOrLimits | undefined): number | undefined {
  return typeof limits === 'number' ? limits : undefined;
}
