import { CHANNELS } from '@tidings/contracts/core/channels';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { GENERAL_PROVIDERS } from '@tidings/contracts/messaging/provider-names';
import { isNamed } from './plan-tree';
import type { RoutingContext } from './routing-context';

/** Warnings about unknown providers in one message. */
const WARNINGS_MAX = 10;
const NAME_LENGTH_SHOWN_MAX = 100;

/**
 * Warnings about names in a send's settings that are no general provider, nor the kind, id or alias of a configuration. Such a send is
 * processed: its author may name providers that other workspaces have.
 */
export function unknownProviderWarnings(request: MessageRequested, { integrations }: RoutingContext): string[] {
  const { providers, channels, timeouts } = request;
  const limits = timeouts?.providerMs;
  if (!providers && !channels && typeof limits !== 'object') return [];
  const existing = new Set<string | undefined>([
    ...GENERAL_PROVIDERS,
    ...integrations.flatMap(({ id, alias, provider }) => [id, alias, provider]),
  ]);
  const named = [
    ...namesIn('providers', Object.keys(providers ?? {})),
    ...namesIn('timeout.provider', typeof limits === 'object' ? Object.keys(limits) : []),
    ...Object.entries(channels ?? {}).flatMap(([channel, { providers: allowed }]) =>
      namesIn(`channels.${channel}.providers`, allowed ?? [], effectOnChannel(channel, allowed ?? [], integrations)),
    ),
  ];
  const unknown = named.filter(({ name }) => !existing.has(name)).slice(0, WARNINGS_MAX);
  return unknown.map(({ field, name, effect }) => `${field} names the provider ${shown(name)}, which does not exist: ${effect}`);
}

function namesIn(field: string, names: readonly string[], effect = 'it has no effect') {
  return names.map((name) => ({ field, name, effect }));
}

/** What an unknown name among the allowed providers of a channel causes. No others are tried, so the channel is lost if none exists. */
function effectOnChannel(channel: string, allowed: readonly string[], integrations: RoutingContext['integrations']) {
  if (!(CHANNELS as readonly string[]).includes(channel)) return undefined;
  const remains = integrations.some((one) => one.channel === channel && allowed.some((name) => isNamed(one, name)));
  return remains ? 'the other providers of the list are used' : `no provider is left for ${channel}`;
}

function shown(name: string) {
  return JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN_MAX));
}
