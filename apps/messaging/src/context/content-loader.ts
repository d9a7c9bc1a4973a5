import { Inject, Injectable } from '@nestjs/common';
import { type ContentChanged, contentChanged, type ContentKind } from '@tidings/contracts/content/events';
import {
  type BrandKey,
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
import { hasIdForm } from '@tidings/persistence/new-id';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { OperationClient } from '@tidings/rpc/operation-client';
import { ChangeCache } from '../change-cache';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { callService } from '../service-calls';

/** Maximum number of cached values of a kind, and of their characters together as `charsOf` counts them. */
const VALUES_MAX = 20_000;
const VALUES_CHARS_MAX = 64_000_000;

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
  private readonly templateCache = this.cacheOf(
    ['template', 'tenant_template', 'routing_strategy', 'event_mapping'],
    ({ workspace_id, template, tenant_id }: TemplateKey) => nameOf(workspace_id, template, tenant_id),
    async (keys) => {
      const { templates } = await callService(this.client, sendingTemplates.load, { templates: keys, sealed: true });
      return templates.map((template, index) => template && this.secrets.sealTemplate(keys[index]!.workspace_id, template));
    },
  );
  private readonly brandCache = this.cacheOf(
    ['brand'],
    ({ workspace_id, brand_id }: BrandKey) => nameOf(workspace_id, brand_id),
    async (brands) => (await callService(this.client, sendingBrands.load, { brands })).brands,
  );
  private readonly translationCache = this.cacheOf(
    ['translation'],
    ({ workspace_id, locale }: TranslationKey) => nameOf(workspace_id, locale),
    async (translations) => (await callService(this.client, sendingTranslations.load, { translations })).translations,
  );

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

  /**
   * The id of the template with this id or alias; other names stay as they are. What has the form of an id is not looked up. Rejects with
   * `unavailable` while content is unavailable.
   */
  async templateId(workspaceId: string, name: string): Promise<string> {
    if (hasIdForm(name, 'nt')) return name;
    const [template] = await this.templates([{ workspace_id: workspaceId, template: name }]);
    return template?.matched === 'alias' ? template.notification_id : name;
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

  /**
   * Caches values of the content service.
   * @param kinds of changes that invalidate values.
   * @param load loads the first of these keys, at least one, in order; `null` where a key does not exist.
   */
  private cacheOf<Key extends { workspace_id: string }, Value extends object>(
    kinds: readonly ContentKind[],
    toName: (key: Key) => string,
    load: (keys: Key[]) => Promise<readonly (Value | null)[]>,
  ) {
    return new ChangeCache({
      changes: this.changes,
      concerns: ({ kind }) => kinds.includes(kind),
      nameOf: toName,
      load,
      limits: {
        max: VALUES_MAX,
        maxSize: VALUES_CHARS_MAX,
        sizeCalculation: ({ value }, name) => name.length + charsOf(value) + 1,
      },
    });
  }
}

/** Approximate characters of a number, the quotes of a name or an empty object. */
const CHARS_OF_SMALL = 8;

/** Approximate length of the value as JSON, without serializing it: a catalogue is one text with a known length. */
function charsOf(value: unknown) {
  if (typeof value === 'string') return value.length + CHARS_OF_SMALL;
  if (typeof value !== 'object' || value === null) return CHARS_OF_SMALL;
  let chars = CHARS_OF_SMALL;
  if (Array.isArray(value)) for (const item of value) chars += charsOf(item);
  else for (const name in value) chars += name.length + charsOf((value as Record<string, unknown>)[name]);
  return chars;
}

function nameOf(workspaceId: string, name = '', tenantId?: string) {
  return tenantId === undefined ? `${workspaceId}:${name}` : JSON.stringify([workspaceId, name, tenantId]);
}
