import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { type GetTextTranslation, type GetTextTranslations, po } from 'gettext-parser';
import { lineAt } from '../text/template-bounds';
import { compilePluralRule } from './plural-rule';

/** Maximum length of a catalogue. */
export const CATALOGUE_CHARS_MAX = 1_000_000;
/** Maximum `msgstr` lines of one entry; the parser copies the earlier ones with each. */
const FORMS_OF_ENTRY_MAX = 20;

/** Among the flags of an entry, which end in commas and line ends. */
const FUZZY = /(?:^|[,\n])[^\S\n]*fuzzy[^\S\n]*(?:[,\n]|$)/;

/**
 * Translates texts into the recipient's language: the translation of `msgid`, undefined when there is none. `count` chooses among
 * plural forms where the entry has some; `context` distinguishes entries of the same `msgid`.
 */
export type Translator = (msgid: string, options?: { readonly count?: number; readonly context?: string }) => string | undefined;

/**
 * Compiles a gettext catalogue (.po). Fuzzy entries and empty translations count as missing. Throws `invalid_request` naming the
 * line for an invalid one, `payload_too_large` above `CATALOGUE_CHARS_MAX` characters.
 */
export function compileCatalogue(source: string): Translator {
  if (source.length > CATALOGUE_CHARS_MAX) {
    throw new ServiceError('payload_too_large', `A catalogue has at most ${CATALOGUE_CHARS_MAX} characters (got ${source.length})`);
  }
  const { translations, headers } = parse(source);
  const plural = pluralRule(headers);
  const textsOf = (entries: Readonly<Record<string, GetTextTranslation>>) =>
    Object.values(entries).flatMap(({ msgid, msgstr, comments }) =>
      msgid === '' || FUZZY.test(comments?.flag ?? '') ? [] : [[msgid, msgstr] as const],
    );
  const contexts = new Map(Object.entries(translations).map(([context, entries]) => [context, new Map(textsOf(entries))]));
  return (msgid, { count, context = '' } = {}) => {
    const forms = contexts.get(context)?.get(msgid);
    const form = forms && forms.length > 1 ? forms[count === undefined ? 0 : plural(count)] : forms?.[0];
    return form || undefined;
  };
}

function parse(source: string) {
  assertFewForms(source);
  try {
    return po.parse(source, { validation: true });
  } catch (error) {
    const line = lineOf(error);
    if (line !== undefined) throw notACatalogue(line, (error as Error).message);
  }
  // Errors without a line are tolerated (a duplicate entry, a missing form): the last entry is used, a missing form stays missing.
  try {
    return po.parse(source);
  } catch (error) {
    throw notACatalogue(lineOf(error) ?? 1, error instanceof SyntaxError ? error.message : 'an entry without msgstr');
  }
}

function lineOf(error: unknown) {
  const { lineNumber } = error as { lineNumber?: unknown };
  return typeof lineNumber === 'number' ? lineNumber : undefined;
}

function notACatalogue(line: number, message: string) {
  const reason = message.replace(/^Error parsing PO data: /, '').replace(/ at line \d+/, '');
  return invalid(`The catalogue is no gettext .po text, line ${line}: ${reason.slice(0, 300)}`);
}

function assertFewForms(source: string) {
  let forms = 0;
  for (const { 0: key, index } of source.matchAll(/msgid|msgstr/g)) {
    forms = key === 'msgid' ? 0 : forms + 1;
    if (forms <= FORMS_OF_ENTRY_MAX) continue;
    throw notACatalogue(lineAt(source, index), `an entry has at most ${FORMS_OF_ENTRY_MAX} msgstr`);
  }
}

/** An invalid rule counts as absent: it is refused when a catalogue is written, and must not break messages. */
function pluralRule(headers: GetTextTranslations['headers']) {
  try {
    return compilePluralRule(headers?.['Plural-Forms']);
  } catch {
    return compilePluralRule(undefined);
  }
}
