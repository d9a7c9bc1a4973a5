import { BRAND_OBJECT_BYTES_MAX, DEFAULT_BRAND_ID } from '@tidings/contracts/content/brands';
import type { PreviewBrand, PreviewContent } from '@tidings/contracts/content/previews';
import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { storableObject } from '@tidings/contracts/core/text';
import type { SendingBrandsHandlers } from '../brands/sending-brands.handlers';
import { resolveBrand } from '../brands/resolve-brand';

/**
 * The brand of a preview: that of the request, else the one it names, else the template's (maybe none), else the default. `null`: the
 * template has no brand, or its brand does not exist; a send renders without one.
 * @throws ServiceError `not_found` when the request names a brand that does not exist.
 */
export async function previewedBrand(
  stored: SendingBrandsHandlers,
  context: CallContext,
  { brand, brand_id: named }: Pick<PreviewContent, 'brand' | 'brand_id'>,
  ofTemplate: string | null | undefined,
) {
  if (brand && named) throw invalid('A preview takes brand or brand_id, not both');
  if (brand) return { brand: await unstored(stored, context, brand), brandIsStored: false, warnings: [] };
  const id = named || (ofTemplate === undefined ? DEFAULT_BRAND_ID : ofTemplate);
  const found = id === null ? null : await load(stored, context, id);
  if (named && !found) throw notFound(`Brand ${named} does not exist`);
  const warnings = found || id === null ? [] : [`The template's brand ${ofTemplate} does not exist: the message has none`];
  return { brand: found, brandIsStored: true, warnings };
}

/** The brand of the request, with what it inherits from the default brand. */
async function unstored(
  stored: SendingBrandsHandlers,
  context: CallContext,
  { name, settings, snippets }: PreviewBrand,
): Promise<ResolvedBrand> {
  storableObject('brand.settings', settings ?? {}, BRAND_OBJECT_BYTES_MAX);
  storableObject('brand.snippets', snippets ?? {}, BRAND_OBJECT_BYTES_MAX);
  const base = await load(stored, context, DEFAULT_BRAND_ID);
  const inherited = base ? { settings: base.settings, snippets: { items: base.snippets } } : undefined;
  return { id: '', name: name ?? '', version: '', ...resolveBrand({ settings: settings ?? {}, snippets: snippets ?? null }, inherited) };
}

async function load(stored: SendingBrandsHandlers, context: CallContext, brandId: string) {
  const { brands } = await stored.load(context, { brands: [{ workspace_id: context.workspaceId, brand_id: brandId }] });
  return brands[0] ?? null;
}
