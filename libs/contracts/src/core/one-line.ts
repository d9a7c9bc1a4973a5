import { CheckedBy } from './fields';

/** Line breaks, escape characters, and other control characters that would affect the terminal or page that shows the text. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The value is a one-line text for people: without control characters. */
export const IsOneLine = CheckedBy(
  'isOneLine',
  (value) => typeof value === 'string' && !CONTROL.test(value),
  'must not contain control characters, such as a line break',
);
