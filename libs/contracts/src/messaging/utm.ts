import { OptionalTextOf } from '../core/fields';

const UTM_LENGTH_MAX = 256;

const UTM_KEYS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** The UTM parameters of links: `utm_source` and so on. */
export class Utm {
  @OptionalTextOf(UTM_LENGTH_MAX) source?: string | null;

  @OptionalTextOf(UTM_LENGTH_MAX) medium?: string | null;

  @OptionalTextOf(UTM_LENGTH_MAX) campaign?: string | null;

  @OptionalTextOf(UTM_LENGTH_MAX) term?: string | null;

  @OptionalTextOf(UTM_LENGTH_MAX) content?: string | null;
}

/** The non-empty parameters; undefined if there is none. */
export function givenUtm(utm: Utm | null | undefined): Utm | undefined {
  const given = UTM_KEYS.filter((key) => utm?.[key]).map((key) => [key, utm![key]] as const);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
