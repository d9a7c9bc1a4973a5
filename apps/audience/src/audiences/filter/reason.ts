import type { Rule } from './filter';

/** Of a whole reason, in UTF-16 units. */
export const REASON_LENGTH_MAX = 1_000;
const TEXT_LENGTH_SHOWN_MAX = 100;
const VALUES_SHOWN_MAX = 3;
const MORE = '…';

/** A condition in readable form: `EQ('title', 'Software Engineer')`, `INCLUDES('tags', ['a', 'b'])`. Long texts are cut. */
export function ruleText({ operator, path, values }: Rule) {
  const shown: string[] = values.slice(0, VALUES_SHOWN_MAX).map(quoted);
  if (values.length > VALUES_SHOWN_MAX) shown.push(MORE);
  return `${operator}(${quoted(path.join('.'))}, ${values.length === 1 ? shown[0] : `[${shown.join(', ')}]`})`;
}

function quoted(text: string) {
  const cut = text.length > TEXT_LENGTH_SHOWN_MAX ? `${withoutHalf(text.slice(0, TEXT_LENGTH_SHOWN_MAX))}${MORE}` : text;
  return `'${cut.replace(/[\\']/g, '\\$&')}'`;
}

/** Removes half of a surrogate pair that the cut has left. */
const withoutHalf = (text: string) => (text.isWellFormed() ? text : text.slice(0, -1));

/** Collects outcomes of conditions in evaluation order, up to `REASON_LENGTH_MAX`. */
export class Reason {
  private text = '';
  private full = false;

  add(outcome: string) {
    if (this.full) return;
    const joined = this.text === '' ? outcome : `${this.text}, ${outcome}`;
    this.full = joined.length > REASON_LENGTH_MAX - MORE.length - 2;
    this.text = this.full ? `${this.text}, ${MORE}` : joined;
  }

  toString() {
    return this.text;
  }
}
