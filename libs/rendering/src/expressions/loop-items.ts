import { type RenderScope, warn } from '../scope';
import { ELEMENTS_MAX, lookUp, parsePath, visitsMany } from '../text/paths';
import { templateError } from '../text/template-error';

/** Turns of one `loop`. */
export const LOOP_ITEMS_MAX = 10_000;

/**
 * What a `loop` goes over: the list that a path names, also `{{items}}`, `{items}` and the JSONPath forms `$.data.items[*]`,
 * `orders[0:3]`. What is no list gives nothing and a warning; what is missing throws where the scope says so. Throws
 * `invalid_request` above `LOOP_ITEMS_MAX` items.
 */
export function loopItems(source: string, scope: RenderScope): readonly unknown[] {
  const path = parsePath(unwrap(source));
  const shown = JSON.stringify(source.slice(0, 100));
  if (!path) {
    warn(scope, `The loop over ${shown} is left out: it is no path such as "data.items"`);
    return [];
  }
  if (visitsMany(path)) scope.budget?.spend(ELEMENTS_MAX);
  const value = lookUp(path, scope);
  if (value === undefined && scope.onMissing === 'throw') throw templateError(`Variable not found: ${unwrap(source)}`);
  if (!Array.isArray(value)) {
    warn(scope, `The loop over ${shown} is left out: there is no list`);
    return [];
  }
  if (value.length > LOOP_ITEMS_MAX) throw templateError(`A loop goes over at most ${LOOP_ITEMS_MAX} items (${shown} has ${value.length})`);
  scope.budget?.spend(value.length);
  return value;
}

/** What is wrong with a loop whatever it goes over; undefined for a good one. */
export function loopProblem(source: string): string | undefined {
  return parsePath(unwrap(source)) ? undefined : `${JSON.stringify(source.slice(0, 100))} is no path such as "data.items"`;
}

function unwrap(source: string): string {
  const text = source.trim();
  const [, double, single] = /^\{\{\s*([^{}]*?)\s*\}\}$|^\{([^{}]*)\}$/.exec(text) ?? [];
  return double ?? single ?? text;
}
