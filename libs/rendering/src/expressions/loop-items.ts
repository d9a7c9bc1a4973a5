import { type RenderScope, warn } from '../scope';
import { ELEMENTS_MAX, lookUp, parsePath, visitsMany } from '../text/paths';
import { templateError } from '../text/template-bounds';

/** Iterations of one `loop`. */
export const LOOP_ITEMS_MAX = 10_000;

/**
 * Items of a `loop`: the list at a path, also as `{{items}}`, `{items}` and in the JSONPath forms `$.data.items[*]`,
 * `orders[0:3]`. Another value, or none, gives no items and a warning. Throws `invalid_request` above `LOOP_ITEMS_MAX` items.
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
  if (!Array.isArray(value)) {
    warn(scope, `The loop over ${shown} is left out: there is no list`);
    return [];
  }
  if (value.length > LOOP_ITEMS_MAX) throw templateError(`A loop goes over at most ${LOOP_ITEMS_MAX} items (${shown} has ${value.length})`);
  scope.budget?.spend(value.length);
  return value;
}

/** The syntax error of a loop; undefined for a valid one. */
export function loopProblem(source: string): string | undefined {
  return parsePath(unwrap(source)) ? undefined : `${JSON.stringify(source.slice(0, 100))} is no path such as "data.items"`;
}

function unwrap(source: string) {
  const text = source.trim();
  const [, double, single] = /^\{\{\s*([^{}]*?)\s*\}\}$|^\{([^{}]*)\}$/.exec(text) ?? [];
  return double ?? single ?? text;
}
