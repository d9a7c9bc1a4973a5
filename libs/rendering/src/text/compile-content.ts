import { resolveOutward, type Run, type Writer } from './frame';
import { PATH_PATTERN, type PathStep, stepsOf } from './paths';
import { toText } from './value-text';

/** `{path}`; a preceding brace belongs to an escaped `\{{path}}`. */
const SINGLE = new RegExp(`(?<!\\{)\\{(${PATH_PATTERN})\\}`, 'gu');

/** Compiles a text with `{path}` variables; other braces are literal. */
export function compileContent(content: string): Writer {
  const pieces: (string | Writer)[] = [];
  let literalStart = 0;
  if (content.includes('{')) {
    for (const found of content.matchAll(SINGLE)) {
      if (found.index > literalStart) pieces.push(content.slice(literalStart, found.index));
      pieces.push(compileSingle(found[0], stepsOf(found[1] as string)));
      literalStart = found.index + found[0].length;
    }
  }
  if (literalStart < content.length) pieces.push(content.slice(literalStart));
  if (pieces.every((piece) => typeof piece === 'string')) return () => content;
  return (run, frame) => {
    let text = '';
    for (const piece of pieces) text += typeof piece === 'string' ? piece : piece(run, frame);
    return text;
  };
}

function compileSingle(source: string, path: readonly PathStep[]): Writer {
  return (run, frame) => {
    const value = resolveOutward(path, run, frame);
    return value === undefined ? writeMissing(source, run) : writeValue(value, run);
  };
}

/** Writes the source of a `{path}` variable without a value: it stays visible. */
export function writeMissing(source: string, run: Run): string {
  run.budget.spendChars(source.length);
  return run.sink(source);
}

/** Writes the value of `{{…}}`; nothing when it is missing. */
export function writeValue(value: unknown, run: Run): string {
  const text = toText(value);
  run.budget.spendChars(text?.length ?? 0);
  return text ? run.sink(text) : '';
}
