import { type DynamicModule, Module } from '@nestjs/common';
import { contentDeadLetters } from '@tidings/contracts/content/dead-letters';
import { contentStatus } from '@tidings/contracts/content/status';
import { contentChanged, notificationHappened } from '@tidings/contracts/content/events';
import { PersistenceModule } from '@tidings/persistence/persistence.module';
import { RenderPool, type RenderPoolOptions } from '@tidings/rendering/pool/render-pool';
import { DeadLettersModule } from '@tidings/runtime/dead-letters.module';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { EVENT_LOG, ResourcesModule } from '@tidings/runtime/resources.module';
import type { ServiceResources } from '@tidings/runtime/service';
import { StatusModule } from '@tidings/runtime/status.module';
import { BrandsModule } from './brands/brands.module';
import * as entities from './entities';
import { EventMappingsModule } from './event-mappings/event-mappings.module';
import { CONTENT_MIGRATIONS } from './migrations/all';
import { PreviewsModule } from './previews/previews.module';
import { RoutingStrategiesModule } from './routing-strategies/routing-strategies.module';
import { SecretsModule } from './secrets/secrets.module';
import { SendingModule } from './sending/sending.module';
import { TemplatesModule } from './templates/templates.module';
import { TenantTemplatesModule } from './tenant-templates/tenant-templates.module';
import { TranslationsModule } from './translations/translations.module';

interface ContentResources extends ServiceResources {
  /** Keys for the secrets of overrides: the first encrypts, all decrypt. Default: none. */
  secretKeys?: readonly Buffer[];
  /** Options of the threads that render previews and check content. */
  rendering?: RenderPoolOptions;
}

/** Templates, tenants' templates, routing strategies, brands, translations, and event mappings. */
@Module({})
export class ContentModule {
  /** The service with the resources of its process, for `startService`. Its events go to `events`. */
  static register({ databaseUrl, database, events, health, secretKeys, rendering }: ContentResources): DynamicModule {
    return {
      module: ContentModule,
      imports: [
        PersistenceModule.forService({
          ...database,
          schema: 'content',
          databaseUrl,
          entities: Object.values(entities),
          migrations: CONTENT_MIGRATIONS,
          publishes: { events: [contentChanged, notificationHappened], log: events },
        }),
        ResourcesModule.of([
          { provide: EVENT_LOG, useValue: events },
          { provide: OverrideSecrets, useValue: new OverrideSecrets(secretKeys) },
          // Twice the time limit of a send: threads are used seldom here and often load the e-mail libraries within it.
          { provide: RenderPool, useFactory: () => new RenderPool({ timeLimitMs: 2_000, ...rendering }) },
        ]),
        BrandsModule,
        TranslationsModule,
        EventMappingsModule,
        TemplatesModule,
        TenantTemplatesModule,
        RoutingStrategiesModule,
        SendingModule,
        PreviewsModule,
        SecretsModule,
        DeadLettersModule.of('content', contentDeadLetters),
        StatusModule.of('content', contentStatus, health),
      ],
    };
  }
}
