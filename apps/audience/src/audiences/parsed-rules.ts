import type { Filter } from './filter/filter';

/** Rules that are kept at hand; as many as a few workspaces have audiences. */
const KEPT_MAX = 5_000;

const parsed = new Map<string, Filter>();

/** The rule that is stored as `text`, read once: what evaluating prepares of a rule is kept with the object. `null`: nobody. */
export function ruleOf(text: string | null): Filter | null {
  if (text === null) return null;
  const known = parsed.get(text);
  if (known) return known;
  const rule = JSON.parse(text) as Filter;
  if (parsed.size >= KEPT_MAX) parsed.delete(parsed.keys().next().value!);
  parsed.set(text, rule);
  return rule;
}
