import type { RenderScope } from '../scope';

/** One step of a path: a name or index, every element (`[*]`), or some of them (`[1:3]`). */
export type PathStep = string | { readonly from: number; readonly to: number };

const NAME = '[\\p{L}\\p{N}_$-]{1,100}';
const BRACKETS = `\\[(?:-?\\d{1,6}|\\*|-?\\d{0,6}:-?\\d{0,6}|'[^'\\]]{1,100}'|"[^"\\]]{1,100}")\\]`;
/** Regular expression source in linear time: repetitions are bounded, neighbours match different characters. */
export const PATH_PATTERN = `${NAME}(?:\\.${NAME}|\\.\\*|${BRACKETS}){0,20}`;

const WHOLE = new RegExp(`^${PATH_PATTERN}$`, 'u');
const STEP = new RegExp(`${NAME}|\\*|\\[(?:(-?\\d{1,6})|(\\*)|(-?\\d{0,6}):(-?\\d{0,6})|'([^']+)'|"([^"]+)")\\]`, 'gu');
const ALL: PathStep = { from: 0, to: Infinity };
const SCOPES = new Set(['data', 'profile', 'tenant', 'brand', 'refs'] as const);
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype']);
/** Elements that the steps over many (`[*]`) of one path visit at most; the rest is left out. */
export const ELEMENTS_MAX = 10_000;

/** The steps of `order.items[1]['the sku']`, also of the JSONPath forms `$.a.b`, `a[*].b`, `a[0:2]`, `a[-1]`; undefined for other text. */
export function parsePath(text: string): PathStep[] | undefined {
  return WHOLE.test(text) ? stepsOf(text) : undefined;
}

/** The steps of a text that `PATH_PATTERN` matches. */
export function stepsOf(path: string): PathStep[] {
  return Array.from(path.matchAll(STEP), ([step, index, all, from, to, single, double]) => {
    if (step === '*' || all !== undefined) return ALL;
    if (index !== undefined) return index.startsWith('-') ? { from: Number(index), to: Number(index) + 1 || Infinity } : index;
    if (from !== undefined) return { from: Number(from), to: to ? Number(to) : Infinity };
    return single ?? double ?? step;
  });
}

/**
 * The value at a path, or undefined. A bare name is one of `data`, else a built-in; `data.`, `profile.`, `tenant.`, `brand.`,
 * `refs.` and `$.` start in their scope. Follows own properties only, so JavaScript internals are unreachable.
 */
export function lookUp(path: readonly PathStep[], scope: RenderScope, prefixed = hasPrefix(path)): unknown {
  if (!prefixed) {
    const value = descend(scope.data, path);
    return value === undefined ? descend(scope.builtIns, path) : value;
  }
  const start = path[0] === '$' ? 1 : 0;
  const first = path[start];
  if (isScope(first) || (start > 0 && (first === 'item' || first === 'index'))) return descend(scope[first], path, start + 1);
  return start < path.length ? descend(scope.builtIns, path, start) : undefined;
}

/** Whether a path names its scope: `$.…` or `profile.…`; it then resolves alike everywhere. */
export function hasPrefix(path: readonly PathStep[]): boolean {
  return path[0] === '$' || (path.length > 1 && isScope(path[0]));
}

/** Whether a name starts in a scope of its own. */
export function isScope(name: PathStep | undefined): name is 'data' | 'profile' | 'tenant' | 'brand' | 'refs' {
  return (SCOPES as ReadonlySet<unknown>).has(name);
}

/** Follows a path from its step `at` on. `visits` counts the elements that steps over many may still visit. */
export function descend(start: unknown, path: readonly PathStep[], at = 0, visits?: { left: number }): unknown {
  let value = start;
  for (let i = at; i < path.length; i += 1) {
    const step = path[i] as PathStep;
    if (typeof step !== 'string') return descendAll(value, step, path.slice(i + 1), visits ?? { left: ELEMENTS_MAX });
    value = ownValue(value, step);
    if (value === undefined) return undefined;
  }
  return value;
}

/** An own property of an object or array; undefined for everything else. */
export function ownValue(object: unknown, name: string): unknown {
  if (typeof object !== 'object' || object === null || !Object.hasOwn(object, name)) return undefined;
  // JSON may contain names such as `constructor`. Checked last, since it rarely applies.
  return FORBIDDEN_NAMES.has(name) ? undefined : (object as Record<string, unknown>)[name];
}

/** Whether a path has steps over many, which cost more than others. */
export function visitsMany(path: readonly PathStep[]): boolean {
  return path.some((step) => typeof step !== 'string');
}

/** A single element for an index (`[-1]`), else a list of the values at the rest of the path; lists of lists are flattened. */
function descendAll(value: unknown, { from, to }: Exclude<PathStep, string>, rest: readonly PathStep[], visits: { left: number }) {
  if (from < 0 && (to === from + 1 || from === -1)) return Array.isArray(value) ? descend(value.at(from), rest) : undefined;
  if (typeof value !== 'object' || value === null) return undefined;
  const found: unknown[] = [];
  const isNested = visitsMany(rest);
  for (const element of (Array.isArray(value) ? (value as unknown[]) : Object.values(value)).slice(from, to)) {
    visits.left -= 1;
    if (visits.left < 0) break;
    const inner = descend(element, rest, 0, visits);
    if (isNested && Array.isArray(inner)) for (const one of inner as unknown[]) found.push(one);
    else if (inner !== undefined) found.push(inner);
  }
  return found;
}
