import { invalid } from '@tidings/contracts/core/refusals';

/** The number of the draft among a template's versions. */
export const DRAFT = 0;
/** The published version. */
export const PUBLISHED = -1;
/** The published version, or the draft where none is published. */
export const SHOWN = -2;

/** `v002`, or `draft`. */
export function versionName(version: number) {
  return version === DRAFT ? 'draft' : `v${String(version).padStart(3, '0')}`;
}

/**
 * Parses `draft`, `published`, `v001`, or `published:v001` as in listings. An absent or empty text yields `otherwise`.
 * @throws ServiceError `invalid_request` for other texts.
 */
export function parseVersion(text: string | null | undefined, otherwise: number) {
  return text ? versionOf(text, 'draft', 'v001', /^(?:published:)?v0*([1-9]\d{0,8})$/) : otherwise;
}

/**
 * Parses `zero`, the name of the version numbered 0, `published`, or a version such as `example`.
 * @throws ServiceError `invalid_request` for other texts.
 */
export function versionOf(text: string, zero: 'draft' | 'latest', example: string, numbered: RegExp) {
  if (text === zero) return 0;
  if (text === 'published') return PUBLISHED;
  const digits = numbered.exec(text)?.[1];
  if (digits !== undefined) return Number(digits);
  throw invalid(`version must be ${zero}, published, or a version as ${example} (got ${JSON.stringify(text.slice(0, 60))})`);
}
