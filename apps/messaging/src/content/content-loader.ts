import { Inject, Injectable } from '@nestjs/common';
import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import {
  type BrandKey,
  type LoadedChain,
  type LoadedTemplate,
  type ResolvedBrand,
  sendingBrands,
  sendingTemplates,
  sendingTranslations,
  type TemplateKey,
  type TranslationKey,
} from '@tidings/contracts/content/sending';
import { ChangeListener } from '@tidings/events/change-listener';
import type { EventLog } from '@tidings/events/event-log';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { OperationClient } from '@tidings/rpc/operation-client';
import { EVENT_LOG } from '../resources';
import { callService } from '../service-calls';
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

/** Listens for changes of published content. */
@Injectable()
export class ContentChanges extends ChangeListener<ContentChanged> {
  constructor(@Inject(EVENT_LOG) events: EventLog) {
    super(events, contentChanged);
  }
}

/** Loads templates, brands and translations for the messages of a batch; keys that are not cached are loaded together. */
@Injectable()
export class ContentLoader {
  private readonly templateCache = new ContentCache<TemplateKey, LoadedTemplate>({
    changes: this.changes,
    kinds: ['template', 'tenant_template', 'routing_strategy', 'event_mapping'],
    nameOf: ({ workspace_id, template, tenant_id }) => nameOf(workspace_id, template, tenant_id),
    load: async (keys) => {
      const { templates } = await callService(this.client, sendingTemplates.load, { templates: keys });
      return templates.map((template, index) => template && this.secrets.sealTemplate(keys[index]!.workspace_id, template));
    },
  });
  private readonly brandCache = new ContentCache<BrandKey, ResolvedBrand>({
    changes: this.changes,
    kinds: ['brand'],
    nameOf: ({ workspace_id, brand_id }) => nameOf(workspace_id, brand_id),
    load: async (brands) => (await callService(this.client, sendingBrands.load, { brands })).brands,
  });
  private readonly translationCache = new ContentCache<TranslationKey, LoadedChain>({
    changes: this.changes,
    kinds: ['translation'],
    nameOf: ({ workspace_id, locale }) => nameOf(workspace_id, locale),
    load: async (translations) => (await callService(this.client, sendingTranslations.load, { translations })).translations,
  });

  constructor(
    private readonly client: OperationClient,
    private readonly changes: ContentChanges,
    private readonly secrets: OverrideSecrets,
  ) {}

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
      this.brandCache.find(keys.flatMap(({ workspaceId: workspace_id, brands }) => brands.map((brand_id) => ({ workspace_id, brand_id })))),
      this.translationCache.find(keys.map(({ workspaceId: workspace_id, locale }) => ({ workspace_id, locale }))),
    ]);
    return keys.map(({ workspaceId, locale }) => ({
      brandOf: (id) => brands.get(nameOf(workspaceId, id)) ?? null,
      catalogues: (translations.get(nameOf(workspaceId, locale))?.catalogues ?? []).map(({ po }) => po),
    }));
  }
}

function nameOf(workspaceId: string, name = '', tenantId?: string) {
  return tenantId === undefined ? `${workspaceId}:${name}` : JSON.stringify([workspaceId, name, tenantId]);
}
