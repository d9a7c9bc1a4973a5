import { deepMerge, isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { ObjectCache } from '../compile-cache';
import { NOWHERE, safeUrl } from '../urls';

/** A resolved brand without inheritance. Its settings are free JSON; values of unexpected types are ignored. */
export interface BrandForRendering {
  readonly id: string;
  /** Cache key, unique to this brand version among all workspaces. Without it results are cached by object identity. */
  readonly key?: string;
  readonly name?: string;
  readonly settings?: unknown;
  /** Objects `{name, value}` with Handlebars sources; other values are ignored. */
  readonly snippets?: readonly unknown[];
}

/** HTML or MJML parts that replace the standard frame. */
export type FrameOverride = Readonly<NonNullable<ReturnType<typeof frameOverride>>>;

/** Parts of a brand used for rendering, including inherited ones. */
export type BrandParts = Readonly<ReturnType<typeof readBrand>>;

const NETWORKS: Record<string, string> = {
  facebook: 'Facebook',
  instagram: 'Instagram',
  linkedin: 'LinkedIn',
  medium: 'Medium',
  twitter: 'Twitter',
  x: 'X',
  youtube: 'YouTube',
  tiktok: 'TikTok',
  github: 'GitHub',
};

const brands = new ObjectCache<BrandForRendering, BrandParts>();
let unnamed = 0;

/** Parses a brand, cached. Values of another type than expected are ignored. */
export function brandParts(brand: BrandForRendering): BrandParts {
  const { key } = brand;
  return brands.getOrMake(brand, key, () => readBrand(brand, key === undefined ? `unnamed ${(unnamed += 1)}` : `named ${key}`));
}

function readBrand(brand: BrandForRendering, key: string) {
  const own = objectOf(brand.settings);
  const email = objectOf(own.email);
  const [head, header, footer] = [objectOf(email.head), objectOf(email.header), objectOf(email.footer)];
  const networks = objectOf(footer.social);
  const colors = objectOf(own.colors);
  const logo = objectOf(header.logo);
  const image = textOf(logo.image);
  return {
    /** Cache key of the brand. */
    key,
    name: brand.name ?? '',
    colors: { primary: textOf(colors.primary), secondary: textOf(colors.secondary), tertiary: textOf(colors.tertiary) },
    head: textOf(head.content),
    barColor: textOf(header.barColor),
    logo: image ? { image, href: textOf(logo.href) } : undefined,
    /** Markdown. */
    footer: textOf(footer.markdown) ?? textOf(footer.content),
    social: Object.entries(NETWORKS).flatMap(([network, name]) => {
      const url = textOf(objectOf(networks[network]).url);
      return url && safeUrl(url) !== NOWHERE ? [{ name, url }] : [];
    }),
    override: frameOverride(objectOf(email.templateOverride)),
    snippets: Object.fromEntries(
      (brand.snippets ?? [])
        .map(objectOf)
        .flatMap(({ name, value }) => (typeof name === 'string' && typeof value === 'string' ? [[name, value] as const] : [])),
    ),
    /** Values of `brand.…` in texts. */
    variables: { ...own, email: { ...email, head, header, footer }, social: networks, id: brand.id, name: brand.name ?? '' },
  };
}

function frameOverride(template: JsonObject) {
  const mjml = objectOf(template.mjml);
  const usesMjml = mjml.enabled === true;
  if (template.enabled !== true && !usesMjml) return undefined;
  const given = usesMjml ? deepMerge(template, mjml) : template;
  return {
    head: textOf(given.head),
    header: textOf(given.header),
    footer: textOf(given.footer),
    backgroundColor: textOf(given.backgroundColor),
    blocksBackgroundColor: textOf(given.blocksBackgroundColor),
    footerBackgroundColor: textOf(given.footerBackgroundColor),
    footerFullWidth: given.footerFullWidth === true,
    width: textOf(given.width) ?? (typeof given.width === 'number' ? String(given.width) : undefined),
    mjml: usesMjml,
  };
}

function objectOf(value: unknown) {
  return isJsonObject(value) ? value : {};
}

function textOf(value: unknown) {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
