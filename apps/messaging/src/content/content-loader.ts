import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation } from '@tidings/contracts/core/operation';
import { type BrandKey, type ResolvedBrand, sendingBrands } from '@tidings/contracts/content/sending-brands';
import { type LoadedTemplate, sendingTemplates, type TemplateKey } from '@tidings/contracts/content/sending-templates';
import { type LoadedChain, sendingTranslations, type TranslationKey } from '@tidings/contracts/content/sending-translations';
import type { OverrideSecrets } from '@tidings/runtime/override-secrets';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { ContentChanges } from './content-changes';
import { ContentCache } from './content-cache';

/** Names the render resources of one message: the brands of its leaves and its language. */
interface RenderResourcesKey {
  readonly workspaceId: string;
  /** Brand ids; undefined: the default brand. */
  readonly brands: readonly (string | undefined)[];
  readonly locale?: string;
}

/** Brands and translations that render a message. */
export interface RenderResources {
  /** The brand with this id, `null` where it does not exist; undefined: the default brand. */
  brandOf(id: string | undefined): ResolvedBrand | null;
  /** Translation catalogues for the recipient's language, in lookup order. */
  readonly catalogues: readonly string[];
}

/** Loads templates, brands and translations for the messages of a batch; keys that are not cached are loaded together. */
export class ContentLoader {
  private readonly templateCache: ContentCache<TemplateKey, LoadedTemplate>;
  private readonly brandCache: ContentCache<BrandKey, ResolvedBrand>;
  private readonly translationCache: ContentCache<TranslationKey, LoadedChain>;

  constructor(
    private readonly client: OperationClient,
    changes: ContentChanges,
    secrets: OverrideSecrets,
  ) {
    this.templateCache = new ContentCache({
      changes,
      kinds: ['template', 'tenant_template', 'routing_strategy', 'event_mapping'],
      nameOf: ({ workspace_id, template, tenant_id }) => nameOf(workspace_id, template, tenant_id),
      load: async (keys) => {
        const { templates } = await this.call(sendingTemplates.load, { templates: keys });
        return templates.map((template, index) => template && secrets.sealTemplate(keys[index]!.workspace_id, template));
      },
    });
    this.brandCache = new ContentCache({
      changes,
      kinds: ['brand'],
      nameOf: ({ workspace_id, brand_id }) => nameOf(workspace_id, brand_id),
      load: async (brands) => (await this.call(sendingBrands.load, { brands })).brands,
    });
    this.translationCache = new ContentCache({
      changes,
      kinds: ['translation'],
      nameOf: ({ workspace_id, locale }) => nameOf(workspace_id, locale),
      load: async (translations) => (await this.call(sendingTranslations.load, { translations })).translations,
    });
  }

  /**
   * The templates of these keys, in their order; `null` where there is none. Rejects with `unavailable` while content is unavailable.
   * @param options `anew`: loads cached templates as well.
   */
  async templates(keys: readonly (TemplateKey | undefined)[], options?: { anew: boolean }): Promise<(LoadedTemplate | null | undefined)[]> {
    const wanted = keys.filter((key) => key !== undefined);
    const found = await this.templateCache.find(wanted, options);
    return keys.map((key) => key && (found.get(nameOf(key.workspace_id, key.template, key.tenant_id)) ?? null));
  }

  /** The render resources of these keys, in their order. Rejects with `unavailable` while content is unavailable. */
  async renderResources(keys: readonly RenderResourcesKey[]): Promise<RenderResources[]> {
    const [brands, translations] = await Promise.all([
      this.brandCache.find(keys.flatMap(({ workspaceId, brands }) => brands.map((id) => brandKey(workspaceId, id)))),
      this.translationCache.find(keys.map(translationKey)),
    ]);
    return keys.map((one) => {
      const language = translationKey(one);
      return {
        brandOf: (id) => brands.get(nameOf(one.workspaceId, id)) ?? null,
        catalogues: (translations.get(nameOf(language.workspace_id, language.locale))?.catalogues ?? []).map(({ po }) => po),
      };
    });
  }

  /** Rejects with `unavailable`, so that the messages are retried, unless content refuses the request as invalid. */
  private async call<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    request: Request,
  ): Promise<Response> {
    try {
      return (await this.client.call(operation, systemContext(randomUUID()), request)) as Response;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request') throw error;
      throw new ServiceError('unavailable', `${operation.pattern} of content is unavailable: ${error.message}`);
    }
  }
}

function nameOf(workspaceId: string, name = '', tenantId?: string): string {
  return tenantId === undefined ? `${workspaceId}:${name}` : JSON.stringify([workspaceId, name, tenantId]);
}

function brandKey(workspaceId: string, id: string | undefined): BrandKey {
  return { workspace_id: workspaceId, ...(id !== undefined && { brand_id: id }) };
}

function translationKey({ workspaceId, locale }: RenderResourcesKey): TranslationKey {
  return { workspace_id: workspaceId, ...(locale !== undefined && { locale }) };
}
