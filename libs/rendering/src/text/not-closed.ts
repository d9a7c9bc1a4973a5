import { lineAt } from './template-bounds';

/** Comments, and the beginnings of other tags with the name of a block, if it starts or ends one. */
const TAGS =
  /\\\{\{|\{{4}[^{}]*\}{0,4}|\{\{~?!--[\s\S]*?(?:--~?\}\}|$)|(\{\{\{?)~?\s*(?:([#/]|\^(?!~?\}\}))[>*\s]*([^\s~{}()]*))?([^{}]*)(\}{0,3})/g;
/** Characters of a tag that are shown. */
const SHOWN_MAX = 40;

/** A tag or block that is not closed, as a sentence with its line; undefined where all are. For texts that do not parse. */
export function notClosed(source: string): { readonly line: number; readonly sentence: string } | undefined {
  const open: { readonly at: number; readonly tag: string; readonly name: string }[] = [];
  const missing = (at: number, tag: string, end: string) => ({
    line: lineAt(source, at),
    sentence: `“${shown(tag)}” is not closed: “${end}” is missing`,
  });
  for (const { 0: found, index, 1: start, 2: kind, 3: name = '', 5: end = '' } of source.matchAll(TAGS)) {
    if (start === undefined) {
      if (/^\{\{~?!--/.test(found) && !/--~?\}\}$/.test(found)) return missing(index, found, '--}}');
      continue;
    }
    const expected = '}'.repeat(start.length);
    if (end.length < expected.length) return missing(index, found.slice(0, found.length - end.length), expected);
    if (kind === '/') {
      if (open.at(-1)?.name === name) open.pop();
    } else if (kind !== undefined) open.push({ at: index, tag: found, name });
  }
  const last = open.at(-1);
  return last && missing(last.at, last.tag, `{{/${last.name}}}`);
}

/** The first line of a tag. */
function shown(tag: string) {
  const [line = ''] = tag.trimEnd().split('\n', 1);
  return line.length > SHOWN_MAX ? `${line.slice(0, SHOWN_MAX)}…` : line;
}
