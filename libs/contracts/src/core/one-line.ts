import { ValidateBy } from 'class-validator';

/** Line breaks, escape sequences, and what else would do something to the terminal or the page that shows the text. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** A text for people that stands in one line: without control characters. */
export function IsOneLine(): PropertyDecorator {
  return ValidateBy({
    name: 'isOneLine',
    validator: {
      validate: (value) => typeof value === 'string' && !CONTROL.test(value),
      defaultMessage: () => '$property must not contain control characters, such as a line break',
    },
  });
}
