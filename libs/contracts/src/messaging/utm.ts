import { OptionalTextOf, textFields } from '../core/fields';

const UTM_KEYS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** The UTM parameters of links: `utm_source` and so on. */
export class Utm extends textFields(OptionalTextOf(256), ...UTM_KEYS) {}

/** The non-empty parameters; undefined if there is none. */
export function givenUtm(utm: Utm | null | undefined): Utm | undefined {
  const given = UTM_KEYS.filter((key) => utm?.[key]).map((key) => [key, utm![key]] as const);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
