/** A line of a comparison: in both texts, or in one of them. */
export interface DiffLine {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Lines of either text between their common beginning and end that are compared with each other; more count as replaced. */
const COMPARED_MAX = 2_000;

/** What leads from one text to another, line by line: the fewest removed and added lines. */
export function diffLines(before: string, after: string): DiffLine[] {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const head = commonLength(old, now);
  const tail = commonLength(old.slice(head).reverse(), now.slice(head).reverse());
  const [oldMiddle, newMiddle] = [old.slice(head, old.length - tail), now.slice(head, now.length - tail)];
  const isTooLong = Math.max(oldMiddle.length, newMiddle.length) > COMPARED_MAX;
  const middle = isTooLong ? [...linesOf('removed', oldMiddle), ...linesOf('added', newMiddle)] : compare(oldMiddle, newMiddle);
  return [...linesOf('same', old.slice(0, head)), ...middle, ...linesOf('same', tail > 0 ? old.slice(-tail) : [])];
}

const linesOf = (kind: DiffLine['kind'], lines: readonly string[]) => lines.map((text) => ({ kind, text }));

/** How many lines two texts begin with alike. */
function commonLength(one: readonly string[], other: readonly string[]): number {
  const length = Math.min(one.length, other.length);
  for (let index = 0; index < length; index++) if (one[index] !== other[index]) return index;
  return length;
}

/** By the longest common subsequence. */
function compare(old: readonly string[], now: readonly string[]): DiffLine[] {
  const width = now.length + 1;
  // At [i, j]: the length of the longest common subsequence of what follows in both.
  const common = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--)
    for (let j = now.length - 1; j >= 0; j--) {
      const below = common[(i + 1) * width + j]!;
      const beside = common[i * width + j + 1]!;
      common[i * width + j] = old[i] === now[j] ? common[(i + 1) * width + j + 1]! + 1 : Math.max(below, beside);
    }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ kind: 'same', text: old[i++]! });
      j++;
    } else if (j === now.length || (i < old.length && common[(i + 1) * width + j]! >= common[i * width + j + 1]!)) {
      lines.push({ kind: 'removed', text: old[i++]! });
    } else lines.push({ kind: 'added', text: now[j++]! });
  }
  return lines;
}
