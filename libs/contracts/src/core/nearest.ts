/** Characters of a text that are compared: the bound limits the cost of a long one. */
const COMPARED_LENGTH_MAX = 100;

/**
 * The name that is nearest to `text`, whatever the case: the only one that begins with it, else the one with the fewest edits, the first of
 * several. Undefined without names.
 */
export function nearestName(text: string, names: readonly string[]): string | undefined {
  const longer = names.filter((name) => comparable(name).startsWith(comparable(text)));
  if (longer.length === 1) return longer[0];
  const distances = names.map((name) => editDistance(comparable(text), comparable(name)));
  return names[distances.indexOf(Math.min(...distances))];
}

/** Whether one name is probably meant by the other: one begins with the other, or at most half of the characters differ. */
export function areSimilar(one: string, other: string): boolean {
  const [first, second] = [comparable(one), comparable(other)];
  if (first.startsWith(second) || second.startsWith(first)) return true;
  return editDistance(first, second) * 2 <= Math.max(first.length, second.length);
}

function comparable(text: string) {
  return text.slice(0, COMPARED_LENGTH_MAX).toLowerCase();
}

/** Levenshtein distance: characters to add, remove or replace to turn `from` into `to`. */
function editDistance(from: string, to: string) {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [i, character] of [...from].entries()) {
    const next = [i + 1];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (character === to[column - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[column]! + 1, next[column - 1]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
}
