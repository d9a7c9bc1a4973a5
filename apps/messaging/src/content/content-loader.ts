import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation } from '@tidings/contracts/core/operation';
import { type BrandKey, type ResolvedBrand, sendingBrands } from '@tidings/contracts/content/sending-brands';
import { type LoadedTemplate, sendingTemplates, type TemplateKey } from '@tidings/contracts/content/sending-templates';
import { type LoadedChain, sendingTranslations, type TranslationKey } from '@tidings/contracts/content/sending-translations';
import type { OverrideSecrets } from '@tidings/persistence/override-secrets';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { ContentChanges } from './content-changes';
import { ContentCache } from './content-cache';

/** What a message may be said with: the brands of its leaves, and its language. */
interface VoiceAsked {
  readonly workspaceId: string;
  /** Ids of brands; undefined: the default one. */
  readonly brands: readonly (string | undefined)[];
  readonly locale?: string;
}

/** What a message is said with. */
export interface RenderResources {
  /** `null` where there is no such brand; undefined asks for the default one. */
  brandOf(id: string | undefined): ResolvedBrand | null;
  /** Catalogues of translations for the recipient's language, the first is asked first. */
  readonly catalogues: readonly string[];
}

/** What content knows of the messages of a batch. What is not remembered is asked, together. */
export class ContentLoader {
  private readonly templatesKnown: ContentCache<TemplateKey, LoadedTemplate>;
  private readonly brands: ContentCache<BrandKey, ResolvedBrand>;
  private readonly translations: ContentCache<TranslationKey, LoadedChain>;

  constructor(
    private readonly client: OperationClient,
    changes: ContentChanges,
    secrets: OverrideSecrets,
  ) {
    this.templatesKnown = new ContentCache({
      changes,
      kinds: ['template', 'tenant_template', 'routing_strategy', 'event_mapping'],
      nameOf: ({ workspace_id, template, tenant_id }) => nameOf(workspace_id, template, tenant_id),
      load: async (keys) => {
        const { templates } = await this.ask(sendingTemplates.load, { templates: keys });
        return templates.map((template, index) => template && secrets.sealTemplate(keys[index]!.workspace_id, template));
      },
    });
    this.brands = new ContentCache({
      changes,
      kinds: ['brand'],
      nameOf: ({ workspace_id, brand_id }) => nameOf(workspace_id, brand_id),
      load: async (brands) => (await this.ask(sendingBrands.load, { brands })).brands,
    });
    this.translations = new ContentCache({
      changes,
      kinds: ['translation'],
      nameOf: ({ workspace_id, locale }) => nameOf(workspace_id, locale),
      load: async (translations) => (await this.ask(sendingTranslations.load, { translations })).translations,
    });
  }

  /**
   * The templates of these keys, in their order; `null` where there is none. Rejects with `unavailable` while content cannot answer.
   * @param options `anew`: nothing that is remembered is believed.
   */
  async templates(keys: readonly (TemplateKey | undefined)[], options?: { anew: boolean }): Promise<(LoadedTemplate | null | undefined)[]> {
    const wanted = keys.filter((key) => key !== undefined);
    const found = await this.templatesKnown.find(wanted, options);
    return keys.map((key) => key && (found.get(nameOf(key.workspace_id, key.template, key.tenant_id)) ?? null));
  }

  /** What each of these is said with, in their order. Rejects with `unavailable` while content cannot answer. */
  async voices(asked: readonly VoiceAsked[]): Promise<RenderResources[]> {
    const [brands, translations] = await Promise.all([
      this.brands.find(asked.flatMap(({ workspaceId, brands }) => brands.map((id) => brandKey(workspaceId, id)))),
      this.translations.find(asked.map(translationKey)),
    ]);
    return asked.map((one) => {
      const language = translationKey(one);
      return {
        brandOf: (id) => brands.get(nameOf(one.workspaceId, id)) ?? null,
        catalogues: (translations.get(nameOf(language.workspace_id, language.locale))?.catalogues ?? []).map(({ po }) => po),
      };
    });
  }

  /** That content fails is no fault of the messages: unless it refuses the question, it is asked again. */
  private async ask<Request extends object, Response extends object>(
    operation: Operation<Request, Response>,
    request: Request,
  ): Promise<Response> {
    try {
      return (await this.client.call(operation, systemContext(randomUUID()), request)) as Response;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request') throw error;
      throw new ServiceError('unavailable', `content cannot answer ${operation.pattern} now: ${error.message}`);
    }
  }
}

function nameOf(workspaceId: string, name = '', tenantId?: string): string {
  return tenantId === undefined ? `${workspaceId}:${name}` : JSON.stringify([workspaceId, name, tenantId]);
}

function brandKey(workspaceId: string, id: string | undefined): BrandKey {
  return { workspace_id: workspaceId, ...(id !== undefined && { brand_id: id }) };
}

function translationKey({ workspaceId, locale }: VoiceAsked): TranslationKey {
  return { workspace_id: workspaceId, ...(locale !== undefined && { locale }) };
}
