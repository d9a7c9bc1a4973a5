import { Injectable, Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { OperationClient } from '@tidings/rpc/operation-client';
import { AccessChanges } from './access-changes';
import { unauthenticated } from './credentials';
import { KeyCache, keyName } from './key-cache';

const logger = new Logger('KeyVerifier');

/** Concurrent lookups at identity: a flood of invented keys must not become a flood of calls. */
export const LOOKUPS_MAX = 1_000;

/** A lookup at identity. */
interface Lookup {
  /** Key of the cache. */
  name: string;
  callId: string;
  run(): Promise<VerifiedKey>;
  /** Error message when there is no such key. */
  refusal: string;
}

/**
 * Verifies API keys by their hash, and the keys that issued tokens. Looks a key up at identity once and caches it until the key
 * changes. A key that cannot be verified now is `unavailable`, never `unauthenticated`: clients do not retry a 401.
 */
@Injectable()
export class KeyVerifier {
  private readonly cache = new KeyCache();
  /** Open lookups by name; concurrent requests share them. */
  private readonly lookups = new Map<string, Promise<VerifiedKey>>();

  constructor(
    private readonly client: OperationClient,
    private readonly changes: AccessChanges,
  ) {
    changes.onChange(({ key: name }) => {
      this.cache.invalidate(name);
      this.lookups.clear();
    });
  }

  /**
   * The key of this hash: synchronously when it is cached, else after the answer of identity.
   * Throws or rejects with `unauthenticated`, or `unavailable` with a retry delay.
   */
  verify(hash: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find({
      name: hash,
      callId,
      run: () => this.client.call(keys.verify, systemContext(callId), { hash }),
      refusal: 'The API key is unknown, has expired or was revoked',
    });
  }

  /** As `verify`, for the key that issued a token, by its id. */
  verifyIssuer(workspaceId: string, keyId: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find({
      name: `issuer ${keyName(workspaceId, keyId)}`, // no hash contains a blank
      callId,
      run: () => this.client.call(keys.inspect, { ...systemContext(callId), workspaceId }, { key_id: keyId }),
      refusal: 'The API key that issued the token has expired or was revoked',
    });
  }

  private find(lookup: Lookup) {
    const { name, refusal } = lookup;
    if (!this.changes.isConnected()) {
      this.cache.clear();
      return this.lookUp(lookup);
    }
    const cached = this.cache.find(name, performance.now());
    if (cached === 'refused') throw unauthenticated(refusal);
    if (cached) {
      // A key that was rotated or has an expiry ends without an event.
      if (cached.key.valid_until !== undefined && cached.key.valid_until <= Date.now()) throw unauthenticated(refusal);
      // A stale entry is refreshed in the background; it stays valid while identity is unavailable.
      if (cached.isStale && !this.lookups.has(name) && this.lookups.size < LOOKUPS_MAX) {
        this.startLookup(lookup).catch((error: unknown) => {
          if (isRefusal(error)) this.cache.delete(name);
        });
      }
      return cached.key;
    }

    const open = this.lookups.get(name);
    if (open) return open;
    if (this.lookups.size >= LOOKUPS_MAX) throw notNow();
    return this.startLookup(lookup);
  }

  private startLookup(lookup: Lookup) {
    const { name } = lookup;
    const answer = this.lookUpAndCache(lookup).finally(() => {
      if (this.lookups.get(name) === answer) this.lookups.delete(name);
    });
    this.lookups.set(name, answer);
    return answer;
  }

  private async lookUpAndCache(lookup: Lookup) {
    const before = this.changes.count;
    const isCurrent = () => this.changes.count === before && this.changes.isConnected();
    try {
      const key = await this.lookUp(lookup);
      if (isCurrent()) this.cache.store(lookup.name, key, performance.now());
      return key;
    } catch (error) {
      if (isRefusal(error) && isCurrent()) this.cache.refuse(lookup.name, performance.now());
      throw error;
    }
  }

  private async lookUp({ callId, run, refusal }: Lookup) {
    try {
      return await run();
    } catch (error) {
      if (isRefusal(error)) throw unauthenticated(refusal);
      logger.warn({ callId, message: `An API key could not be verified: ${(error as Error).message}` });
      throw notNow();
    }
  }
}

const isRefusal = (error: unknown) => error instanceof ServiceError && error.code === 'unauthenticated';

function notNow() {
  return unavailable('The API key cannot be verified right now; try again');
}
