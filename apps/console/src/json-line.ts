import { findNodeAtLocation, type JSONPath, type Node, parse, parseTree } from 'jsonc-parser';

/** The path with which an error begins: `routing.channels[1].if`, `channels["a b"].providers`. */
const PATH = /^[\w$-]+(?:\.[\w$-]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\])*/;
const KEY = /\[(?<index>\d+)\]|(?<quoted>"(?:[^"\\]|\\.)*")|(?<name>[\w$-]+)/g;

/**
 * The line, from 1, of what an error about a JSON text speaks of: the value at the path with which it begins, or the one above it that there
 * is; else the line that it names itself.
 */
export function lineOfError(text: string, message: string): number | undefined {
  const found = deepestOn(parseTree(text), keysOf(PATH.exec(message)?.[0] ?? ''));
  if (found) return lineAt(text, found.parent?.type === 'property' ? found.parent.offset : found.offset);
  const named = /\bline (\d+)/.exec(message)?.[1];
  return named === undefined ? undefined : Number(named);
}

/** The line, from 1, of a position in a text. */
export function lineAt(text: string, position: number): number {
  return text.slice(0, position).split('\n').length;
}

/** The range of the deepest value on a path of names and indices; of the whole text where not even the first is there. Of an object or array its bracket. */
export function rangeOf(text: string, path: JSONPath): { from: number; to: number } {
  const root = parseTree(text);
  const { offset = 0, length = 0, children } = deepestOn(root, path) ?? root ?? {};
  return { from: offset, to: offset + (children ? 1 : length) };
}

function keysOf(path: string): JSONPath {
  return [...path.matchAll(KEY)].map(({ groups }) => {
    const { index, quoted, name } = groups!;
    if (index !== undefined) return Number(index);
    return quoted === undefined ? name! : (parse(quoted) as string);
  });
}

/** The deepest value on a path that there is. */
function deepestOn(root: Node | undefined, path: JSONPath): Node | undefined {
  for (let length = path.length; root && length > 0; length--) {
    const found = findNodeAtLocation(root, path.slice(0, length));
    if (found) return found;
  }
  return undefined;
}
