import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Logger } from '@nestjs/common';
import { AudienceModule } from '@tidings/audience/audience.module';
import { ContentModule } from '@tidings/content/content.module';
import { systemContext } from '@tidings/contracts/core/context';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { migrateEventLog } from '@tidings/events/postgres/migrate-event-log';
import { type RunningGateway, startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { MessagingModule } from '@tidings/messaging/messaging.module';
import { provisionDatabase } from '@tidings/persistence/provision';
import { SmtpProvider } from '@tidings/providers/smtp/smtp-provider';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { Configuration } from '@tidings/runtime/configuration';
import { lockDataDirectory } from '@tidings/runtime/data-directory';
import { HealthRegistry } from '@tidings/runtime/health';
import { type ServiceResources, startService } from '@tidings/runtime/service';
import { Teardown } from '@tidings/runtime/teardown';
import type { Access } from './banner';
import { firstKey } from './first-access';
import { Mailbox } from './mailbox/mailbox';
import { mailboxRoutes } from './mailbox/mailbox-routes';
import { rolePasswords } from './role-passwords';
import { SupervisedPostgres } from './supervised-postgres';

export interface StandaloneOptions {
  configuration: Configuration;
  /** Two workspaces with a profile each, for development. */
  seed?: boolean;
}

export interface Standalone {
  url: string;
  workspaces: Access[];
  /** Where the development mailbox is read; absent when mail goes to a configured server. */
  mailboxUrl?: string;
  /** Takes no more requests, finishes what is on the wire, stops everything. Again is the same as once. */
  stop(): Promise<void>;
}

const logger = new Logger('Standalone');
