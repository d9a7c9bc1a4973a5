/** How many ids of one kind are remembered: the latest, since what they name may be deleted. */
const IDS_MAX = 40;
/** How many places are remembered of each kind. */
const PLACES_MAX = 100;
/** Longer text, or what no path can carry, was taken from free data: it names nothing. */
const ID_LENGTH_MAX = 512;
const HARVEST_DEPTH_MAX = 6;

/** What one resource is called where another refers to it. */
const OTHER_NAMES: Readonly<Record<string, string>> = { requestid: 'messageid' };

/** Names that only some texts can have. */
const OF_A_KIND: Readonly<Record<string, readonly string[]>> = {
  submissionid: ['1700000000000', '1'],
  version: ['latest', 'published', 'v1'],
  // Where a simple e-mail's history has it.
  renderid: ['4'],
  part: ['html', 'subject', 'text'],
};

/** Ids of things that the caller may name freely; written with what is special in a path. */
const chosen = (name: string): readonly string[] => OF_A_KIND[normalised(name)] ?? [`${name}-1`, `${name}-2`, `${name}:a/b+c=ü 😀`];

/** What stands for the parameters of a path where something is: a topic in its own section, not in any. */
export type Place = Readonly<Record<string, string>>;

/** Ids of things that exist, by what they are called: `user_id`, `userId` and `parent_user_id` are one. */
export class KnownIds {
  private readonly byName = new Map<string, string[]>();
  private readonly placesByNames = new Map<string, Place[]>();

  /** Ids for a parameter of a path: those met so far, else some of our own choice. */
  of(name: string): readonly string[] {
    const key = normalised(name);
    const known = this.byName.get(OTHER_NAMES[key] ?? key);
    return known && known.length > 0 ? known : chosen(name);
  }

  /** All that were met under a name; none of our own choice. */
  all(name: string): readonly string[] {
    return this.byName.get(normalised(name)) ?? [];
  }

  /** Ids for a field of a body that is named like a parameter met before; none for other fields. */
  forField(name: string): readonly string[] {
    const key = normalised(name);
    const exact = this.byName.get(key);
    if (exact) return exact;
    // What is called `id` and nothing else may be anything.
    for (const [known, ids] of this.byName) if (known !== 'id' && known.endsWith('id') && key.endsWith(known)) return ids;
    return [];
  }

  add(name: string, id: string): void {
    const key = OTHER_NAMES[normalised(name)] ?? normalised(name);
    const ids = this.byName.get(key) ?? [];
    if (id === '' || id.length > ID_LENGTH_MAX || /\p{Surrogate}/u.test(id)) return;
    if (!ids.includes(id)) this.byName.set(key, [...ids, id].slice(-IDS_MAX));
  }

  /** Where something was met, of all paths with these parameters. */
  places(names: readonly string[]): readonly Place[] {
    return this.placesByNames.get(names.join()) ?? [];
  }

  /** Remembers what stood for the parameters of a path, in their order. */
  addPlace(place: Place): void {
    const names = Object.keys(place).join();
    this.placesByNames.set(names, [...(this.placesByNames.get(names) ?? []), place].slice(-PLACES_MAX));
  }

  /** Remembers every id in an answer; returns those of `itemName`, which the `id`s are too. */
  harvest(body: unknown, itemName: string | undefined, depth = 0): string[] {
    if (depth > HARVEST_DEPTH_MAX || typeof body !== 'object' || body === null) return [];
    return Object.entries(body).flatMap(([key, value]) => {
      if (typeof value !== 'string') return this.harvest(value, itemName, depth + 1);
      const name = key === 'id' ? itemName : key;
      if (name === undefined || !/(?:id|cursor|token)$/i.test(name)) return [];
      this.add(name, value);
      return itemName !== undefined && normalised(name) === normalised(itemName) ? [value] : [];
    });
  }
}

function normalised(name: string): string {
  return name.replaceAll('_', '').toLowerCase();
}
