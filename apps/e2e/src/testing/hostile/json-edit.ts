import { RawJson } from './hostile-values';

type Edit = (value: unknown) => unknown;

/** How many values stand in a JSON value, itself included. */
export function sizeOf(value: unknown): number {
  return 1 + childrenOf(value).reduce<number>((sum, [, child]) => sum + sizeOf(child), 0);
}

/** The value with its `index`th part edited, counted from the outside and modulo their number; the value itself is not modified. */
export function editedAt(value: unknown, index: number, edit: Edit): unknown {
  let left = index % sizeOf(value);
  const visit = (part: unknown): unknown => {
    if (left-- === 0) return edit(part);
    if (Array.isArray(part)) return part.map(visit);
    const children = childrenOf(part);
    // Not by assignment: a key may be `__proto__`.
    return children.length === 0 ? part : Object.fromEntries(children.map(([key, child]) => [key, visit(child)]));
  };
  return visit(value);
}

/** With a field more; what is no object becomes one. */
export function withField(key: string, added: unknown): Edit {
  return (value) => Object.fromEntries([...(isObject(value) ? Object.entries(value) : []), [key, added]]);
}

/** Without one of its fields or elements. */
export function withoutField(index: number): Edit {
  return (value) => {
    const children = childrenOf(value);
    const remaining = children.filter((_, position) => position !== index % children.length);
    return Array.isArray(value) ? remaining.map(([, child]) => child) : isObject(value) ? Object.fromEntries(remaining) : null;
  };
}

/** The JSON text, with `RawJson` as it is. */
export function jsonText(value: unknown): string {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_key, part: unknown) => (part instanceof RawJson ? `raw-json-${raws.push(part.text) - 1}-` : part));
  return text.replaceAll(/"raw-json-(\d+)-"/g, (_match, index: string) => raws[Number(index)]!);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof RawJson);
}

function childrenOf(value: unknown): [string, unknown][] {
  return Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
}
