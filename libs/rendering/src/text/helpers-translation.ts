import type { Helper, HelperCall } from './helper';
import { resolveOutward } from './frame';
import { PATH_PATTERN, stepsOf } from './paths';
import { toText } from './value-text';

/** `%s` and `%d`, and `{path}` of a variable. */
const HOLE = new RegExp(`%[sd]|%%|\\{(${PATH_PATTERN})\\}`, 'gu');

/**
 * `t "msgid" arg1 arg2`: the text in the recipient's language, itself where there is no translation. `%s` become the arguments
 * in order, `{path}` variables; neither is looked at again. The first number among the arguments chooses the plural form;
 * `plural="…"` is the English plural where there is no translation, `context="…"` the entry's msgctxt.
 */
function translate([msgid, ...args]: readonly unknown[], { run, frame, hash }: HelperCall): string {
  if (typeof msgid !== 'string') throw new Error('needs the text to translate');
  const count = args.find((value) => typeof value === 'number');
  const context = typeof hash.context === 'string' ? hash.context : undefined;
  const own = typeof hash.plural === 'string' && count !== undefined && count !== 1 ? hash.plural : msgid;
  const translation = run.scope.catalogue?.translate(msgid, { count, context }) ?? own;
  run.budget.spendChars(4 * translation.length);
  let next = 0;
  return translation.replace(HOLE, (found, path: string | undefined) => {
    if (found === '%%') return '%';
    if (path === undefined) return next < args.length ? (toText(args[next++]) ?? '') : found;
    return toText(resolveOutward(stepsOf(path), run, frame)) ?? found;
  });
}

export const translationHelpers: Readonly<Record<string, Helper>> = { t: translate };
