import { diffArrays } from 'diff';

/** A line of a comparison: in both texts, or in one of them. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Removed and added lines that are looked for; of texts that differ in more, all lines count as replaced. */
const CHANGES_MAX = 4_000;

/** What leads from one text to another, line by line: the fewest removed and added lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const parts = diffArrays(old, now, { maxEditLength: CHANGES_MAX });
  if (!parts) return [...linesOf('removed', old), ...linesOf('added', now)];
  return parts.flatMap(({ value, removed, added }) => linesOf(removed ? 'removed' : added ? 'added' : 'same', value));
}

const linesOf = (kind: DiffLine['kind'], lines: readonly string[]) => lines.map((text) => ({ kind, text }));
