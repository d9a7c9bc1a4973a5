import { type LoadPageAppearance, type PageAppearance, recipientPages } from '@tidings/contracts/content/recipient-pages';
import type { ResolvedBrand } from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { Handles } from '@tidings/rpc/handles';
import { DEFAULT_BRAND_NAME } from '../brands/brand.entity';
import { SendingBrandsHandlers } from '../brands/sending-brands.handlers';
import { endBy } from '../rendering/render-checks';
import { SendingTranslationsHandlers } from '../translations/sending-translations.handlers';

@Handles(recipientPages)
export class RecipientPagesHandlers {
  constructor(
    private readonly brands: SendingBrandsHandlers,
    private readonly translations: SendingTranslationsHandlers,
    private readonly pool: RenderPool,
  ) {}

  /** Renders on the pool's threads only: footers and catalogues may be large. */
  async appearance(context: CallContext, request: LoadPageAppearance): Promise<PageAppearance> {
    const { brand_id, without_brand, locale, texts, unsubscribe_url, preferences_url, ...rest } = request;
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const [brand, catalogues] = await Promise.all([
      without_brand ? null : this.brandOf(context, brand_id),
      this.cataloguesOf(context, locale),
    ]);
    if (!brand && catalogues.length === 0) return { brand: null, translations: [] };
    const input = {
      brand: brand && { ...brand, key: JSON.stringify([workspaceId, brand.id, brand.version]) },
      catalogues: catalogues.map(({ po }) => po),
      texts,
      urls: { unsubscribe: unsubscribe_url, preferences: preferences_url },
    };
    const made = await this.pool.run(workspaceId, 'recipientPage', input, { ...endBy(context), yields: true });
    const name = brand?.name === DEFAULT_BRAND_NAME ? '' : (brand?.name ?? '');
    return {
      brand: made.brand && { ...made.brand, name },
      translations: catalogues.map((catalogue, index) => ({ locale: catalogue.locale, texts: made.translations[index]! })),
    };
  }

  private async brandOf(context: CallContext, id: string | undefined): Promise<ResolvedBrand | null> {
    const { brands } = await this.brands.load(context, { brands: [{ workspace_id: context.workspaceId, brand_id: id }] });
    return brands[0] ?? null;
  }

  private async cataloguesOf(context: CallContext, locale: string | undefined) {
    const { translations } = await this.translations.load(context, { translations: [{ workspace_id: context.workspaceId, locale }] });
    return translations[0]?.catalogues ?? [];
  }
}
