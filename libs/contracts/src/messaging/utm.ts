import { OptionalTextOf } from '../core/fields';

const Parameter = OptionalTextOf(256);

const UTM_KEYS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** The UTM parameters of links: `utm_source` and so on. */
export class Utm {
  @Parameter source?: string | null;

  @Parameter medium?: string | null;

  @Parameter campaign?: string | null;

  @Parameter term?: string | null;

  @Parameter content?: string | null;
}

/** The non-empty parameters; undefined if there is none. */
export function givenUtm(utm: Utm | null | undefined): Utm | undefined {
  const given = UTM_KEYS.filter((key) => utm?.[key]).map((key) => [key, utm![key]] as const);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
