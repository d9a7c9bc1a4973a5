import { addMissing, shownPath } from '../scope';
import { resolveOutward } from './frame';
import type { Helper, Helpers } from './helper';
import { PATH_PATTERN, stepsOf } from './paths';
import { pieceSpender, toText } from './value-text';

/** `%s` and `%d`, with the number of their argument or without (`%2$s`), and `{path}` of a variable. */
const HOLE = new RegExp(`%(?:(\\d{1,2})\\$)?[sd]|%%|\\{(${PATH_PATTERN})\\}`, 'gu');

/**
 * `t "msgid" arg1 arg2`: the text in the recipient's language, itself where there is no translation. `%s` become the arguments
 * in order, `%2$s` the second at any position (languages order words differently), `{path}` variables. Inserted text is not
 * expanded again; a missing argument leaves its placeholder. The count among the arguments chooses the plural form;
 * `plural="…"` is the English plural where there is no translation, `context="…"` the entry's msgctxt.
 */
const translate: Helper = ([msgid, ...args], frame, hash) => {
  const { budget, scope } = frame.run;
  if (typeof msgid !== 'string') throw new Error('needs the text to translate');
  const count = countOf(args);
  const context = typeof hash.context === 'string' ? hash.context : undefined;
  const own = typeof hash.plural === 'string' && count !== undefined && count !== 1 ? hash.plural : msgid;
  const translation = scope.catalogue?.(msgid, { count, context }) ?? own;
  budget.spendChars(4 * translation.length);
  const spend = pieceSpender(budget);
  let next = 0;
  return translation.replace(HOLE, (found, position: string | undefined, path: string | undefined) => {
    if (found === '%%') return '%';
    if (path === undefined) {
      const index = position === undefined ? next++ : Number(position) - 1;
      return index in args ? spend(toText(args[index]) ?? '') : found;
    }
    const value = resolveOutward(stepsOf(path), frame);
    if (value === undefined) addMissing(scope, shownPath(path));
    return spend(toText(value) ?? found);
  });
};

/** The first number; where there is none, the first text of digits alone, as many clients send their numbers. */
function countOf(args: readonly unknown[]) {
  const number = args.find((value) => typeof value === 'number');
  const digits = number ?? args.find((value) => typeof value === 'string' && /^\d{1,15}$/.test(value));
  return digits === undefined ? undefined : Number(digits);
}

export const translationHelpers: Helpers = { t: translate };
