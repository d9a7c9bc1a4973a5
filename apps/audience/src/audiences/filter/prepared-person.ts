import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { Attribute, attributeAt } from './attribute';

/** What of a person a filter can look at. */
export interface Person {
  readonly profile: JsonObject;
  /** Of all tenants the person belongs to. */
  readonly tenantIds: readonly string[];
}

/** Characters of a text that are read, at most once, in the time of one step. */
const CHARACTERS_OF_A_STEP = 8;
/** Steps in whose time an element of an array is read, at most once: it may be a number written as text. */
export const STEPS_OF_AN_ELEMENT = 20;

/** A person whom any number of filters are asked about: each attribute is taken apart once for all of them. */
export class PreparedPerson {
  readonly tenantIds: ReadonlySet<string>;
  /** What the filters have taken until now, with the preparation, about. */
  steps = 0;
  private readonly profile: JsonObject;
  private readonly attributes = new Map<string, Attribute>();

  constructor({ profile, tenantIds }: Person) {
    this.profile = profile;
    this.tenantIds = new Set(tenantIds);
  }

  /** @param place the names of `path` with dots between them; names hold none. */
  attributeAt(place: string, path: readonly string[]): Attribute {
    let attribute = this.attributes.get(place);
    if (!attribute) {
      attribute = new Attribute(attributeAt(this.profile, path));
      this.attributes.set(place, attribute);
      this.steps += stepsToPrepare(attribute.value);
    }
    return attribute;
  }
}

/** Different paths lead to different values, so all together take no more than the profile is long. */
function stepsToPrepare(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.ceil(value.length / CHARACTERS_OF_A_STEP);
  return Array.isArray(value) ? 1 + value.length * STEPS_OF_AN_ELEMENT : 1;
}
