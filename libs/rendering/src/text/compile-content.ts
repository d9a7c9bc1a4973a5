import { type Frame, resolveOutward, type Run, type Writer } from './frame';
import { PATH_PATTERN, type PathStep, stepsOf } from './paths';
import { templateError } from './template-error';
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
  return (run: Run, frame: Frame) => {
    const value = resolveOutward(path, run, frame);
    return value === undefined ? writeMissing(source, run) : writeValue(value, run, source, true);
  };
}

/** Writes a missing `{path}` variable: its source, or throws with `onMissing: 'throw'`. */
export function writeMissing(source: string, run: Run): string {
  if (run.scope.onMissing === 'throw') throw notFound(source.slice(1, -1));
  run.budget.spendChars(source.length);
  return run.sink(source);
}

/** Writes the value of `{{…}}`. */
export function writeValue(value: unknown, run: Run, label: string, isVariable: boolean): string {
  const text = toText(value);
  if (text === undefined && isVariable && run.scope.onMissing === 'throw') throw notFound(label);
  run.budget.spendChars(text?.length ?? 0);
  return text ? run.sink(text) : '';
}

function notFound(path: string): Error {
  return templateError(`Variable not found: ${path}`);
}
