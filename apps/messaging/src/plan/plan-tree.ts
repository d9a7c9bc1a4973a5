import type {
  ChannelSettings,
  DetailedRoutingProvider,
  MessageRouting,
  ProviderSettings,
  RoutingChannel,
  RoutingMethod,
} from '@tidings/contracts/content/routing';
import { CHANNELS } from '@tidings/contracts/core/channels';
import type { StoredDecision } from '@tidings/contracts/messaging/decisions';
import type { MessageReason } from '@tidings/contracts/messaging/message-states';
import type { PreferencesPass } from '@tidings/preferences/evaluate';
import { allowedChannels } from '@tidings/preferences/allowed-channels';
import type { Leaf, RoutingNode, RoutingTree } from '../record/routing-tree';

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
  /** What the provider on the channel needs and the recipient lacks; undefined: nothing. */
  lacks(channel: string, provider: RoutableProvider): Lacking | undefined;
  /** Gets what excluded channels and providers, for the explanation of the message. */
  note?(decision: StoredDecision): void;
}

/** What a recipient lacks. */
export interface Lacking {
  /** For an error message. */
  readonly error: string;
  /** The field, as `profile.email`. */
  readonly field: string;
  /** The field is there, and is not what the provider needs. */
  readonly isInvalid?: true;
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
  readonly condition?: string | null;
  /** Allowed providers with their own conditions; absent: all of the channel. */
  readonly allowed?: readonly DetailedRoutingProvider[];
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
  const shape = shapeOf(facts.routing, facts);
  const entries = entriesOf(shape);
  const channels = entries.map(({ channel }) => channel);
  const isRoutable = (channel: string) =>
    entries.some((entry) => entry.channel === channel && entry.providers.some((one) => facts.lacks(channel, one) === undefined));
  const allowed = allowedChannels(facts.preferences, channels, isRoutable);
  const { by } = facts.preferences;
  if (!allowed.send) {
    facts.note?.({ code: 'removed', channels: allowed.removed, by });
    return { reason: allowed.reason, error: allowed.error, rule: allowed.rule, removed: allowed.removed };
  }
  const removed = [...new Set(channels.filter((channel) => allowed.channels && !allowed.channels.includes(channel)))];
  if (removed.length > 0) facts.note?.({ code: 'removed', channels: removed, by });

  const excluded: Excluded = { lacking: new Set(), filtered: new Set(), unconfigured: new Set() };
  const lacking = new Map<string, StoredDecision>();
  const leaves: Leaf[] = [];
  const nodeOf = (entry: ChannelCandidates) => {
    if (allowed.channels && !allowed.channels.includes(entry.channel)) return undefined;
    const reachable = entry.providers.filter((one) => {
      const missing = facts.lacks(entry.channel, one);
      if (missing !== undefined) {
        const { error, field, isInvalid } = missing;
        excluded.lacking.add(error);
        lacking.set(`${entry.channel} ${field}`, { code: 'lacks', channel: entry.channel, field, isInvalid });
      }
      return missing === undefined;
    });
    if (entry.providers.length === 0) excluded.unconfigured.add(entry.label);
    const eligible = allowed.conditionsApply ? reachable.filter((one) => areConditionsMet(facts, entry, one)) : reachable;
    if (eligible.length < reachable.length) excluded.filtered.add(entry.name);
    const numbers = eligible.map(({ id, provider }) => leaves.push({ channel: entry.channel, integration: id, provider }) - 1);
    return joined(entry.method, numbers);
  };
  const root = pruned(shape, nodeOf);
  for (const decision of lacking.values()) facts.note?.(decision);
  if (excluded.filtered.size > 0) facts.note?.({ code: 'condition', channels: [...excluded.filtered] });
  // The default routing names every channel: those without a provider matter only where no route is left.
  if (excluded.unconfigured.size > 0 && (root === undefined || facts.routing.channels !== DEFAULT_ROUTING.channels))
    facts.note?.({ code: 'unconfigured', channels: [...excluded.unconfigured] });
  if (root === undefined) return noRoute(excluded, facts.configured.length > 0);
  return { root, leaves, states: leaves.map(() => 'waiting'), startedAt: leaves.map(() => null), since: facts.since };
}

/** The nesting of a routing with its entries. */
type Shape = ChannelCandidates | { method: RoutingMethod; of: Shape[] };

function shapeOf({ method, channels }: MessageRouting, facts: RoutingFacts): Shape {
  const of = channels.map((channel) =>
    typeof channel === 'object' && !('channel' in channel) ? shapeOf(channel, facts) : entryOf(channel, facts),
  );
  return { method, of };
}

function entriesOf(shape: Shape): ChannelCandidates[] {
  return 'of' in shape ? shape.of.flatMap(entriesOf) : [shape];
}

function entryOf(channel: Exclude<RoutingChannel, MessageRouting>, facts: RoutingFacts): ChannelCandidates {
  const detailed = typeof channel === 'string' ? { channel } : channel;
  const name = detailed.channel;
  const settings: ChannelSettings = facts.channels[name] ?? {};
  const isChannel = (CHANNELS as readonly string[]).includes(name);
  const able = facts.configured.filter((one) => (isChannel ? one.channel === name : isNamed(one, name)));
  const ofProvider = isChannel ? undefined : able[0]?.channel;
  const allowed = isChannel
    ? (detailed.providers ?? settings.providers)?.map((one) => (typeof one === 'string' ? { name: one } : one))
    : undefined;
  const names = allowed?.slice(0, LISTED_MAX).map((one) => one.name);
  return {
    channel: ofProvider ?? name,
    name,
    method: SENT_BY_EVERY_PROVIDER.includes(name) ? 'all' : (detailed.method ?? settings.routing_method ?? 'single'),
    condition: detailed.if || settings.if || (ofProvider && facts.channels[ofProvider]?.if),
    allowed,
    providers: allowed ? [...new Set(allowed.flatMap((wanted) => able.filter((one) => isNamed(one, wanted.name))))] : able,
    label: names ? `${name} (of its providers ${names.join(', ') || 'none'})` : name,
  };
}

/** Whether a name means this provider: its key, its alias, or the id of its configuration. */
export function isNamed({ id, provider, alias }: RoutableProvider, name: string) {
  return name === provider || name === alias || name === id;
}

/** Whether every condition on the entry and the provider is true. An empty condition counts as none, as in content. */
function areConditionsMet({ providers, isMet }: RoutingFacts, { condition, allowed }: ChannelCandidates, one: RoutableProvider) {
  const ofProvider = [one.provider, one.alias, one.id].map((key) => key && providers[key]?.if);
  const isListed = !allowed || allowed.some((entry) => isNamed(one, entry.name) && (!entry.if || isMet(entry.if)));
  return isListed && [condition, ...ofProvider].every((text) => !text || isMet(text));
}

/** The node of a shape, without the parts that have none. */
function pruned(shape: Shape, nodeOf: (entry: ChannelCandidates) => RoutingNode | undefined): RoutingNode | undefined {
  if (!('of' in shape)) return nodeOf(shape);
  return joined(
    shape.method,
    shape.of.map((part) => pruned(part, nodeOf)).filter((node) => node !== undefined),
  );
}

/** One node of several; undefined for none. */
function joined(method: RoutingMethod, of: RoutingNode[]) {
  return of.length > 1 ? { method, of } : of[0];
}

/** Why entries were excluded. */
type Excluded = Record<'lacking' | 'filtered' | 'unconfigured', Set<string>>;

/** The most helpful reason, in this order: conditions that alone excluded an entry, what the recipient lacks, what is not configured. */
function noRoute({ lacking, filtered, unconfigured }: Excluded, hasProviders: boolean): NoRoute {
  if (filtered.size > 0) return { reason: 'FILTERED', error: `The conditions of ${listed(filtered)} are not met` };
  if (!hasProviders) return { reason: 'NO_PROVIDERS', error: 'No providers added', isUnconfigured: true };
  const causes: string[] = [];
  if (lacking.size > 0) causes.push(`no provider can reach this recipient: ${listed(lacking)}`);
  if (unconfigured.size > 0) causes.push(`no provider is configured for ${listed(unconfigured)}`);
  if (causes.length === 0) return { reason: 'NO_CHANNELS', error: 'The routing names no channel' };
  const error = causes.join('; ').replace(/^n/, 'N');
  return { reason: 'NO_PROVIDERS', error, ...(unconfigured.size > 0 && { isUnconfigured: true }) };
}

const LISTED_MAX = 5;

function listed(names: ReadonlySet<string>) {
  const shown = [...names].slice(0, LISTED_MAX).join(', ');
  return names.size > LISTED_MAX ? `${shown} and ${names.size - LISTED_MAX} more` : shown;
}
