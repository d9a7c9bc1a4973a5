import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { MINUTE_MS, SECOND_MS } from '@tidings/contracts/core/duration';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { type CallbackSettings, type FindCallback, providerCallbacks } from '@tidings/contracts/messaging/provider-callbacks';
import { OperationClient } from '@tidings/rpc/operation-client';
import { LRUCache } from 'lru-cache';
import { ConfigurationChanges } from './configuration-changes';

/** Two caches, so that many wrong addresses evict none that exists. */
const CACHED_MAX = 10_000;
/** An address that was replaced ends without an event. */
const FRESH_MS = MINUTE_MS;
const REFUSED_MS = SECOND_MS;
/** Concurrent look-ups: a flood of invented addresses must not become a flood of calls. */
const LOOKUPS_MAX = 200;

/** The parts of a callback address. */
export type CallbackAddress = FindCallback;

/** Finds the configuration of a callback address at messaging, and caches it until a configuration changes. */
@Injectable()
export class CallbackConfigurations {
  /** By the hash of the address: secrets do not stay in memory as names. */
  private readonly found = new LRUCache<string, { id: string; settings: CallbackSettings }>({ max: CACHED_MAX, ttl: FRESH_MS });
  private readonly refused = new LRUCache<string, true>({ max: CACHED_MAX, ttl: REFUSED_MS });
  private readonly lookups = new Map<string, Promise<CallbackSettings>>();

  constructor(
    private readonly client: OperationClient,
    private readonly changes: ConfigurationChanges,
  ) {
    changes.onChange(({ payload }) => {
      this.refused.clear();
      this.lookups.clear();
      for (const [name, { id }] of [...this.found]) if (id === payload?.id) this.found.delete(name);
    });
    changes.onMissed(() => this.clear());
  }

  /** @throws ServiceError `not_found` for an address that does not exist, `unavailable` where that is not known now. */
  async find(address: CallbackAddress, callId: string): Promise<CallbackSettings> {
    if (!this.changes.isConnected()) this.clear();
    const { provider, configuration_id: id, secret } = address;
    const name = hash('sha256', JSON.stringify([provider, id, secret]), 'base64');
    const cached = this.found.get(name);
    if (cached) return cached.settings;
    if (this.refused.has(name)) throw noSuchAddress();
    const open = this.lookups.get(name);
    if (open) return open;
    if (this.lookups.size >= LOOKUPS_MAX) throw unavailable('Too many callback addresses are looked up now; try again');
    const lookup = this.lookUp(name, address, callId).finally(() => {
      if (this.lookups.get(name) === lookup) this.lookups.delete(name);
    });
    this.lookups.set(name, lookup);
    return lookup;
  }

  private async lookUp(name: string, address: CallbackAddress, callId: string) {
    const before = this.changes.count;
    const isCurrent = () => this.changes.count === before && this.changes.isConnected();
    try {
      const settings = await this.client.call(providerCallbacks.find, systemContext(callId), address);
      if (isCurrent()) this.found.set(name, { id: address.configuration_id, settings });
      return settings;
    } catch (error) {
      if (!(error instanceof ServiceError) || (error.code !== 'not_found' && error.code !== 'invalid_request'))
        throw unavailable('The callback address cannot be looked up now; try again', error);
      if (isCurrent()) this.refused.set(name, true);
      throw noSuchAddress();
    }
  }

  private clear() {
    this.found.clear();
    this.refused.clear();
    this.lookups.clear();
  }
}

/** The error of an address that does not exist; it does not quote it. */
export function noSuchAddress(): ServiceError {
  return new ServiceError('not_found', 'There is no such callback address');
}
