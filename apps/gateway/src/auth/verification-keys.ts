import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { unavailable } from '@tidings/contracts/core/errors';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { OperationClient } from '@tidings/rpc/operation-client';
import { AccessChanges } from './access-changes';
import { keyName } from './key-cache';
import { malformed, type TokenReader, tokenReader } from './jwt';

const logger = new Logger('VerificationKeys');

/** Age at which the cached keys are loaded again, in ms; they stay valid meanwhile. */
const FRESH_MS_MAX = 60_000;
/** Interval of loads for unknown keys, in ms: invented tokens must not become a flood of calls. */
const LOAD_INTERVAL_MS_MIN = 1_000;
/** Requests that wait for the next load; beyond them a token of an unknown key is 503. */
const WAITING_MAX = 1_000;

interface CachedKey {
  publicKey: string;
  reader: TokenReader;
}

/**
 * The public keys that verify tokens. Loaded from identity once, then cached: a token costs no call. Identity publishes when a
 * signing key becomes valid or invalid; an unknown key is loaded.
 */
@Injectable()
export class VerificationKeys {
  /** The last answer and its time, valid while `isCurrent`. */
  private keys: ReadonlyMap<string, CachedKey> = new Map();
  private loadedAt = -Infinity;
  private isCurrent = false;
  /** Ids of revoked or invented keys. They stay refused: the id of a new key is random and was unknown before. */
  private readonly refused = new LRUCache<string, true>({ max: 10_000 });
  private loading: Promise<ReadonlyMap<string, CachedKey>> | undefined;
  private next: Promise<ReadonlyMap<string, CachedKey>> | undefined;
  private waiting = 0;

  constructor(
    private readonly client: OperationClient,
    private readonly changes: AccessChanges,
  ) {
    changes.onChange(({ key: name }) => {
      if (name.startsWith(keyName(SYSTEM_WORKSPACE_ID, ''))) this.invalidate();
    });
    changes.onMissed(() => this.invalidate());
  }

  /**
   * The reader of the tokens of this signing key: synchronously when it is cached. Throws or rejects with `unauthenticated` for a
   * revoked or unknown key, with `unavailable` when the keys cannot be loaded now.
   */
  find(id: string, callId: string): TokenReader | Promise<TokenReader> {
    if (!this.changes.isConnected()) this.invalidate();
    if (!this.isCurrent) return this.findLoading(id, callId);
    const age = performance.now() - this.loadedAt;
    const cached = this.keys.get(id);
    if (cached) {
      if (age > FRESH_MS_MAX) this.load(callId).catch(() => undefined); // logged there; the cached keys stay valid
      return cached.reader;
    }
    if (this.refused.has(id)) throw malformed();
    return age >= LOAD_INTERVAL_MS_MIN ? this.findLoading(id, callId) : this.findNext(id, callId);
  }

  private async findLoading(id: string, callId: string) {
    const isShared = this.loading !== undefined;
    const keys = await this.load(callId);
    // The load may have started before the key existed.
    if (!keys.has(id) && isShared && !this.refused.has(id)) return this.findNext(id, callId);
    return this.readerIn(keys, id);
  }

  /** For a key that may be newer than the last answer: all requests with unknown keys wait for the same next load. */
  private async findNext(id: string, callId: string) {
    if (this.waiting >= WAITING_MAX) throw notNow();
    this.waiting += 1;
    try {
      return this.readerIn(await (this.next ??= this.loadNext(callId)), id);
    } finally {
      this.waiting -= 1;
    }
  }

  /** The reader of a loaded key; a missing one is refused from now on. */
  private readerIn(keys: ReadonlyMap<string, CachedKey>, id: string) {
    const found = keys.get(id);
    if (found) return found.reader;
    this.refused.set(id, true);
    throw malformed();
  }

  private async loadNext(callId: string) {
    await delay(Math.max(0, this.loadedAt + LOAD_INTERVAL_MS_MIN - performance.now()), undefined, { ref: false });
    this.next = undefined;
    return this.load(callId);
  }

  private load(callId: string) {
    if (this.loading) return this.loading;
    const answer = this.loadAndCache(callId).finally(() => {
      if (this.loading === answer) this.loading = undefined;
    });
    this.loading = answer;
    return answer;
  }

  private async loadAndCache(callId: string) {
    const before = this.changes.count;
    try {
      const { keys } = await this.client.call(issuedTokens.verificationKeys, systemContext(callId), {});
      // The same reader for the same key: `TokenVerifier` recognises checked tokens by it.
      const loaded = new Map<string, CachedKey>();
      for (const { key_id: id, public_key: publicKey } of keys) {
        const cached = this.keys.get(id);
        loaded.set(id, cached?.publicKey === publicKey ? cached : { publicKey, reader: tokenReader(publicKey) });
      }
      if (this.changes.count === before && this.changes.isConnected()) {
        for (const id of this.keys.keys()) if (!loaded.has(id)) this.refused.set(id, true);
        this.keys = loaded;
        this.loadedAt = performance.now();
        this.isCurrent = true;
      }
      return loaded;
    } catch (error) {
      logger.warn({ err: error, requestId: callId }, 'Loading the verification keys of tokens failed');
      throw notNow();
    }
  }

  private invalidate() {
    this.isCurrent = false;
    this.loading = undefined;
  }
}

function notNow() {
  return unavailable('The token cannot be verified right now; try again');
}
