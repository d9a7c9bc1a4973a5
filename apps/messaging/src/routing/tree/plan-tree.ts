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

/** The fields of a configured provider that routing uses. */
export interface RoutableProvider {
  /** Id of its configuration. */
  readonly id: string;
  readonly provider: string;
  readonly alias?: string;
  readonly channel: string;
}

/** Input of `planTree`. */
export interface RoutingFacts {
  readonly routing: MessageRouting;
  readonly channels: Readonly<Record<string, ChannelSettings>>;
  readonly providers: Readonly<Record<string, ProviderSettings>>;
  /** Providers of the workspace, in the order they are tried. */
  readonly configured: readonly RoutableProvider[];
  readonly preferences: PreferencesPass;
  /** Start of the message's time limit, ms since the epoch. */
  readonly since: number;
  /** Whether a condition is true for this recipient. */
  isMet(condition: string): boolean;
  /** What the provider on the channel needs and the recipient lacks, for an error message; undefined: nothing. */
  lacks(channel: string, provider: RoutableProvider): string | undefined;
}

/** There is no route to try. */
export interface NoRoute {
  readonly reason: MessageReason;
  readonly error: string;
  /** The preference rule that decided it. */
  readonly rule?: string;
  /** Channels that preferences removed; each gets an event. */
  readonly removed?: readonly string[];
  /** A further configured provider might have made a route. */
  readonly isUnconfigured?: true;
}

/** The routing where send and template name no channel. */
export const DEFAULT_ROUTING: MessageRouting = {
  method: 'single',
  channels: ['inbox', 'push', 'email', 'sms', 'direct_message', 'webhook'],
};

/** Channels sent by all their providers: push reaches devices of several makers, each through its own provider. */
const SENT_BY_EVERY_PROVIDER = ['push'];

/** An entry of the routing: a channel with the providers that may serve it. */
interface ChannelCandidates {
  readonly channel: string;
  readonly name: string;
  readonly method: RoutingMethod;
  readonly condition: string | undefined;
  /** Allowed providers with their own conditions; undefined: all of the channel. */
  readonly allowed: readonly DetailedRoutingProvider[] | undefined;
  readonly providers: readonly RoutableProvider[];
  /** Names the entry in errors where it has no provider. */
  readonly label: string;
}

/**
 * The routes of a message: its routing without the channels and providers that preferences, conditions, missing providers or missing
 * addresses exclude. A channel is a node of its providers: `single` tries them in order, `all` (always for push) uses each.
 * Where no route remains, the reason. Pure.
 */
export function planTree(facts: RoutingFacts): RoutingTree | NoRoute {
  const entries: ChannelCandidates[] = [];
  const shape = shapeOf(facts.routing, facts, entries);
  const exclusions = new Exclusions();
  const channels = entries.map(({ channel }) => channel);
  const isRoutable = (channel: string) =>
    entries.some((entry) => entry.channel === channel && entry.providers.some((one) => facts.lacks(channel, one) === undefined));
  const allowed = allowedChannels(facts.preferences, channels, isRoutable);
  if (!allowed.send) return { reason: allowed.reason, error: allowed.error, rule: allowed.rule, removed: allowed.removed };

  const leaves: Leaf[] = [];
  const nodes = entries.map((entry): RoutingNode | undefined => {
    if (allowed.channels && !allowed.channels.includes(entry.channel)) return undefined;
    const reachable = entry.providers.filter((one) => {
      const missing = facts.lacks(entry.channel, one);
      if (missing !== undefined) exclusions.lacking.add(missing);
      return missing === undefined;
    });
    if (entry.providers.length === 0) exclusions.unconfigured.add(entry.label);
    const eligible = allowed.conditionsApply ? reachable.filter((one) => areConditionsMet(facts, entry, one)) : reachable;
    if (eligible.length < reachable.length) exclusions.filtered.add(entry.name);
    if (eligible.length === 0) return undefined;
    const numbers = eligible.map(({ id, provider }) => leaves.push({ channel: entry.channel, integration: id, provider }) - 1);
    return numbers.length === 1 ? numbers[0] : { method: entry.method, of: numbers };
  });
  const root = pruned(shape, nodes);
  if (root === undefined) return exclusions.toNoRoute(facts);
  return { root, leaves, states: leaves.map(() => 'waiting'), startedAt: leaves.map(() => null), since: facts.since };
}

/** The nesting of a routing; its leaves are indexes of entries. */
type Shape = number | { method: RoutingMethod; of: Shape[] };

function shapeOf({ method, channels }: MessageRouting, facts: RoutingFacts, entries: ChannelCandidates[]): Shape {
  return {
    method,
    of: channels.map((channel) => {
      if (typeof channel === 'object' && !('channel' in channel)) return shapeOf(channel, facts, entries);
      return entries.push(entryOf(channel, facts)) - 1;
    }),
  };
}

function entryOf(channel: Exclude<RoutingChannel, MessageRouting>, facts: RoutingFacts): ChannelCandidates {
  const detailed = typeof channel === 'string' ? { channel } : channel;
  const { channel: name } = detailed;
  const isChannel = (CHANNELS as readonly string[]).includes(name);
  const named = isChannel ? [] : facts.configured.filter((one) => isNamed(one, name));
  const settings: ChannelSettings = facts.channels[name] ?? {};
  const allowed = (detailed.providers ?? settings.providers)?.map((one) => (typeof one === 'string' ? { name: one } : one));
  const providers = isChannel ? providersOn(name, allowed, facts.configured) : named;
  const method = SENT_BY_EVERY_PROVIDER.includes(name) ? 'all' : (detailed.method ?? settings.routing_method ?? 'single');
  return {
    name,
    channel: isChannel ? name : (named[0]?.channel ?? name),
    method,
    condition: detailed.if || settings.if || undefined,
    allowed: isChannel ? allowed : undefined,
    providers,
    label: isChannel && allowed ? `${name} (of its providers ${namesOf(allowed) || 'none'})` : name,
  };
}

function namesOf(allowed: readonly DetailedRoutingProvider[]) {
  return allowed
    .slice(0, LISTED_MAX)
    .map(({ name }) => name)
    .join(', ');
}

/** Whether a name means this provider: its key, its alias, or the id of its configuration. */
function isNamed({ id, provider, alias }: RoutableProvider, name: string) {
  return name === provider || name === alias || name === id;
}

function providersOn(channel: string, allowed: readonly DetailedRoutingProvider[] | undefined, configured: readonly RoutableProvider[]) {
  const able = configured.filter((one) => one.channel === channel);
  if (!allowed) return able;
  return [...new Set(allowed.flatMap(({ name }) => able.filter((one) => isNamed(one, name))))];
}

/** Whether every condition on the entry and the provider is true. An empty condition counts as none, as in content. */
function areConditionsMet(
  { providers, channels, isMet }: RoutingFacts,
  { condition, channel, name, allowed }: ChannelCandidates,
  one: RoutableProvider,
) {
  const settings = [one.provider, one.alias, one.id].map((key) => (key === undefined ? undefined : providers[key]));
  const ofChannel = name === channel ? condition : (condition ?? channels[channel]?.if);
  const isListed = !allowed || allowed.some((entry) => isNamed(one, entry.name) && (!entry.if || isMet(entry.if)));
  return isListed && [ofChannel, ...settings.map((one) => one?.if)].every((text) => !text || isMet(text));
}

function pruned(shape: Shape, nodes: readonly (RoutingNode | undefined)[]): RoutingNode | undefined {
  if (typeof shape === 'number') return nodes[shape];
  const of = shape.of.map((part) => pruned(part, nodes)).filter((node) => node !== undefined);
  if (of.length === 0) return undefined;
  return of.length === 1 ? of[0] : { method: shape.method, of };
}

/** Collects why entries were excluded, and picks the most helpful reason for the error. */
class Exclusions {
  readonly lacking = new Set<string>();
  readonly filtered = new Set<string>();
  readonly unconfigured = new Set<string>();

  /** In this order: conditions that alone excluded an entry, what the recipient lacks, what is not configured. */
  toNoRoute({ configured }: RoutingFacts): NoRoute {
    const { lacking, filtered, unconfigured } = this;
    if (filtered.size > 0) return { reason: 'FILTERED', error: `The conditions of ${listed(filtered)} are not met` };
    const missing = unconfigured.size > 0 && `o provider is configured for ${listed(unconfigured)}`;
    if (lacking.size === 0 && configured.length > 0 && !missing) return { reason: 'NO_CHANNELS', error: 'The routing names no channel' };
    const others = missing ? `; n${missing}` : '';
    const error =
      lacking.size > 0
        ? `No provider can reach this recipient: ${listed(lacking)}${others}`
        : configured.length > 0
          ? `N${missing}`
          : 'No providers added';
    return { reason: 'NO_PROVIDERS', error, ...((missing || configured.length === 0) && { isUnconfigured: true }) };
  }
}

const LISTED_MAX = 5;

function listed(names: ReadonlySet<string>) {
  const shown = [...names].slice(0, LISTED_MAX).join(', ');
  return names.size > LISTED_MAX ? `${shown} and ${names.size - LISTED_MAX} more` : shown;
}
