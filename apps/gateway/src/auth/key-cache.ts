import type { VerifiedKey } from '@tidings/contracts/identity/keys';

/** Keys known at once, and hashes known to be nobody's. Two maps, so that a flood of wrong keys forgets no right one. */
export const KNOWN_KEYS_MAX = 10_000;
export const REFUSED_KEYS_MAX = 10_000;
/** How long an answer is believed unasked, in ms. A revocation is heard of long before; a key that was just made works within a second. */
export const KNOWN_MS_MAX = 60_000;
export const REFUSED_MS_MAX = 1_000;

interface Known {
  key: VerifiedKey;
  until: number;
}

/** A remembered key. A stale one still holds, since its end would have been heard of; it is time to ask again. */
interface Remembered {
  key: VerifiedKey;
  isStale: boolean;
}

/**
 * What this instance remembers of keys, by hash. Bounded; the least recently used is forgotten first.
 * Time is passed in (ms of a clock that never goes back).
 */
export class KeyCache {
  private readonly known = new Map<string, Known>();
  private readonly refused = new Map<string, number>();
  /** The hashes of a key: what a change names is the key, never its hash. */
  private readonly hashesOf = new Map<string, Set<string>>();

  /** The key of a hash, `'refused'` when it is nobody's, `undefined` when that must be asked. */
  find(hash: string, now: number): Remembered | 'refused' | undefined {
    const known = this.known.get(hash);
    if (known) {
      // To the end of the map: the first one is always the least recently used.
      this.known.delete(hash);
      this.known.set(hash, known);
      return { key: known.key, isStale: known.until <= now };
    }
    const refusedUntil = this.refused.get(hash);
    if (refusedUntil === undefined) return undefined;
    if (refusedUntil > now) return 'refused';
    this.refused.delete(hash);
    return undefined;
  }

  keep(hash: string, key: VerifiedKey, now: number): void {
    this.refused.delete(hash);
    this.known.set(hash, { key, until: now + KNOWN_MS_MAX });
    const name = keyName(key.workspace_id, key.key_id);
    const hashes = this.hashesOf.get(name);
    if (hashes) hashes.add(hash);
    else this.hashesOf.set(name, new Set([hash]));
    if (this.known.size > KNOWN_KEYS_MAX) this.drop(first(this.known));
  }

  refuse(hash: string, now: number): void {
    this.refused.set(hash, now + REFUSED_MS_MAX);
    if (this.refused.size > REFUSED_KEYS_MAX) this.refused.delete(first(this.refused));
  }

  /** Forgets a key that changed, and every refusal: the change may have been that a key was made. */
  forget(name: string): void {
    this.refused.clear();
    for (const hash of this.hashesOf.get(name) ?? []) this.known.delete(hash);
    this.hashesOf.delete(name);
  }

  clear(): void {
    this.known.clear();
    this.refused.clear();
    this.hashesOf.clear();
  }

  get size(): number {
    return this.known.size;
  }

  /** Forgets one hash. */
  drop(hash: string): void {
    const dropped = this.known.get(hash);
    if (!dropped) return;
    this.known.delete(hash);
    const name = keyName(dropped.key.workspace_id, dropped.key.key_id);
    const hashes = this.hashesOf.get(name);
    hashes?.delete(hash);
    if (hashes?.size === 0) this.hashesOf.delete(name);
  }
}

/** How a change names a key: the workspace, then the key. The same as the record key of `accessChanged`. */
export function keyName(workspaceId: string, keyId: string): string {
  return `${workspaceId}:${keyId}`;
}

function first(map: Map<string, unknown>): string {
  return map.keys().next().value!;
}
