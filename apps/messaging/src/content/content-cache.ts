import type { ContentChanged, ContentKind } from '@tidings/contracts/content/events';
import type { ChangeListener } from '@tidings/events/change-listener';
import { LRUCache } from 'lru-cache';

/** Maximum number of cached values, and of their characters together as `charsOf` counts them. */
const VALUES_MAX = 20_000;
const VALUES_CHARS_MAX = 64_000_000;
/** Maximum number of keys per load. */
const KEYS_MAX = 500;

interface CachedValue<Value> {
  /** `null`: the key does not exist. */
  value: Value | null;
  /** Number of changes received before the load started: the value may be older than a later change. */
  asOf: number;
}

interface ContentCacheOptions<Key, Value> {
  changes: ChangeListener<ContentChanged>;
  /** Kinds of changes that invalidate values. */
  kinds: readonly ContentKind[];
  nameOf(key: Key): string;
  /** Loads the first of these keys, at least one, in order; `null` where a key does not exist. */
  load(keys: Key[]): Promise<readonly (Value | null)[]>;
}

/**
 * Caches values of the content service until content publishes a change in the workspace. Changes arrive within a second; while the
 * listener is not connected, every value is loaded anew.
 */
export class ContentCache<Key extends { workspace_id: string }, Value extends object> {
  private readonly cached = new LRUCache<string, CachedValue<Value>>({
    max: VALUES_MAX,
    maxSize: VALUES_CHARS_MAX,
    sizeCalculation: ({ value }, name) => name.length + charsOf(value) + 1,
  });
  /** Number of the last change by workspace id. */
  private readonly changedAt = new Map<string, number>();

  constructor(private readonly options: ContentCacheOptions<Key, Value>) {
    const { changes, kinds } = options;
    changes.onChange(({ payload }) => {
      if (payload && kinds.includes(payload.kind)) this.changedAt.set(payload.workspaceId, changes.count);
    });
  }

  /**
   * The values of these keys by their names, `null` where a key does not exist. Keys that are not cached are loaded together.
   * @param anew loads cached keys as well.
   */
  async find(keys: readonly Key[], { anew = false } = {}): Promise<Map<string, Value | null>> {
    const { nameOf, changes } = this.options;
    if (!changes.isConnected()) this.cached.clear();
    const found = new Map<string, Value | null>();
    const missing = new Map<string, Key>();
    for (const key of keys) {
      const name = nameOf(key);
      if (found.has(name) || missing.has(name)) continue;
      const cached = this.cached.get(name);
      if (!anew && cached && cached.asOf >= (this.changedAt.get(key.workspace_id) ?? 0)) found.set(name, cached.value);
      else missing.set(name, key);
    }
    const names = [...missing.keys()];
    for (let loaded = 0; loaded < names.length;) {
      const page = names.slice(loaded, loaded + KEYS_MAX);
      const asOf = changes.count;
      const values = await this.options.load(page.map((name) => missing.get(name)!));
      if (values.length === 0) throw new Error(`content returned no values for ${page.length} keys`);
      values.forEach((value, index) => {
        found.set(page[index]!, value);
        if (changes.isConnected()) this.cached.set(page[index]!, { value, asOf });
      });
      loaded += values.length;
    }
    return found;
  }
}

/** Approximate characters of a number, the quotes of a name or an empty object. */
const CHARS_OF_SMALL = 8;

/** Approximate length of the value as JSON, without serializing it: a catalogue is one text with a known length. */
function charsOf(value: unknown) {
  if (typeof value === 'string') return value.length + CHARS_OF_SMALL;
  if (typeof value !== 'object' || value === null) return CHARS_OF_SMALL;
  let chars = CHARS_OF_SMALL;
  if (Array.isArray(value)) for (const item of value) chars += charsOf(item);
  else for (const name in value) chars += name.length + charsOf((value as Record<string, unknown>)[name]);
  return chars;
}
