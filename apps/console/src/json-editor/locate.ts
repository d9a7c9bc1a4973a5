import { jsonLanguage } from '@codemirror/lang-json';
import { parseObject } from '../json-object';
import { pathIn, type Remark, variableIn } from './remark';

/** A remark with its range in the text; without a line it concerns all of it. */
export interface Located extends Remark {
  from: number;
  to: number;
  /** From 1; absent where it concerns all of the text. */
  line?: number;
}

type Tree = ReturnType<typeof jsonLanguage.parser.parse>;
type Node = Tree['topNode'];

/** The remarks with their ranges, or the mistake in the syntax alone. */
export function locate(text: string, remarks: readonly Remark[]): Located[] {
  const tree = jsonLanguage.parser.parse(text);
  const at = (remark: Remark, range: { from: number; to: number } | undefined): Located =>
    range ? { ...remark, ...range, line: text.slice(0, range.from).split('\n').length } : { ...remark, from: 0, to: 0 };
  const parsed = parseObject(text);
  if ('problem' in parsed) return [at({ severity: 'error', message: parsed.problem }, firstError(tree))];
  return remarks.map((remark) => {
    const path = pathIn(remark.message);
    return at(remark, path ? rangeOf(tree, text, path) : variableIn(remark.message, text));
  });
}

function firstError(tree: Tree) {
  let found: { from: number; to: number } | undefined;
  tree.iterate({ enter: ({ type, from, to }) => void (type.isError && (found ??= { from, to })) });
  return found;
}

/** The deepest part of the text on a path; a field that is missing belongs to its object. */
function rangeOf(tree: Tree, text: string, path: readonly (string | number)[]) {
  let node: Node | null = tree.topNode.firstChild;
  for (const key of path) {
    const next: Node | null = node && (typeof key === 'number' ? itemOf(node, key) : fieldOf(node, key, text));
    if (!next) break;
    node = next;
  }
  return node ? { from: node.from, to: node.name === 'Object' || node.name === 'Array' ? node.from + 1 : node.to } : undefined;
}

const PUNCTUATION = new Set(['[', ']', '{', '}', ',', ':', '⚠']);

function itemOf(node: Node, index: number): Node | null {
  if (node.name !== 'Array') return null;
  let position = 0;
  for (let child = node.firstChild; child; child = child.nextSibling)
    if (!PUNCTUATION.has(child.name) && position++ === index) return child;
  return null;
}

function fieldOf(node: Node, name: string, text: string): Node | null {
  for (const property of node.name === 'Object' ? node.getChildren('Property') : []) {
    const key = property.getChild('PropertyName');
    if (key && text.slice(key.from, key.to) === JSON.stringify(name)) return property.lastChild;
  }
  return null;
}
