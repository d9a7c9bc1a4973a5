import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertConfigured, type NamePaths } from '@tidings/contracts/messaging/channel-names';
import { type Provider, providers } from '@tidings/contracts/messaging/providers';
import { OperationClient } from '@tidings/rpc/operation-client';

/**
 * Checks names (aliases and ids) against a workspace's provider configurations. Their names are cached without expiry: a configuration
 * may be deleted before any message is sent anyway. While messaging cannot answer, every name is accepted, so that a send depends
 * on the log alone.
 */
@Injectable()
export class OwnNames {
  /** Names of all workspaces. */
  private readonly found = new LRUCache<string, true>({ max: 10_000 });
  /** The running lookup of each workspace: concurrent sends share it. */
  private readonly lookups = new Map<string, Promise<readonly Provider[] | undefined>>();

  constructor(private readonly client: OperationClient) {}

  /** @throws ServiceError `invalid_request` with the first unknown name and its path. */
  async assertAll(context: CallContext, names: NamePaths) {
    const unchecked = this.uncheckedOf(context, names);
    if (unchecked.size === 0) return;
    const isShared = this.lookups.has(context.workspaceId);
    let configured = await this.lookUp(context);
    // A lookup that started earlier may miss a configuration created before this request.
    if (isShared && configured && this.uncheckedOf(context, unchecked).size > 0) configured = await this.lookUp(context);
    if (configured) assertConfigured(unchecked, configured);
  }

  private uncheckedOf({ workspaceId }: CallContext, names: NamePaths) {
    return new Map([...names].filter(([name]) => !this.found.has(keyOf(workspaceId, name))));
  }

  /** The configurations of the workspace, whose names are cached then; undefined when messaging cannot answer. */
  private lookUp(context: CallContext) {
    const { workspaceId } = context;
    const running = this.lookups.get(workspaceId);
    if (running) return running;
    const lookup = this.configuredIn(context).finally(() => this.lookups.delete(workspaceId));
    this.lookups.set(workspaceId, lookup);
    return lookup;
  }

  /** The configurations fit on one page. */
  private async configuredIn({ requestKey: _key, ...context }: CallContext) {
    try {
      // After the deadline every name is accepted.
      const { results } = await this.client.call(providers.list, context, {}, { deadlineMs: 2_000 });
      for (const { id, alias } of results) {
        for (const name of [id, alias]) if (name !== undefined) this.found.set(keyOf(context.workspaceId, name), true);
      }
      return results;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return undefined;
    }
  }
}

function keyOf(workspaceId: string, name: string) {
  return `${workspaceId} ${name}`;
}
