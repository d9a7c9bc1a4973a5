import { compileSource, type Evaluate } from '../expressions/compile-source';

/** The index of the plural form for a count. */
export type PluralRule = (count: number) => number;

const HEADER = /^\s*nplurals\s*=\s*(\d{1,2})\s*;\s*plural\s*=\s*([^;]+);?\s*$/;
const FORMS_MAX = 10;
/** Languages count by the last two digits at most. */
const COUNTS_TRIED = 1_000;

/** Gettext's default: one form for 1, one for any other number. */
const GERMANIC: PluralRule = (count) => (count === 1 ? 0 : 1);

/**
 * The rule of a `Plural-Forms` header, `nplurals=2; plural=(n != 1);`: C's operators over `n`, evaluated like conditions, so the
 * result is always a number. Throws an `Error` for an invalid header.
 */
export function compilePluralRule(header: string | undefined): PluralRule {
  const { forms, formOf } = readPluralRule(header);
  return (count) => {
    const form = formOf(count);
    return isForm(form, forms) ? form : 0;
  };
}

/** Throws an `Error` for an invalid rule, also when a form is out of range for one of the first counts (rules repeat after them). */
export function assertPluralRule(header: string): void {
  const { forms, formOf } = readPluralRule(header);
  for (let count = 0; count < COUNTS_TRIED; count += 1) {
    const form = formOf(count);
    if (!isForm(form, forms)) throw new Error(`Plural-Forms has the form ${form} for n = ${count}; it must be one of 0 to ${forms - 1}`);
  }
}

function isForm(form: number, forms: number) {
  return Number.isInteger(form) && form >= 0 && form < forms;
}

/** The number of forms, and the form of a count by the header, which may be out of range. */
function readPluralRule(header: string | undefined) {
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
    evaluate = compileSource(expression);
  } catch (error) {
    throw new Error(`Plural-Forms has an invalid expression: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
  return { forms, formOf: (count: number) => Number(evaluate({ data: { n: Math.abs(Math.trunc(count)) } })) };
}
