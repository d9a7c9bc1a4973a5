import { compileNode, type Evaluate } from '../expressions/compile-node';
import { parseExpression } from '../expressions/expression-syntax';

/** Which of the plural forms a count takes. */
export type PluralRule = (count: number) => number;

const HEADER = /^\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]+);?\s*$/;
const FORMS_MAX = 10;
/** Languages count by the last two digits at most. */
const COUNTS_TRIED = 1_000;

/** What gettext takes where the catalogue says nothing: one, and any other number. */
const GERMANIC: PluralRule = (count) => (count === 1 ? 0 : 1);

/**
 * The rule of a `Plural-Forms` header, `nplurals=2; plural=(n != 1);`: C's operators over `n`, evaluated like conditions, so
 * nothing but numbers can come of it. Throws an `Error` for a header that is none.
 */
export function compilePluralRule(header: string | undefined): PluralRule {
  const { forms, formOf } = readPluralRule(header);
  return (count) => {
    const form = formOf(count);
    return isForm(form, forms) ? form : 0;
  };
}

/** Throws an `Error` also for a rule that names a form that is none for one of the first counts, in which rules repeat themselves. */
export function assertPluralRule(header: string): void {
  const { forms, formOf } = readPluralRule(header);
  for (let count = 0; count < COUNTS_TRIED; count += 1) {
    const form = formOf(count);
    if (!isForm(form, forms)) throw new Error(`Plural-Forms has the form ${form} for n = ${count}; it must be one of 0 to ${forms - 1}`);
  }
}

function isForm(form: number, forms: number): boolean {
  return Number.isInteger(form) && form >= 0 && form < forms;
}

/** How many forms there are, and which one the header says a count takes, be it there or not. */
function readPluralRule(header: string | undefined): { readonly forms: number; readonly formOf: (count: number) => number } {
  if (header === undefined || header.trim() === '') return { forms: 2, formOf: GERMANIC };
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
  return { forms, formOf: (count) => Number(evaluate({ data: { n: Math.abs(Math.trunc(count)) } })) };
}
