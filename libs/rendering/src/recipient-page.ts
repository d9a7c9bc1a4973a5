import type { PageBrand } from '@tidings/contracts/content/recipient-pages';
import { colorOf } from './elemental/style-values';
import { type BrandForRendering, brandParts, type BrandParts } from './email/brand';
import { BARE, compileRichText } from './rich-text/rich-text';
import { sanitizeHtml } from './sanitize-html';
import { catalogueOfSources } from './translations/sources';
import { NOWHERE, safeUrl } from './urls';

/** What the pages of a recipient are made of. */
interface RecipientPageInput {
  readonly brand: BrandForRendering | null;
  /** Translation catalogues. */
  readonly catalogues: readonly string[];
  /** Texts of the page to translate. */
  readonly texts: readonly string[];
  /** The links of the recipient, for the footer. */
  readonly urls: { readonly unsubscribe: string; readonly preferences: string };
}

/** The brand's parts for a page, and the translations of its texts by each catalogue; `null` where it has none. */
export function recipientPage({ brand, catalogues, texts, urls }: RecipientPageInput) {
  return {
    brand: brand && pageBrand(brandParts(brand), urls),
    translations: catalogues.map((source) => {
      const translate = catalogueOfSources([source])!;
      return texts.map((text) => translate(text) ?? null);
    }),
  };
}

function pageBrand(parts: BrandParts, urls: RecipientPageInput['urls']): PageBrand {
  const { name, colors, logo, social } = parts;
  const image = logo && safeUrl(logo.image, 'image');
  const href = logo?.href === undefined ? NOWHERE : safeUrl(logo.href);
  return {
    name,
    primary: colorOf(colors.primary),
    logo: image === undefined || image === NOWHERE ? undefined : { image, href: href === NOWHERE ? undefined : href },
    footer: parts.footer === undefined ? '' : sanitizeHtml(footerOf(parts, parts.footer, urls)),
    social: social.map((one) => ({ name: one.name, url: safeUrl(one.url) })),
  };
}

function footerOf({ variables, snippets }: BrandParts, footer: string, urls: RecipientPageInput['urls']) {
  const builtIns = { urls, unsubscribe_url: urls.unsubscribe, preferences_url: urls.preferences };
  return compileRichText(footer, BARE)({ brand: variables, snippets, builtIns, data: {}, profile: {} });
}
