/**
 * Whether a version satisfies a range as package.json's `engines` writes it: comparators (`>=20.19.0`), joined by blanks (all of
 * them) and by `||` (one of them).
 */
export function satisfies(version, range) {
  return range.split('||').some((all) =>
    all
      .trim()
      .split(/\s+/)
      .every((comparator) => holds(version, comparator)),
  );
}

function holds(version, comparator) {
  const [, operator, wanted] = /^(>=|<=|>|<|=?)v?(\d[\d.]*)$/.exec(comparator) ?? unreadable(comparator);
  const order = compare(version, wanted);
  switch (operator) {
    case '>=':
      return order >= 0;
    case '<=':
      return order <= 0;
    case '>':
      return order > 0;
    case '<':
      return order < 0;
    default:
      return order === 0;
  }
}

function compare(one, other) {
  const [left, right] = [one, other].map((version) => version.split('.').map((part) => Number.parseInt(part, 10)));
  for (let place = 0; place < 3; place++) {
    const difference = (left[place] ?? 0) - (right[place] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function unreadable(comparator) {
  throw new Error(`engines.node has a part that is not understood: ${comparator}`);
}
