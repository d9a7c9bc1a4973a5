import { LRUCache } from 'lru-cache';
import type { CallContext } from '@tidings/contracts/core/context';
import { assertConfigured, type NamedPlaces } from '@tidings/contracts/messaging/channel-names';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import type { OperationClient } from '@tidings/rpc/operation-client';

/** Names of all workspaces that are remembered. */
const REMEMBERED_MAX = 10_000;
/** A send waits no longer to learn whether a name is one. */
const LOOKUP_MS = 2_000;

/**
 * Tells names that a workspace gave its provider configurations from those that nothing is called. A name once found is believed
 * from then on: what it named may be gone, as it may before any message is sent. While messaging cannot answer, every name
 * passes: accepting a send needs the log alone.
 */
export class OwnNames {
  private readonly found = new LRUCache<string, true>({ max: REMEMBERED_MAX });

  constructor(private readonly client: OperationClient) {}

  /** @throws ServiceError `invalid_request` naming the first name, and where it stands, that nothing is called. */
  async assertAll(context: CallContext, names: NamedPlaces): Promise<void> {
    if (names.size === 0) return;
    const keyOf = (name: string): string => `${context.workspaceId} ${name}`;
    const unsure = new Map([...names].filter(([name]) => !this.found.has(keyOf(name))));
    if (unsure.size === 0) return;
    const configured = await this.configuredIn(context);
    if (!configured) return;
    assertConfigured(unsure, configured);
    for (const name of unsure.keys()) this.found.set(keyOf(name), true);
  }

  /** All there are stand on one page. */
  private async configuredIn({ requestKey: _key, ...context }: CallContext): Promise<readonly Provider[] | undefined> {
    try {
      return (await this.client.call(providers.list, context, {}, { deadlineMs: LOOKUP_MS })).results;
    } catch {
      return undefined;
    }
  }
}
