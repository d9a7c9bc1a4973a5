import { Module } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { contentChanged, type ContentKind } from '@tidings/contracts/content/events';
import {
  type FindMissingTemplates,
  type LoadBrands,
  type LoadedBrands,
  type LoadedTemplate,
  type LoadedTemplates,
  type LoadedTranslations,
  type LoadTemplates,
  type LoadTranslations,
  type MissingTemplates,
  type ResolvedBrand,
  sendingBrands,
  sendingTemplates,
  sendingTranslations,
} from '@tidings/contracts/content/sending';
import { randomUUID } from 'node:crypto';
import type { EventLog } from '@tidings/events/event-log';
import { Handles } from '@tidings/rpc/handles';

/** State of the fake content service: its answers by name, and whether it is unavailable. */
export class Content {
  readonly templates = new Map<string, LoadedTemplate>();
  readonly brands = new Map<string, ResolvedBrand>();
  /** `.po` texts by locale. */
  readonly translations = new Map<string, string>();
  isUnavailable = false;
  /** Number of calls. */
  callCount = 0;

  /** Adds a published template without brand and routing. */
  publish(name: string, content: LoadedTemplate['content'], overrides: Partial<LoadedTemplate> = {}): void {
    this.templates.set(name, {
      notification_id: name,
      alias: null,
      matched: 'id',
      published: true,
      version: `v${this.templates.size + 1}`,
      content,
      tenant_id: null,
      name,
      tags: [],
      brand: null,
      topic_id: null,
      email: null,
      routing: null,
      channels: {},
      providers: {},
      ...overrides,
    });
  }

  /** Publishes the event of a change, as the content service does. */
  async publishChange(events: EventLog, workspaceId: string, kind: ContentKind, id: string): Promise<void> {
    await events.append(contentChanged, [{ id: randomUUID(), payload: { workspaceId, kind, id } }]);
  }

  answer<Answer>(answer: Answer): Answer {
    this.callCount += 1;
    if (this.isUnavailable) throw new Error('content is unavailable');
    return answer;
  }
}

@Handles(sendingTemplates)
class TemplatesHandlers {
  constructor(private readonly content: Content) {}

  async findMissing(_context: CallContext, { names }: FindMissingTemplates): Promise<MissingTemplates> {
    return this.content.answer({ missing: names.filter((name) => !this.content.templates.has(name)) });
  }

  async load(_context: CallContext, { templates }: LoadTemplates): Promise<LoadedTemplates> {
    return this.content.answer({ templates: templates.map(({ template }) => this.content.templates.get(template) ?? null) });
  }
}

@Handles(sendingBrands)
class BrandsHandlers {
  constructor(private readonly content: Content) {}

  async load(_context: CallContext, { brands }: LoadBrands): Promise<LoadedBrands> {
    return this.content.answer({ brands: brands.map(({ brand_id = 'default' }) => this.content.brands.get(brand_id) ?? null) });
  }
}

@Handles(sendingTranslations)
class TranslationsHandlers {
  constructor(private readonly content: Content) {}

  async load(_context: CallContext, { translations }: LoadTranslations): Promise<LoadedTranslations> {
    const chain = (locale = ''): string[] => (this.content.translations.has(locale) ? [locale] : []);
    return this.content.answer({
      translations: translations.map(({ locale }) => ({
        catalogues: chain(locale).map((name) => ({ locale: name, version: '1', po: this.content.translations.get(name)! })),
      })),
    });
  }
}

@Module({})
class FakeContentModule {}

/** The module of the fake content service. */
export function fakeContent(content: Content) {
  return {
    module: FakeContentModule,
    controllers: [TemplatesHandlers, BrandsHandlers, TranslationsHandlers],
    providers: [{ provide: Content, useValue: content }],
  };
}
