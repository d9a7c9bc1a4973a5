import { type Helper, type Helpers, shown, textOf } from './helper';
import { sprintf } from './sprintf';
import { pieceSpender } from './value-text';

const onText =
  (operation: (value: string) => string): Helper =>
  ([value], frame) =>
    operation(textOf(value, frame));

/** `truncate text 20 "…"`: the first so many characters, and the ending where some were left out. The number may come first. */
const truncate: Helper = (args, frame, hash) => {
  const [first, second, suffix = hash.suffix ?? '…'] = args;
  const [value, length] = typeof first === 'number' && typeof second !== 'number' ? [second, first] : [first, second];
  const count = Number(length);
  if (!Number.isInteger(count) || count < 0) throw new Error(`needs a number of characters (got ${shown(length)})`);
  const whole = textOf(value, frame);
  if (whole.length <= count) return whole;
  const cut = whole.slice(0, count);
  // Half of a surrogate pair is not a character.
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)) + textOf(suffix, frame);
};

/** Arguments of `format`; a list counts as its elements. */
const FORMAT_ARGS_MAX = 100;

export const stringHelpers: Helpers = {
  capitalize: onText((value) => value.slice(0, 1).toUpperCase() + value.slice(1)),
  concat: (args, frame, hash) => args.map((value) => textOf(value, frame)).join(textOf(hash.separator, frame)),
  format: ([template, ...args], frame) =>
    sprintf(textOf(template, frame), args.flat(1).slice(0, FORMAT_ARGS_MAX), pieceSpender(frame.run.budget)),
  trim: onText((value) => value.trim()),
  'trim-left': onText((value) => value.trimStart()),
  'trim-right': onText((value) => value.trimEnd()),
  'trim-one-char-right': onText((value) => value.slice(0, -1)),
  truncate,
};
