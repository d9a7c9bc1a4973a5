import type { ChangeListener } from '@tidings/events/change-listener';
import { LRUCache } from 'lru-cache';

/** Maximum number of keys per load. */
const KEYS_MAX = 500;

interface CachedValue<Value> {
  readonly value: Value;
  /** Number of the load that read it. */
  readonly load: number;
}

interface ChangeCacheOptions<Key, Value, Change extends { workspaceId: string }> {
  changes: ChangeListener<Change>;
  /** Whether a change invalidates the values of its workspace. Default: every change does. */
  concerns?(change: Change): boolean;
  nameOf(key: Key): string;
  /** Loads the first of these keys, at least one, in order. */
  load(keys: Key[]): Promise<readonly Value[]>;
  /** The value to cache, from a loaded one and the one it replaces. Default: the loaded one. */
  replace?(earlier: Value | undefined, loaded: Value): Value;
  limits: LRUCache.Options<string, CachedValue<Value>, unknown>;
}

/**
 * Caches values until a change in their workspace is published. Changes arrive within a second; while the listener is not connected,
 * every value is loaded anew.
 */
export class ChangeCache<Key extends { workspace_id: string }, Value, Change extends { workspaceId: string }> {
  private readonly cached = new LRUCache<string, CachedValue<Value>>(this.options.limits);
  /** Loads started so far. A value is current if its load started after the last change. */
  private loads = 0;
  /** How many loads had started at the last change, by workspace id. */
  private readonly changedAt = new Map<string, number>();
  /** How many had started when the listener was last not connected, or missed a change. */
  private interruptedAt = 0;

  constructor(private readonly options: ChangeCacheOptions<Key, Value, Change>) {
    options.changes.onChange(({ payload }) => {
      if (payload && (options.concerns?.(payload) ?? true)) this.changedAt.set(payload.workspaceId, this.loads);
    });
    options.changes.onMissed(() => this.distrust());
  }

  /**
   * The values of these keys by their names. Keys that are not cached are loaded together.
   * @param anew loads cached keys as well.
   */
  async find(keys: readonly Key[], { anew = false } = {}): Promise<Map<string, Value>> {
    const { nameOf, load, replace } = this.options;
    this.checkConnection();
    const found = new Map<string, Value>();
    const missing = new Map<string, Key>();
    for (const key of keys) {
      const name = nameOf(key);
      if (found.has(name) || missing.has(name)) continue;
      const cached = this.cached.get(name);
      const changedAt = Math.max(this.interruptedAt, this.changedAt.get(key.workspace_id) ?? 0);
      if (!anew && cached && cached.load > changedAt) found.set(name, cached.value);
      else missing.set(name, key);
    }
    const wanted = [...missing];
    for (let loaded = 0; loaded < wanted.length;) {
      const page = wanted.slice(loaded, loaded + KEYS_MAX);
      const number = (this.loads += 1);
      const values = await load(page.map(([, key]) => key));
      if (values.length === 0) throw new Error(`Loading ${page.length} keys returned no values`);
      this.checkConnection();
      values.forEach((one, index) => {
        const [name] = page[index]!;
        const value = replace ? replace(this.cached.peek(name)?.value, one) : one;
        found.set(name, value);
        this.cached.set(name, { value, load: number });
      });
      loaded += values.length;
    }
    return found;
  }

  clear(): void {
    this.cached.clear();
  }

  private checkConnection() {
    if (!this.options.changes.isConnected()) this.distrust();
  }

  private distrust() {
    this.interruptedAt = this.loads;
  }
}
