import Handlebars from 'handlebars';
import type { Program } from './syntax';
import { assertReadable, templateError } from './template-bounds';

/** Index of a list in a Handlebars path, as authors write it; Handlebars itself knows only `items.[0]`. */
const MUSTACHE = /(?<!\\)\{\{[^{}]{1,2000}\}\}/g;
const INDEX = /"[^"]*"|'[^']*'|(?<=[\p{L}\p{N}_$\]])\[(\d{1,6}|'[^'\]]{1,100}'|"[^"\]]{1,100}")\]/gu;

/** Handlebars' syntax tree of a text. Throws `invalid_request` naming the line. */
export function parseTemplate(source: string): Program {
  assertReadable(source);
  try {
    return Handlebars.parse(source.replace(MUSTACHE, withIndexes)) as Program;
  } catch (error) {
    if (error instanceof RangeError) throw templateError('The text has too many blocks within one another');
    throw explain(error);
  }
}

function withIndexes(mustache: string) {
  if (!mustache.includes('[')) return mustache;
  return mustache.replace(INDEX, (found, index: string | undefined) => (index === undefined ? found : `.[${index.replace(/["']/g, '')}]`));
}

/** The parser's multi-line message as one sentence with its line. */
function explain(error: unknown) {
  const text = error instanceof Error ? error.message : String(error);
  const parse = /^(?:Parse|Lexical) error on line (\d+)/.exec(text);
  if (parse) {
    const near = /\n(.*)\n-*\^/.exec(text)?.[1] ?? '';
    return templateError(`{{…}} is not valid Handlebars${near && `, near “${near.slice(-60)}”`}`, Number(parse[1]));
  }
  const [, sentence = text, line] = /^(.*?)(?: - (\d+):\d+)?$/s.exec(text) ?? [];
  return templateError(sentence, line === undefined ? undefined : Number(line));
}
