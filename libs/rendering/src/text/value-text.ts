import type { RenderBudget } from '../render-budget';
import { RENDERED_CHARS_MAX, tooLong } from '../render-limits';

/** A value as a text shows it: objects and lists as JSON, null as nothing; undefined where there is nothing to show. */
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

function toJson(value: object): string | undefined {
  try {
    return JSON.stringify(value);
  } catch {
    // A cycle or a bigint: nothing that came as JSON, so nothing a template could have meant.
    return undefined;
  }
}

/** Pays for each piece of a text as it is made of them, and ends with the piece that makes it longer than any result may be. */
export function payerOfPieces(budget: RenderBudget): (piece: string) => string {
  let length = 0;
  return (piece) => {
    length += piece.length;
    if (length > RENDERED_CHARS_MAX) throw tooLong();
    budget.spendChars(piece.length);
    return piece;
  };
}

/** Pays for a string a helper made, and refuses one that no result could hold. */
export function spendValue(value: unknown, budget: RenderBudget): void {
  if (typeof value !== 'string') return;
  if (value.length > RENDERED_CHARS_MAX) throw tooLong();
  budget.spendChars(value.length);
}
