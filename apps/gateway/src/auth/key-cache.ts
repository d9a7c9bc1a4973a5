import { LRUCache } from 'lru-cache';
import type { VerifiedKey } from '@tidings/contracts/identity/keys';

/** Bounds of cached keys and of cached refusals. Two maps, so that many wrong keys evict no valid one. */
export const CACHED_KEYS_MAX = 10_000;
export const REFUSED_KEYS_MAX = 10_000;
/** Age in ms at which an entry is stale. Revocations arrive as events long before; a new key works within a second. */
export const FRESH_MS_MAX = 60_000;
export const REFUSED_MS_MAX = 1_000;

/**
 * This process's cache of keys, by hash. Bounded; the least recently used entry is evicted first.
 * Time is passed in (ms of a monotonic clock).
 */
export class KeyCache {
  private readonly keys = new LRUCache<string, { key: VerifiedKey; freshUntil: number }>({ max: CACHED_KEYS_MAX });
  private readonly refused = new LRUCache<string, number>({ max: REFUSED_KEYS_MAX });

  /**
   * The key of a hash, `'refused'` for a cached refusal, `undefined` when it must be verified. A stale key is still valid, since a
   * revocation would have arrived as an event; it is due for a refresh.
   */
  find(hash: string, now: number) {
    const entry = this.keys.get(hash);
    if (entry) return { key: entry.key, isStale: entry.freshUntil <= now };
    return (this.refused.get(hash) ?? 0) > now ? 'refused' : undefined;
  }

  store(hash: string, key: VerifiedKey, now: number) {
    this.refused.delete(hash);
    this.keys.set(hash, { key, freshUntil: now + FRESH_MS_MAX });
  }

  refuse(hash: string, now: number) {
    this.refused.set(hash, now + REFUSED_MS_MAX);
  }

  /**
   * Removes a changed key, and every refusal: the change may be the creation of a key. Changes name the key, never its hash; they are
   * rare, so the cache is searched for it.
   */
  invalidate(name: string) {
    this.refused.clear();
    for (const [hash, { key }] of [...this.keys]) if (keyName(key.workspace_id, key.key_id) === name) this.keys.delete(hash);
  }

  clear() {
    this.keys.clear();
    this.refused.clear();
  }

  get size() {
    return this.keys.size;
  }

  /** Removes one hash. */
  delete(hash: string) {
    this.keys.delete(hash);
  }
}

/** The name of a key in change events: the workspace id, then the key id. Equals the record key of `accessChanged`. */
export function keyName(workspaceId: string, keyId: string) {
  return `${workspaceId}:${keyId}`;
}
