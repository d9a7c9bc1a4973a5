import { addMissing, shownPath } from '../scope';
import { resolveOutward, type Run, type Writer } from './frame';
import { PATH_PATTERN, stepsOf } from './paths';
import { toText } from './value-text';

/** `{path}`; a preceding brace belongs to an escaped `\{{path}}`. */
const SINGLE = new RegExp(`(?<!\\{)(\\{${PATH_PATTERN}\\})`, 'u');

/** Compiles a text with `{path}` variables; other braces are literal. */
export function compileContent(content: string): Writer {
  const parts = content.includes('{') ? content.split(SINGLE) : [];
  if (parts.length <= 1) return () => content;
  // Every second part is a variable.
  const pieces = parts.map((part, index) => (index % 2 === 0 ? part : compileSingle(part)));
  return (frame) => {
    let text = '';
    for (const piece of pieces) text += typeof piece === 'string' ? piece : piece(frame);
    return text;
  };
}

function compileSingle(source: string): Writer {
  const name = source.slice(1, -1);
  const path = stepsOf(name);
  const shown = shownPath(name);
  return (frame) => {
    const value = resolveOutward(path, frame);
    if (value !== undefined) return writeValue(value, frame.run);
    // A variable without a value stays visible.
    addMissing(frame.run.scope, shown);
    return writeValue(source, frame.run);
  };
}

/** Writes a value; nothing when it is missing. */
export function writeValue(value: unknown, run: Run): string {
  const text = toText(value);
  run.budget.spendChars(text?.length ?? 0);
  return text ? run.sink(text) : '';
}
