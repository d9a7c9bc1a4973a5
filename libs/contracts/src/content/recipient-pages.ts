import { OptionalFlag, OptionalText, OptionalTextOf, Text, TextsOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { LOCALE_LENGTH_MAX } from './locale';

const TEXTS_MAX = 10_000;
const TEXT_LENGTH_MAX = 2_000;

export class LoadPageAppearance {
  /** Absent: the default brand. One that does not exist is none. */
  @OptionalText brand_id?: string;

  /** Whether the page has no brand. */
  @OptionalFlag without_brand?: boolean;

  /** The recipient's. Absent or invalid: only the translations of the default locale. */
  @OptionalTextOf(LOCALE_LENGTH_MAX) locale?: string;

  /** Texts of the page, to translate. */
  @TextsOf(TEXTS_MAX, TEXT_LENGTH_MAX) texts: string[];

  /** The links of the recipient as the page has them: variables of the brand's footer. */
  @Text unsubscribe_url: string;
  @Text preferences_url: string;
}

/** What a page shows of a brand. */
export interface PageBrand {
  /** Empty for the default brand as long as it has no name of its own. */
  name: string;
  /** A colour in CSS notation. */
  primary?: string;
  logo?: { image: string; href?: string };
  /** Sanitised HTML; empty without a footer. */
  footer: string;
  social: { name: string; url: string }[];
}

/** The texts in one language. */
export interface TranslatedTexts {
  locale: string;
  /** In the order of the request; `null` without a translation. */
  texts: (string | null)[];
}

export class PageAppearance {
  brand: PageBrand | null;

  /** The existing translations of the fallback chain of the locale (`localeChain`), in its order. */
  translations: TranslatedTexts[];
}

/** The appearance of the pages of recipients: the page to unsubscribe and the preference page. */
export const recipientPages = defineOperations('content.recipient-pages', 'internal', {
  appearance: {
    summary: 'The brand and the translated texts of a page of a recipient',
    request: LoadPageAppearance,
    response: PageAppearance,
    repeatable: true,
    deadlineMs: 5_000,
  },
});
