import { jsonLanguage } from '@codemirror/lang-json';
import { lineAt, rangeOf } from '../json-line';
import { parseObject } from '../json-object';
import { pathIn, type Remark, variableIn } from './remark';

/** A remark with its range in the text; without a line it concerns all of it. */
export interface Located extends Remark {
  from: number;
  to: number;
  /** From 1; absent where it concerns all of the text. */
  line?: number;
}

/** The remarks with their ranges, or the mistake in the syntax alone. */
export function locate(text: string, remarks: readonly Remark[]): Located[] {
  const at = (remark: Remark, range: { from: number; to: number } | undefined): Located =>
    range ? { ...remark, ...range, line: lineAt(text, range.from) } : { ...remark, from: 0, to: 0 };
  const parsed = parseObject(text);
  if ('problem' in parsed) return [at({ severity: 'error', message: parsed.problem }, firstError(text))];
  return remarks.map((remark) => {
    const path = pathIn(remark.message);
    return at(remark, path ? rangeOf(text, path) : variableIn(remark.message, text));
  });
}

function firstError(text: string) {
  let found: { from: number; to: number } | undefined;
  jsonLanguage.parser.parse(text).iterate({ enter: ({ type, from, to }) => void (type.isError && (found ??= { from, to })) });
  return found;
}
