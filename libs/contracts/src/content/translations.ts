import { Text, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LOCALE_LENGTH_MAX } from './locale';

/** The only domain. */
export const TRANSLATION_DOMAIN = 'default';
/** Size of one text as a JSON string: the longest chain fits into one answer. */
export const TRANSLATION_BYTES_MAX = 768 * 1024;

export class NamedTranslation {
  /** Only `default` exists. */
  @TextOf(1, 256) domain: string;

  /** `en_US`; equivalent to `en-us`. */
  @TextOf(1, LOCALE_LENGTH_MAX) locale: string;
}

export class PutTranslation extends NamedTranslation {
  /** A gettext catalogue, the text of a `.po` file. */
  @TextOf(TRANSLATION_BYTES_MAX) translation: string;
}

class Translation {
  /** As stored by the client, byte for byte. */
  @Text translation: string;
}

export const translations = defineOperations(
  'content.translations',
  'translations',
  {
    retrieve: {
      route: 'GET /translations/:domain/:locale',
      summary: 'Get the translations into a language, a .po text',
      request: NamedTranslation,
      textAnswer: 'translation',
    },
    replace: {
      command: true,
      route: 'PUT /translations/:domain/:locale',
      summary: 'Replace the translations into a language, or create them, by a .po text',
      request: PutTranslation,
      bodyField: 'translation',
      textBody: true,
      textAnswer: 'translation',
    },
  },
  { response: Translation },
);
