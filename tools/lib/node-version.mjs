/** What is to be done about a version of Node outside the range of `engines`; undefined where there is nothing. */
export function nodeVersionProblem(range, version = process.versions.node) {
  if (satisfies(version, range)) return undefined;
  return `Tidings needs Node ${range.replace('||', 'or')}; this is Node ${version}. Install another one from https://nodejs.org.`;
}

/**
 * Whether a version satisfies a range in the form of package.json's `engines`: comparators (`>=20.19.0`), joined by blanks (all)
 * and by `||` (any).
 */
export function satisfies(version, range) {
  return range.split('||').some((all) =>
    all
      .trim()
      .split(/\s+/)
      .every((comparator) => compares(version, comparator)),
  );
}

function compares(version, comparator) {
  const [, operator, wanted] = /^(>=|<=|>|<|=?)v?(\d[\d.]*)$/.exec(comparator) ?? refuse(comparator);
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
  for (let part = 0; part < 3; part++) {
    const difference = (left[part] ?? 0) - (right[part] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function refuse(comparator) {
  throw new Error(`engines.node has an unsupported comparator: ${comparator}`);
}
