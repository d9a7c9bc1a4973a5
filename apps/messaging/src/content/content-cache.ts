import type { ContentKind } from '@tidings/contracts/content/events';
import { LRUCache } from 'lru-cache';
import type { ContentChanges } from './content-changes';

/** How many answers are kept, and how many characters they may have together, as `charsOf` counts. */
const ANSWERS_MAX = 20_000;
const ANSWERS_CHARS_MAX = 64_000_000;
/** Most keys of one question. */
const ASKED_MAX = 500;

interface Kept<Value> {
  /** `null`: there is none. */
  value: Value | null;
  /** Changes heard of when the question was put: a later change may have overtaken the answer. */
  asOf: number;
}

interface RememberedOptions<Key, Value> {
  changes: ContentChanges;
  /** Changes that may make an answer untrue. */
  kinds: readonly ContentKind[];
  nameOf(key: Key): string;
  /** Answers the first of these keys, at least one, in order; `null` where there is none. */
  load(keys: Key[]): Promise<readonly (Value | null)[]>;
}

/**
 * What the content service answered, remembered until it says that something of the workspace changed. A change is heard of
 * within a second; while changes cannot be heard, everything is asked anew.
 */
export class ContentCache<Key extends { workspace_id: string }, Value extends object> {
  private readonly kept = new LRUCache<string, Kept<Value>>({
    max: ANSWERS_MAX,
    maxSize: ANSWERS_CHARS_MAX,
    sizeCalculation: ({ value }, name) => name.length + charsOf(value) + 1,
  });
  /** The number of the last change of each workspace. */
  private readonly changedAt = new Map<string, number>();

  constructor(private readonly options: RememberedOptions<Key, Value>) {
    const { changes, kinds } = options;
    changes.onChange(({ payload }) => {
      if (payload && kinds.includes(payload.kind)) this.changedAt.set(payload.workspaceId, changes.count);
    });
  }

  /**
   * The values of these keys by their names; a key that names nothing is there with `null`. What is not remembered is asked, together.
   * @param anew what is remembered is asked as well.
   */
  async find(keys: readonly Key[], { anew = false } = {}): Promise<Map<string, Value | null>> {
    const { nameOf, changes } = this.options;
    if (!changes.isConnected()) this.kept.clear();
    const found = new Map<string, Value | null>();
    const wanted = new Map<string, Key>();
    for (const key of keys) {
      const name = nameOf(key);
      if (found.has(name) || wanted.has(name)) continue;
      const kept = this.kept.get(name);
      if (!anew && kept && kept.asOf >= (this.changedAt.get(key.workspace_id) ?? 0)) found.set(name, kept.value);
      else wanted.set(name, key);
    }
    const names = [...wanted.keys()];
    for (let answered = 0; answered < names.length;) {
      const asked = names.slice(answered, answered + ASKED_MAX);
      const asOf = changes.count;
      const values = await this.options.load(asked.map((name) => wanted.get(name)!));
      if (values.length === 0) throw new Error(`content answered none of ${asked.length} questions`);
      values.forEach((value, index) => {
        found.set(asked[index]!, value);
        if (changes.isConnected()) this.kept.set(asked[index]!, { value, asOf });
      });
      answered += values.length;
    }
    return found;
  }
}

/** About what a number, a name's quotes or an empty object take. */
const CHARS_OF_SMALL = 8;

/** About as many characters as the value has as JSON, without writing it: a catalogue is one text, whose length is known. */
function charsOf(value: unknown): number {
  if (typeof value === 'string') return value.length + CHARS_OF_SMALL;
  if (typeof value !== 'object' || value === null) return CHARS_OF_SMALL;
  let chars = CHARS_OF_SMALL;
  if (Array.isArray(value)) for (const item of value) chars += charsOf(item);
  else for (const name in value) chars += name.length + charsOf((value as Record<string, unknown>)[name]);
  return chars;
}
