import { assertLength, type RenderBudget } from '../render-budget';

/** A value as text: objects and lists as JSON, null as empty; undefined for a value without text. */
export function toText(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return value;
    case 'number':
    case 'boolean':
    case 'bigint':
      return String(value);
    case 'object':
      return value === null ? '' : toJson(value);
    default:
      return undefined;
  }
}

function toJson(value: object) {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle or a bigint, which JSON data cannot contain.
    return undefined;
  }
}

/** The value as a finite number, also one written as text; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** Returns a function that spends the cost of each piece of a text, and throws once the text exceeds `RENDERED_CHARS_MAX`. */
export function pieceSpender(budget: RenderBudget): (piece: string) => string {
  let length = 0;
  return (piece) => {
    length += piece.length;
    assertLength(length);
    budget.spendChars(piece.length);
    return piece;
  };
}

/** Handlebars' truth: false, 0, '', null, missing values and empty lists are false. */
export function isFilled(value: unknown): boolean {
  return Boolean(value) && !(Array.isArray(value) && value.length === 0);
}
