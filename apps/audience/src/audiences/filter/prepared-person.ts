import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { Attribute, attributeAt } from './attribute';

/** The data of a person that filters can use. */
export interface Person {
  readonly profile: JsonObject;
  /** Ids of all tenants of the person. */
  readonly tenantIds: readonly string[];
}

/** Characters of a text that are parsed, at most once, in the time of one step. */
const CHARACTERS_PER_STEP = 8;
/** Steps for one element of an array, counted once: it may be a number written as text. */
export const STEPS_OF_AN_ELEMENT = 20;

/** A person to be evaluated by any number of filters: each attribute is parsed once for all of them. */
export class PreparedPerson {
  readonly tenantIds: ReadonlySet<string>;
  /** Steps used so far by filters and preparation, approximately. */
  steps = 0;
  private readonly profile: JsonObject;
  private readonly attributes = new Map<string, Attribute>();

  constructor({ profile, tenantIds }: Person) {
    this.profile = profile;
    this.tenantIds = new Set(tenantIds);
  }

  /** @param key the names of `path` joined by dots; names contain none. */
  attributeAt(key: string, path: readonly string[]): Attribute {
    let attribute = this.attributes.get(key);
    if (!attribute) {
      attribute = new Attribute(attributeAt(this.profile, path));
      this.attributes.set(key, attribute);
      this.steps += stepsToPrepare(attribute.value);
    }
    return attribute;
  }
}

/** Different paths have different values, so all together cost no more than the profile's length. */
function stepsToPrepare(value: unknown) {
  if (typeof value === 'string') return 1 + Math.ceil(value.length / CHARACTERS_PER_STEP);
  return Array.isArray(value) ? 1 + value.length * STEPS_OF_AN_ELEMENT : 1;
}
