import { type DynamicModule, Logger } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { EventLog } from '@tidings/events/event-log';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { Database } from '@tidings/persistence/database';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type RunningService, type ServiceResources, startService } from '@tidings/runtime/service';
import { createTestDatabase, type TestDatabase } from './database';
import { redelivered } from './redelivered';
import { withUsualPlans } from './usual-plans';

/** A service on a database of its own, for a spec. */
export interface TestService {
  call: OperationClient['call'];
  /** Calls that are all one delivery, as when a transport delivers a request again. */
  redelivered(): OperationClient['call'];
  /** The log the service publishes to and reads from, as its owner: the spec may use every topic, the service its own. */
  events: EventLog;
  /** Connects to the service's database as superuser. */
  adminUrl: string;
  /** Runs a statement in the service's schema. */
  sql<Row extends object>(statement: string, values: unknown[]): Promise<Row[]>;
  /** A provider of the service. */
  get: RunningService['get'];
  stop(): Promise<void>;
}

/** Starts a service's module on a new database with an event log. */
export async function startTestService(
  name: Exclude<ServiceName, 'gateway'>,
  register: (resources: ServiceResources) => DynamicModule,
): Promise<TestService> {
  Logger.overrideLogger(['error', 'warn']);
  const migrate = async (template: TestDatabase): Promise<void> => {
    await migrateEventLog(template.urlOf('events'));
    const { service, events } = await run(name, register, template); // a service migrates its schema when it starts
    await service.stop();
    await events.close();
  };
  const database = await createTestDatabase({ migrate: { key: `service ${name}`, run: migrate } });
  const { service, events, transport, client } = await run(name, register, database);
  return {
    call: (...parameters) => client.call(...parameters),
    redelivered: () => redelivered(transport),
    events,
    adminUrl: database.adminUrl,
    sql: (text, values) => withUsualPlans(service.get(Database), text, values),
    get: (token) => service.get(token),
    stop: async () => {
      await service.stop();
      await events.close();
      await database.drop();
    },
  };
}

async function run(
  name: Exclude<ServiceName, 'gateway'>,
  register: (resources: ServiceResources) => DynamicModule,
  database: TestDatabase,
): Promise<{ service: RunningService; events: EventLog; transport: LocalTransport; client: OperationClient }> {
  const databaseUrl = database.urlOf(name);
  const connect = (url: string, applicationName: string) =>
    PostgresEventLog.connect({ databaseUrl: url, applicationName, maintenanceIntervalMs: null });
  const [own, events] = await Promise.all([connect(databaseUrl, name), connect(database.urlOf('events'), `${name}-spec`)]);
  const transport = new LocalTransport();
  const client = transport.client();
  const service = await startService(name, register({ databaseUrl, events: own, client }), transport);
  const stop = async () => {
    await service.stop();
    await own.close();
  };
  return { service: { ...service, stop }, events, transport, client };
}
