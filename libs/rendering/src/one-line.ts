import { cut } from '@tidings/contracts/core/text';
import { TITLE_CHARS_MAX } from './limits';

// eslint-disable-next-line no-control-regex -- control characters, line ends among them, are what must go
const NOT_ON_A_LINE = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;

/** A text as one line, as a header must be: no line ends or control characters, cut where a mail could not hold it. */
export function oneLine(text: string): string {
  return cut(text.replace(NOT_ON_A_LINE, ' ').trim(), TITLE_CHARS_MAX);
}
