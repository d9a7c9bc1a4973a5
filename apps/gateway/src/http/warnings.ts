import type { FastifyReply } from 'fastify';
import { WARNING_HEADER } from '@tidings/contracts/core/warnings';

/** Characters of one warning, and of all of an answer: proxies refuse long headers. */
const WARNING_LENGTH_MAX = 700;
const WARNINGS_LENGTH_MAX = 2_000;
/** Ends a warning that was cut, and replaces those that do not fit. */
const CUT = '...';
const SEPARATOR = '; ';

/** Names that a warning shows, and characters of each. */
const NAMES_SHOWN_MAX = 5;
const NAME_LENGTH_SHOWN_MAX = 60;

/**
 * Adds warnings to the header `x-tidings-warning` of an answer that is not sent yet. Any text is safe: characters that a header cannot
 * have are escaped, and long texts are cut.
 */
export function warn({ raw }: FastifyReply, ...warnings: readonly string[]) {
  if (warnings.length === 0 || raw.headersSent) return;
  let header = (raw.getHeader(WARNING_HEADER) as string | undefined) ?? '';
  for (const warning of warnings) {
    if (header.endsWith(SEPARATOR + CUT)) break;
    const text = cut(ascii(warning), WARNING_LENGTH_MAX);
    const fits = header.length + SEPARATOR.length + text.length <= WARNINGS_LENGTH_MAX;
    header = header === '' ? text : header + SEPARATOR + (fits ? text : CUT);
  }
  raw.setHeader(WARNING_HEADER, header);
}

/** Names for a warning: quoted, the first `max` of them, then how many there are more. */
export function shownNames(names: readonly string[], max = NAMES_SHOWN_MAX): string {
  const shown = names.slice(0, max).map((name) => JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN_MAX)));
  return `${shown.join(', ')}${names.length > max ? ` and ${names.length - max} more` : ''}`;
}

/** With every other character escaped as in JSON. */
function ascii(text: string) {
  return text.replace(/[^ -~]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function cut(text: string, max: number) {
  return text.length <= max ? text : text.slice(0, max - CUT.length) + CUT;
}
