import { type Helper, textOf } from './helper';
import { shown } from './helpers-data';
import { sprintf } from './sprintf';
import { pieceSpender } from './value-text';

const onText =
  (operation: (value: string) => string): Helper =>
  ([value], call) =>
    operation(textOf(value, call));

/** `truncate text 20 "…"`: the first so many characters, and the ending where some were left out. The number may come first. */
const truncate: Helper = (args, call) => {
  const [first, second, suffix = call.hash.suffix ?? '…'] = args;
  const [value, length] = typeof first === 'number' && typeof second !== 'number' ? [second, first] : [first, second];
  const count = Number(length);
  if (!Number.isInteger(count) || count < 0) throw new Error(`needs a number of characters (got ${shown(length)})`);
  const whole = textOf(value, call);
  if (whole.length <= count) return whole;
  const cut = whole.slice(0, count);
  // Half of a surrogate pair is not a character.
  return (cut.isWellFormed() ? cut : cut.slice(0, -1)) + textOf(suffix, call);
};

/** Arguments of `format`; a list counts as its elements. */
const FORMAT_ARGS_MAX = 100;

export const stringHelpers: Readonly<Record<string, Helper>> = {
  capitalize: onText((value) => value.slice(0, 1).toUpperCase() + value.slice(1)),
  concat: (args, call) => args.map((value) => textOf(value, call)).join(textOf(call.hash.separator, call)),
  format: ([template, ...args], call) =>
    sprintf(textOf(template, call), args.flat(1).slice(0, FORMAT_ARGS_MAX), pieceSpender(call.run.budget)),
  trim: onText((value) => value.trim()),
  'trim-left': onText((value) => value.trimStart()),
  'trim-right': onText((value) => value.trimEnd()),
  'trim-one-char-right': onText((value) => value.slice(0, -1)),
  truncate,
};
