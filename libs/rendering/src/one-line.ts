import { cut } from '@tidings/contracts/core/text';

/** Characters of a subject or title: the limit of a mail header line. */
const TITLE_CHARS_MAX = 998;
// eslint-disable-next-line no-control-regex -- matches control characters and line ends on purpose
const NOT_ON_A_LINE = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;

/** The text as one header line: without line ends and control characters, cut at `TITLE_CHARS_MAX`. */
export function oneLine(text: string): string {
  return cut(text.replace(NOT_ON_A_LINE, ' ').trim(), TITLE_CHARS_MAX);
}
