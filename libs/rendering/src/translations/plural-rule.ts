import { compileNode, type Evaluate } from '../expressions/compile-node';
import { parseExpression } from '../expressions/expression-syntax';

/** Which of the plural forms a count takes. */
export type PluralRule = (count: number) => number;

const HEADER = /^\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]+);?\s*$/;
const FORMS_MAX = 10;

/** What gettext takes where the catalogue says nothing: one, and any other number. */
const GERMANIC: PluralRule = (count) => (count === 1 ? 0 : 1);

/**
 * The rule of a `Plural-Forms` header, `nplurals=2; plural=(n != 1);`: C's operators over `n`, evaluated like conditions, so
 * nothing but numbers can come of it. Throws an `Error` for a header that is none.
 */
export function compilePluralRule(header: string | undefined): PluralRule {
  if (header === undefined || header.trim() === '') return GERMANIC;
  const [, formsText, expression] = HEADER.exec(header) ?? [];
  const forms = Number(formsText);
  if (expression === undefined || !(forms >= 1 && forms <= FORMS_MAX)) {
    throw new Error(
      `Plural-Forms must be “nplurals=<1…${FORMS_MAX}>; plural=<expression of n>;” (got ${JSON.stringify(header.slice(0, 100))})`,
    );
  }
  let evaluate: Evaluate;
  try {
    evaluate = compileNode(parseExpression(expression));
  } catch (error) {
    throw new Error(`Plural-Forms has no expression that can be read: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return (count) => {
    const form = Number(evaluate({ data: { n: Math.abs(Math.trunc(count)) } }));
    return Number.isInteger(form) && form >= 0 && form < forms ? form : 0;
  };
}
