import type {
  ChannelSettings,
  DetailedRoutingProvider,
  MessageRouting,
  ProviderSettings,
  RoutingChannel,
  RoutingMethod,
} from '@tidings/contracts/content/routing';
import { CHANNELS } from '@tidings/contracts/core/channels';
import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { PreferencesPass } from '@tidings/preferences/evaluate';
import { allowedChannels } from '@tidings/preferences/allowed-channels';
import type { Leaf, RoutingNode, RoutingTree } from './routing-tree';

/** A configured provider as far as routing looks at it. */
export interface RoutableProvider {
  /** Of its configuration. */
  readonly id: string;
  readonly provider: string;
  readonly alias?: string;
  readonly channel: string;
}

/** What the routing of one message depends on. */
export interface RoutingFacts {
  readonly routing: MessageRouting;
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Of the workspace, the one to try first first. */
  readonly configured: readonly RoutableProvider[];
  readonly preferences: PreferencesPass;
  /** From when the time limit of the message counts, ms since the epoch. */
  readonly since: number;
  /** Whether a condition holds for this recipient. */
  holds(condition: string): boolean;
  /** What the recipient lacks for the provider on the channel, as a person would say it; undefined: nothing. */
  lacks(channel: string, provider: RoutableProvider): string | undefined;
}

/** Nothing is to be tried. */
export interface NoRoute {
  readonly reason: MessageReason;
  readonly error: string;
  /** Who or what decided it. */
  readonly rule?: string;
  /** Channels that preferences took away, each of which is told of. */
  readonly removed?: readonly string[];
  /** It might have been sent, were something configured that is not. */
  readonly isUnconfigured?: true;
}

/** Where routings name no channel: in this order, whatever is configured. */
export const DEFAULT_ROUTING: MessageRouting = {
  method: 'single',
  channels: ['inbox', 'push', 'email', 'sms', 'direct_message', 'webhook'],
};

/** Push reaches devices of several makers, each through its own provider. */
const SENT_BY_EVERY_PROVIDER = ['push'];

/** A place of the routing: which providers on which channel. */
interface ChannelCandidates {
  readonly channel: string;
  readonly name: string;
  readonly method: RoutingMethod;
  readonly condition: string | undefined;
  /** Which providers, and under which conditions of their own; undefined: all of the channel. */
  readonly allowed: readonly DetailedRoutingProvider[] | undefined;
  readonly candidates: readonly RoutableProvider[];
  /** What was looked for in vain where there is no candidate, as a person would say it. */
  readonly sought: string;
}

/**
 * The ways a message may take: the routing, without what preferences, conditions, missing providers and missing addresses
 * exclude. A channel is a node of its providers: `single` tries them in order, `all` (and push always) takes each.
 * Where nothing remains, what kept it from being sent. Pure.
 */
export function planTree(facts: RoutingFacts): RoutingTree | NoRoute {
  const places: ChannelCandidates[] = [];
  const shape = shapeOf(facts.routing, facts, places);
  const whyNot = new Exclusions();
  const classes = places.map(({ channel }) => channel);
  const isRoutable = (channel: string): boolean =>
    places.some((place) => place.channel === channel && place.candidates.some((one) => facts.lacks(channel, one) === undefined));
  const allowed = allowedChannels(facts.preferences, classes, isRoutable);
  if (!allowed.send) return { reason: allowed.reason, error: allowed.error, rule: allowed.rule, removed: allowed.removed };

  const leaves: Leaf[] = [];
  const nodes = places.map((place): RoutingNode | undefined => {
    if (allowed.channels && !allowed.channels.includes(place.channel)) return undefined;
    const able = place.candidates.filter((one) => {
      const missing = facts.lacks(place.channel, one);
      if (missing !== undefined) whyNot.lacking(missing);
      return missing === undefined;
    });
    if (place.candidates.length === 0) whyNot.notConfigured(place.sought);
    const conditions = allowed.conditionsApply ? able.filter((one) => holdsFor(facts, place, one)) : able;
    if (conditions.length < able.length) whyNot.filtered(place.name);
    if (conditions.length === 0) return undefined;
    const numbers = conditions.map(({ id, provider }) => leaves.push({ channel: place.channel, integration: id, provider }) - 1);
    return numbers.length === 1 ? numbers[0] : { method: place.method, of: numbers };
  });
  const root = pruned(shape, nodes);
  if (root === undefined) return whyNot.answer(facts);
  return { root, leaves, states: leaves.map(() => 'waiting'), startedAt: leaves.map(() => null), since: facts.since };
}

/** A routing whose ends are numbers of places. */
type Shape = number | { method: RoutingMethod; of: Shape[] };

function shapeOf({ method, channels }: MessageRouting, facts: RoutingFacts, places: ChannelCandidates[]): Shape {
  return {
    method,
    of: channels.map((channel) => {
      if (typeof channel === 'object' && !('channel' in channel)) return shapeOf(channel, facts, places);
      return places.push(placeOf(channel, facts)) - 1;
    }),
  };
}

function placeOf(channel: Exclude<RoutingChannel, MessageRouting>, facts: RoutingFacts): ChannelCandidates {
  const said = typeof channel === 'string' ? { channel } : channel;
  const { channel: name } = said;
  const isChannel = (CHANNELS as readonly string[]).includes(name);
  const named = isChannel ? [] : facts.configured.filter((one) => answersTo(one, name));
  const settings: ChannelSettings = facts.channels[name] ?? {};
  const allowed = (said.providers ?? settings.providers)?.map((one) => (typeof one === 'string' ? { name: one } : one));
  const candidates = isChannel ? candidatesOn(name, allowed, facts.configured) : named;
  const method = SENT_BY_EVERY_PROVIDER.includes(name) ? 'all' : (said.method ?? settings.routing_method ?? 'single');
  return {
    name,
    channel: isChannel ? name : (named[0]?.channel ?? name),
    method,
    condition: said.if || settings.if || undefined,
    allowed: isChannel ? allowed : undefined,
    candidates,
    sought: isChannel && allowed ? `${name} (of its providers ${namesOf(allowed) || 'none'})` : name,
  };
}

function namesOf(allowed: readonly DetailedRoutingProvider[]): string {
  return allowed
    .slice(0, LISTED_MAX)
    .map(({ name }) => name)
    .join(', ');
}

/** A provider is called by the key of its kind, by its alias, or by the id of its configuration. */
function answersTo({ id, provider, alias }: RoutableProvider, name: string): boolean {
  return name === provider || name === alias || name === id;
}

function candidatesOn(
  channel: string,
  allowed: readonly DetailedRoutingProvider[] | undefined,
  configured: readonly RoutableProvider[],
): RoutableProvider[] {
  const able = configured.filter((one) => one.channel === channel);
  if (!allowed) return able;
  return [...new Set(allowed.flatMap(({ name }) => able.filter((one) => answersTo(one, name))))];
}

/** An empty condition is none, as in content. */
function holdsFor(
  { providers, channels, holds }: RoutingFacts,
  { condition, channel, name, allowed }: ChannelCandidates,
  one: RoutableProvider,
): boolean {
  const settings = [one.provider, one.alias, one.id].map((key) => (key === undefined ? undefined : providers[key]));
  const ofChannel = name === channel ? condition : (condition ?? channels[channel]?.if);
  const isListed = !allowed || allowed.some((entry) => answersTo(one, entry.name) && (!entry.if || holds(entry.if)));
  return isListed && [ofChannel, ...settings.map((one) => one?.if)].every((text) => !text || holds(text));
}

function pruned(shape: Shape, nodes: readonly (RoutingNode | undefined)[]): RoutingNode | undefined {
  if (typeof shape === 'number') return nodes[shape];
  const of = shape.of.map((part) => pruned(part, nodes)).filter((node) => node !== undefined);
  if (of.length === 0) return undefined;
  return of.length === 1 ? of[0] : { method: shape.method, of };
}

/** Collects why places were left out, and says what of it a person should know first. */
class Exclusions {
  private readonly missing = new Set<string>();
  private readonly unmet = new Set<string>();
  private readonly absent = new Set<string>();

  lacking(what: string): void {
    this.missing.add(what);
  }

  filtered(place: string): void {
    this.unmet.add(place);
  }

  notConfigured(place: string): void {
    this.absent.add(place);
  }

  /** A condition that alone stood in the way goes first, then what the recipient lacks, then what was never set up. */
  answer({ configured }: RoutingFacts): NoRoute {
    if (this.unmet.size > 0) {
      return { reason: 'FILTERED', error: `The conditions of ${listed(this.unmet)} are not met` };
    }
    const unconfigured = (this.absent.size > 0 || configured.length === 0) && { isUnconfigured: true as const };
    if (this.missing.size > 0) {
      const others = this.absent.size > 0 ? `; no provider is configured for ${listed(this.absent)}` : '';
      return { reason: 'NO_PROVIDERS', error: `No provider can reach this recipient: ${listed(this.missing)}${others}`, ...unconfigured };
    }
    if (configured.length === 0) return { reason: 'NO_PROVIDERS', error: 'No providers added', ...unconfigured };
    if (this.absent.size > 0) {
      return { reason: 'NO_PROVIDERS', error: `No provider is configured for ${listed(this.absent)}`, ...unconfigured };
    }
    return { reason: 'NO_CHANNELS', error: 'The routing names no channel' };
  }
}

const LISTED_MAX = 5;

function listed(names: ReadonlySet<string>): string {
  const shown = [...names].slice(0, LISTED_MAX).join(', ');
  return names.size > LISTED_MAX ? `${shown} and ${names.size - LISTED_MAX} more` : shown;
}
