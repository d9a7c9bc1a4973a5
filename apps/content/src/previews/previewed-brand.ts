import { BRAND_OBJECT_BYTES_MAX, DEFAULT_BRAND_ID } from '@tidings/contracts/content/brands';
import type { PreviewBrand, PreviewContent } from '@tidings/contracts/content/previews';
import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { storableObject } from '@tidings/contracts/core/text';
import type { SendingBrandsHandlers } from '../brands/sending-brands.handlers';
import { resolveBrand } from '../brands/resolve-brand';

/** The brand of a preview. */
interface PreviewedBrand {
  /** `null`: the template has no brand, or its brand does not exist; a send renders without one. */
  readonly brand: ResolvedBrand | null;
  /** Whether the brand is stored, rather than part of the request. */
  readonly isStored: boolean;
  readonly warnings: readonly string[];
}

/**
 * The brand of a preview: that of the request, else the one it names, else the template's (maybe none), else the default.
 * @throws ServiceError `not_found` when the request names a brand that does not exist.
 */
export async function previewedBrand(
  stored: SendingBrandsHandlers,
  context: CallContext,
  { brand, brand_id }: Pick<PreviewContent, 'brand' | 'brand_id'>,
  ofTemplate: string | null | undefined,
): Promise<PreviewedBrand> {
  if (brand && brand_id) throw invalid('A preview takes brand or brand_id, not both');
  if (brand) return unstored(stored, context, brand);
  if (brand_id) {
    const named = await load(stored, context, brand_id);
    if (!named) throw notFound(`Brand ${brand_id} does not exist`);
    return storedBrand(named);
  }
  if (ofTemplate === null) return storedBrand(null);
  const own = await load(stored, context, ofTemplate ?? DEFAULT_BRAND_ID);
  const missing = `The template's brand ${ofTemplate} does not exist: the message has none`;
  return storedBrand(own, own ? [] : [missing]);
}

async function unstored(
  stored: SendingBrandsHandlers,
  context: CallContext,
  { name, settings, snippets }: PreviewBrand,
): Promise<PreviewedBrand> {
  storableObject('brand.settings', settings ?? {}, BRAND_OBJECT_BYTES_MAX);
  storableObject('brand.snippets', snippets ?? {}, BRAND_OBJECT_BYTES_MAX);
  const base = await load(stored, context, DEFAULT_BRAND_ID);
  const inherited = base ? { settings: base.settings, snippets: { items: base.snippets } } : undefined;
  const resolved = resolveBrand({ settings: settings ?? {}, snippets: snippets ?? null }, inherited);
  return { brand: { id: '', name: name ?? '', version: '', ...resolved }, isStored: false, warnings: [] };
}

async function load(stored: SendingBrandsHandlers, context: CallContext, brandId: string) {
  const { brands } = await stored.load(context, { brands: [{ workspace_id: context.workspaceId, brand_id: brandId }] });
  return brands[0] ?? null;
}

function storedBrand(brand: ResolvedBrand | null, warnings: readonly string[] = []) {
  return { brand, isStored: true, warnings };
}
