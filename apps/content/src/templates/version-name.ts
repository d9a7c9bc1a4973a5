import { invalid } from '@tidings/contracts/core/refusals';

/** The number of the draft among a template's versions. */
export const DRAFT = 0;
/** The published version. */
export const PUBLISHED = -1;
/** The published version, or the draft where none is published. */
export const SHOWN = -2;

const DIGITS_MIN = 3;

/** `v002`. */
export function versionName(version: number) {
  return `v${String(version).padStart(DIGITS_MIN, '0')}`;
}

/**
 * Parses `draft`, `published`, `v001`, or `published:v001` as in listings. An absent or empty text yields `otherwise`.
 * @throws ServiceError `invalid_request` for other texts.
 */
export function parseVersion(text: string | null | undefined, otherwise: number) {
  if (text === undefined || text === null || text === '') return otherwise;
  if (text === 'draft') return DRAFT;
  if (text === 'published') return PUBLISHED;
  const digits = /^(?:published:)?v0*([1-9]\d{0,8})$/.exec(text)?.[1];
  if (digits === undefined) {
    throw invalid(`version must be draft, published, or a version as v001 (got ${JSON.stringify(text.slice(0, 60))})`);
  }
  return Number(digits);
}
