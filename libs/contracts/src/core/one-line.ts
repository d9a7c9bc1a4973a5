import { ValidateBy } from 'class-validator';

/** Line breaks, escape characters, and other control characters that would affect the terminal or page that shows the text. */
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** The value is a one-line text for people: without control characters. */
export function IsOneLine(): PropertyDecorator {
  return ValidateBy({
    name: 'isOneLine',
    validator: {
      validate: (value) => typeof value === 'string' && !CONTROL.test(value),
      defaultMessage: () => '$property must not contain control characters, such as a line break',
    },
  });
}
