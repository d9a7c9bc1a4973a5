import { Int, IsoDate, OptionalTextOf, Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, pageOf } from '../core/paging';
import { LOCALE_LENGTH_MAX } from './locale';

/** The only domain. */
export const TRANSLATION_DOMAIN = 'default';
/** Size of one text as a JSON string: the longest chain fits into one answer. */
export const TRANSLATION_BYTES_MAX = 768 * 1024;

export class NamedTranslation {
  /** Only `default` exists; 404 for others. @example "default" */
  @TextOf(1, 256) domain: string;

  /** The language: `fr_FR`, in any spelling such as `fr-fr`. @example "fr_FR" */
  @TextOf(1, LOCALE_LENGTH_MAX) locale: string;
}

export class PutTranslation extends NamedTranslation {
  /** A gettext catalogue, the text of a `.po` file: at most 768 KB as a JSON string. @example "msgid \"Hello\"\nmsgstr \"Bonjour\"\n" */
  @TextOf(TRANSLATION_BYTES_MAX) translation: string;
}

class Translation {
  /** The text as put, byte for byte. */
  @Text translation: string;
}

export class ListTranslations extends LimitedQuery {
  /** Only the translations into this language, in any spelling. Absent: all of them. @example "fr_FR" */
  @OptionalTextOf(LOCALE_LENGTH_MAX) locale?: string;
}

/** The translations into a language, without their text. */
export class TranslationSummary {
  /** Always `default`. @example "default" */
  @Text domain: string;

  /** The language, in its one spelling. @example "fr_FR" */
  @Text locale: string;

  /** Size of the text as a JSON string. @example 2048 */
  @Int bytes: number;

  /** When they were created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate created: string;

  /** When they were last replaced: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @IsoDate updated: string;
}

/** @property results The translations of this page, by locale. */
class TranslationPage extends pageOf(TranslationSummary) {}

export const translations = defineOperations(
  'content.translations',
  'translations',
  {
    /** The text as put, byte for byte. Answers 404 if there is none for the locale. */
    retrieve: {
      route: 'GET /translations/:domain/:locale',
      summary: 'Get the translations into a language, a .po text',
      request: NamedTranslation,
      textAnswer: 'translation',
    },
    /**
     * The body is the text itself, or a JSON string. A text that GNU gettext would refuse is refused, with the line.
     * @example "msgid \"Hello\"\nmsgstr \"Bonjour\"\n"
     */
    replace: {
      audit: 'translation:replaced',
      auditTarget: ['domain', 'locale'],
      command: true,
      route: 'PUT /translations/:domain/:locale',
      summary: 'Replace the translations into a language, or create them, by a .po text',
      request: PutTranslation,
      bodyField: 'translation',
      textBody: true,
      textAnswer: 'translation',
    },
    /** Every domain and locale that has translations, without their texts. */
    list: {
      route: 'GET /console/api/translations',
      generation: 'own',
      summary: 'List translations by domain and locale',
      request: ListTranslations,
      response: TranslationPage,
    },
  },
  { response: Translation },
);
