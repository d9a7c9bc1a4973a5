import { OptionalTextOf, textFields } from '../core/fields';

const UTM_KEYS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/**
 * The UTM parameters of links: `utm_source` and so on.
 * @property source `utm_source` of links: where the reader comes from. @example "newsletter"
 * @property medium `utm_medium` of links: the kind of channel. @example "email"
 * @property campaign `utm_campaign` of links. @example "spring"
 * @property term `utm_term` of links: the search term. @example "shoes"
 * @property content `utm_content` of links: distinguishes links to one page. @example "button"
 */
export class Utm extends textFields(OptionalTextOf(256), ...UTM_KEYS) {}

/** The non-empty parameters; undefined if there is none. */
export function givenUtm(utm: Utm | null | undefined): Utm | undefined {
  const given = UTM_KEYS.filter((key) => utm?.[key]).map((key) => [key, utm![key]] as const);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
