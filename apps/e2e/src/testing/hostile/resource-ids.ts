/** Cached ids per name: the latest, since older resources may be deleted. */
const IDS_MAX = 40;
/** Cached path parameters per set of names. */
const PARAMETERS_MAX = 100;
/** Longer text, or text that a path cannot carry, comes from free data and is no id. */
const ID_LENGTH_MAX = 512;
const HARVEST_DEPTH_MAX = 6;

/** Names of the same id in other resources. */
const OTHER_NAMES: Readonly<Record<string, string>> = { requestid: 'messageid' };

/** Valid values of parameters that are not free. */
const OF_A_KIND: Readonly<Record<string, readonly string[]>> = {
  submissionid: ['1700000000000', '1'],
  version: ['latest', 'published', 'v1'],
  // The `RENDERED` event's number in a simple e-mail's history.
  renderid: ['4'],
  part: ['html', 'subject', 'text'],
};

/** Ids for resources that callers name freely, with special characters of paths. */
const chosen = (name: string): readonly string[] => OF_A_KIND[normalised(name)] ?? [`${name}-1`, `${name}-2`, `${name}:a/b+c=ü 😀`];

/** Path parameters of one existing resource: a topic with its own section. */
export type PathParameters = Readonly<Record<string, string>>;

/** Ids of existing resources, by name: `user_id`, `userId` and `parent_user_id` are the same name. */
export class ResourceIds {
  private readonly byName = new Map<string, string[]>();
  private readonly parametersByNames = new Map<string, PathParameters[]>();

  /** @param reserved ids that no request names: the credential of the requests would end with its key. */
  constructor(private readonly reserved: readonly string[] = []) {}

  /** Ids for a path parameter: those found so far, else generated ones. */
  of(name: string): readonly string[] {
    const key = normalised(name);
    const found = this.byName.get(OTHER_NAMES[key] ?? key);
    return found && found.length > 0 ? found : chosen(name);
  }

  /** All ids found under a name; no generated ones. */
  all(name: string): readonly string[] {
    return this.byName.get(normalised(name)) ?? [];
  }

  /** Ids for a body field named like an earlier parameter; none for other fields. */
  forField(name: string): readonly string[] {
    const key = normalised(name);
    const exact = this.byName.get(key);
    if (exact) return exact;
    // A bare `id` may be of any kind.
    for (const [suffix, ids] of this.byName) if (suffix !== 'id' && suffix.endsWith('id') && key.endsWith(suffix)) return ids;
    return [];
  }

  add(name: string, id: string): void {
    const key = OTHER_NAMES[normalised(name)] ?? normalised(name);
    const ids = this.byName.get(key) ?? [];
    if (id === '' || this.reserved.includes(id) || id.length > ID_LENGTH_MAX || /\p{Surrogate}/u.test(id)) return;
    if (!ids.includes(id)) this.byName.set(key, [...ids, id].slice(-IDS_MAX));
  }

  /** Parameters of existing resources, of all paths with these names. */
  pathParameters(names: readonly string[]): readonly PathParameters[] {
    return this.parametersByNames.get(names.join()) ?? [];
  }

  /** Caches the parameters of a path, in their order. */
  addPathParameters(parameters: PathParameters): void {
    if (Object.values(parameters).some((id) => this.reserved.includes(id))) return;
    const names = Object.keys(parameters).join();
    this.parametersByNames.set(names, [...(this.parametersByNames.get(names) ?? []), parameters].slice(-PARAMETERS_MAX));
  }

  /** Caches every id of an answer; returns those of `itemName`, including `id` fields. */
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
