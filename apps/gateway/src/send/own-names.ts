import { LRUCache } from 'lru-cache';
import type { CallContext } from '@tidings/contracts/core/context';
import { assertConfigured, type NamedPlaces } from '@tidings/contracts/messaging/channel-names';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import type { OperationClient } from '@tidings/rpc/operation-client';

/** Cached names of all workspaces. */
const CACHED_NAMES_MAX = 10_000;
/** Timeout of a lookup; after it every name is accepted. */
const LOOKUP_MS = 2_000;

/**
 * Checks names (aliases and ids) against a workspace's provider configurations. A found name is cached without expiry: a configuration
 * may be deleted before any message is sent anyway. While messaging cannot answer, every name is accepted, so that a send depends
 * on the log alone.
 */
export class OwnNames {
  private readonly found = new LRUCache<string, true>({ max: CACHED_NAMES_MAX });

  constructor(private readonly client: OperationClient) {}

  /** @throws ServiceError `invalid_request` with the first unknown name and its path. */
  async assertAll(context: CallContext, names: NamedPlaces): Promise<void> {
    if (names.size === 0) return;
    const keyOf = (name: string): string => `${context.workspaceId} ${name}`;
    const unchecked = new Map([...names].filter(([name]) => !this.found.has(keyOf(name))));
    if (unchecked.size === 0) return;
    const configured = await this.configuredIn(context);
    if (!configured) return;
    assertConfigured(unchecked, configured);
    for (const name of unchecked.keys()) this.found.set(keyOf(name), true);
  }

  /** The configurations of the workspace, which fit on one page; undefined when messaging cannot answer. */
  private async configuredIn({ requestKey: _key, ...context }: CallContext): Promise<readonly Provider[] | undefined> {
    try {
      return (await this.client.call(providers.list, context, {}, { deadlineMs: LOOKUP_MS })).results;
    } catch {
      return undefined;
    }
  }
}
