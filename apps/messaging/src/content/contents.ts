import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Operation } from '@tidings/contracts/core/operation';
import { type BrandKey, type ResolvedBrand, sendingBrands } from '@tidings/contracts/content/sending-brands';
import { type LoadedTemplate, sendingTemplates, type TemplateKey } from '@tidings/contracts/content/sending-templates';
import { type LoadedChain, sendingTranslations, type TranslationKey } from '@tidings/contracts/content/sending-translations';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { ContentChanges } from './content-changes';
import { Remembered } from './remembered';

/** What a message is to say, with all it is rendered with. */
export interface Said {
  /** `null`: the send names a template that does not exist. Absent: it has content of its own. */
  template?: LoadedTemplate | null;
  /** `null`: without a brand. */
  brand: ResolvedBrand | null;
  /** Catalogues of translations, the first is asked first. */
  catalogues: readonly string[];
}

/** A request with the language it is to be said in. */
export interface Asked {
  request: MessageRequested;
  locale?: string;
}

/** What content knows of the messages of a batch. */
export class Contents {
  private readonly templates: Remembered<TemplateKey, LoadedTemplate>;
  private readonly brands: Remembered<BrandKey, ResolvedBrand>;
  private readonly translations: Remembered<TranslationKey, LoadedChain>;

  constructor(
    private readonly client: OperationClient,
    changes: ContentChanges,
  ) {
    this.templates = new Remembered({
      changes,
      kinds: ['template', 'tenant_template', 'routing_strategy', 'event_mapping'],
      nameOf: ({ workspace_id, template }) => nameOf(workspace_id, template),
      load: async (templates) => (await this.ask(sendingTemplates.load, { templates })).templates,
    });
    this.brands = new Remembered({
      changes,
      kinds: ['brand'],
      nameOf: ({ workspace_id, brand_id }) => nameOf(workspace_id, brand_id),
      load: async (brands) => (await this.ask(sendingBrands.load, { brands })).brands,
    });
    this.translations = new Remembered({
      changes,
      kinds: ['translation'],
      nameOf: ({ workspace_id, locale }) => nameOf(workspace_id, locale),
      load: async (translations) => (await this.ask(sendingTranslations.load, { translations })).translations,
    });
  }

  /**
   * What each of these is to say, in their order. What is not remembered is asked in at most three questions, or as many as
   * large answers need. Rejects with `unavailable` while content cannot answer.
   */
  async of(asked: readonly Asked[]): Promise<Said[]> {
    const templates = await this.templates.find(asked.flatMap(({ request }) => templateKey(request)));
    const templateOf = ({ request }: Asked): LoadedTemplate | null | undefined => {
      const [key] = templateKey(request);
      return key && (templates.get(nameOf(key.workspace_id, key.template)) ?? null);
    };
    const [brands, translations] = await Promise.all([
      this.brands.find(asked.map((one) => brandKey(one, templateOf(one)))),
      this.translations.find(asked.map(translationKey)),
    ]);
    return asked.map((one) => {
      const template = templateOf(one);
      const brand = brandKey(one, template);
      const language = translationKey(one);
      return {
        ...(template !== undefined && { template }),
        brand: brands.get(nameOf(brand.workspace_id, brand.brand_id)) ?? null,
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

const nameOf = (workspaceId: string, name = ''): string => `${workspaceId}:${name}`;

function templateKey({ workspaceId, template }: MessageRequested): TemplateKey[] {
  return template === undefined ? [] : [{ workspace_id: workspaceId, template }];
}

/** The send's own brand goes before the template's, that before the default one. */
function brandKey({ request }: Asked, template: LoadedTemplate | null | undefined): BrandKey {
  const brand = request.brandId ?? template?.brand ?? undefined;
  return { workspace_id: request.workspaceId, ...(brand !== undefined && { brand_id: brand }) };
}

function translationKey({ request, locale }: Asked): TranslationKey {
  return { workspace_id: request.workspaceId, ...(locale !== undefined && { locale }) };
}
