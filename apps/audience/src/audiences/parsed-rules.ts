import type { Filter } from './filter/filter';

/** Cached rules: those of a few workspaces with many audiences. */
const CACHED_MAX = 5_000;

const parsed = new Map<string, Filter>();

/** The rule stored as `text`, parsed once: the evaluator caches its checks by the object. `null`: no members. */
export function ruleOf(text: string | null): Filter | null {
  if (text === null) return null;
  const cached = parsed.get(text);
  if (cached) return cached;
  const rule = JSON.parse(text) as Filter;
  if (parsed.size >= CACHED_MAX) parsed.delete(parsed.keys().next().value!);
  parsed.set(text, rule);
  return rule;
}
