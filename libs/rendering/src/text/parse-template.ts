import Handlebars from 'handlebars';
import { assertReadable, templateError } from './template-bounds';

/** Index of a list in a Handlebars path, as authors write it; Handlebars itself knows only `items.[0]`. */
const MUSTACHE = /(?<!\\)\{\{[^{}]{1,2000}\}\}/g;
const INDEX = /"[^"]*"|'[^']*'|(?<=[\p{L}\p{N}_$\]])\[(\d{1,6}|'[^'\]]{1,100}'|"[^"\]]{1,100}")\]/gu;

/** Handlebars' syntax tree of a text. Throws `invalid_request` naming the line. */
export function parseTemplate(source: string): hbs.AST.Program {
  assertReadable(source);
  try {
    return Handlebars.parse(source.replace(MUSTACHE, withIndexes));
  } catch (error) {
    if (error instanceof RangeError) throw templateError('The text has too many blocks within one another');
    throw templateError(...explain(error));
  }
}

function withIndexes(mustache: string): string {
  if (!mustache.includes('[')) return mustache;
  return mustache.replace(INDEX, (found, index: string | undefined) => (index === undefined ? found : `.[${index.replace(/["']/g, '')}]`));
}

/** Shortens the parser's multi-line message to one sentence and its line. */
function explain(error: unknown): [string, number | undefined] {
  const text = error instanceof Error ? error.message : String(error);
  const parse = /^(?:Parse|Lexical) error on line (\d+)/.exec(text);
  if (parse) {
    const near = /\n(.*)\n-*\^/.exec(text)?.[1] ?? '';
    return [`{{…}} is not valid Handlebars${near && `, near “${near.slice(-60)}”`}`, Number(parse[1])];
  }
  const [, sentence = text, line] = /^(.*?)(?: - (\d+):\d+)?$/s.exec(text) ?? [];
  return [sentence, line === undefined ? undefined : Number(line)];
}
