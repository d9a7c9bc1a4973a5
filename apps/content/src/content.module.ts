import { type DynamicModule, Module } from '@nestjs/common';
import { contentChanged, notificationHappened } from '@tidings/contracts/content/events';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import type { ServiceResources } from '@tidings/runtime/service';
import { BrandsHandlers } from './brands/brands.handlers';
import { SendingBrandsHandlers } from './brands/sending-brands.handlers';
import * as entities from './entities';
import { EventMappingsHandlers } from './event-mappings/event-mappings.handlers';
import { SendingEventMappingsHandlers } from './event-mappings/sending-event-mappings.handlers';
import { CONTENT_MIGRATIONS } from './migrations/all';
import { PreviewLimiter } from './previews/preview-limiter';
import { PreviewedContents } from './previews/previewed-content';
import { PreviewsHandlers } from './previews/previews.handlers';
import { RenderChecks } from './rendering/render-checks';
import { RoutingStrategiesHandlers } from './routing-strategies/routing-strategies.handlers';
import { SendingTemplatesHandlers } from './sending/sending-templates.handlers';
import { ContentChanges } from './templates/content-changes';
import { NotificationBlocksHandlers } from './templates/notification-blocks.handlers';
import { NotificationChecksHandlers } from './templates/notification-checks.handlers';
import { NotificationContentHandlers } from './templates/notification-content.handlers';
import { NotificationsHandlers } from './templates/notifications.handlers';
import { TenantTemplatesHandlers } from './tenant-templates/tenant-templates.handlers';
import { SendingTranslationsHandlers } from './translations/sending-translations.handlers';
import { TranslationsHandlers } from './translations/translations.handlers';

interface ContentResources extends ServiceResources {
  /** Options of the threads that render previews and check content. */
  rendering?: RenderPoolOptions;
}

/** Templates, tenants' templates, routing strategies, brands, translations, and event mappings. */
@Module({})
export class ContentModule {
  /** The service with the resources of its process, for `startService`. Its events go to `events`. */
  static register({ databaseUrl, events, rendering }: ContentResources): DynamicModule {
    return {
      module: ContentModule,
      imports: [
        PersistenceModule.forService({
          schema: 'content',
          databaseUrl,
          entities: Object.values(entities),
          migrations: CONTENT_MIGRATIONS,
          publishes: { events: [contentChanged, notificationHappened], log: events },
        }),
      ],
      providers: [
        ContentChanges,
        // Twice the time limit of a send: threads are used seldom here and often load the e-mail libraries within it.
        { provide: RenderPool, useFactory: () => new RenderPool({ timeLimitMs: 2_000, ...rendering }) },
        RenderChecks,
        PreviewedContents,
        PreviewLimiter,
        // Used by previews as by sends.
        SendingBrandsHandlers,
        SendingTranslationsHandlers,
      ],
      controllers: [
        BrandsHandlers,
        SendingBrandsHandlers,
        TranslationsHandlers,
        SendingTranslationsHandlers,
        EventMappingsHandlers,
        SendingEventMappingsHandlers,
        NotificationsHandlers,
        NotificationContentHandlers,
        NotificationBlocksHandlers,
        NotificationChecksHandlers,
        TenantTemplatesHandlers,
        RoutingStrategiesHandlers,
        SendingTemplatesHandlers,
        PreviewsHandlers,
      ],
    };
  }
}
