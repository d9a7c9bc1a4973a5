import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { PROVIDER_CHANNELS } from '@tidings/contracts/messaging/provider-names';
import type { RoutingContext } from './routing-context';

/** Warnings about unknown providers in one message. */
const WARNINGS_MAX = 10;
const NAME_LENGTH_SHOWN_MAX = 100;

/**
 * Warnings about names in a send's settings that are neither the key of a provider nor the id or alias of a configuration. Such a send is
 * processed: its author may name providers that other workspaces have.
 */
export function unknownProviderWarnings(request: MessageRequested, { integrations }: RoutingContext): string[] {
  const { providers, channels, timeouts } = request;
  const limits = timeouts?.providerMs;
  if (!providers && !channels && typeof limits !== 'object') return [];
  const existing = new Set([
    ...Object.keys(PROVIDER_CHANNELS),
    ...integrations.flatMap(({ id, alias, provider }) => [id, alias, provider]),
  ]);
  const named = [
    ...namesIn('providers', Object.keys(providers ?? {})),
    ...namesIn('timeout.provider', typeof limits === 'object' ? Object.keys(limits) : []),
    ...Object.entries(channels ?? {}).flatMap(([channel, settings]) => namesIn(`channels.${channel}.providers`, settings.providers ?? [])),
  ];
  const unknown = named.filter(({ name }) => !existing.has(name)).slice(0, WARNINGS_MAX);
  return unknown.map(({ field, name }) => `${field} names the provider ${shown(name)}, which does not exist: it has no effect`);
}

function namesIn(field: string, names: readonly string[]) {
  return names.map((name) => ({ field, name }));
}

function shown(name: string) {
  return JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN_MAX));
}
