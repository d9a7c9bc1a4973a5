import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { type AccessChanged, accessChanged } from '@tidings/contracts/identity/keys';
import { type EnsuredWorkspace, type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { Database } from '@tidings/persistence/database';
import { LocalTransport } from '@tidings/rpc/local-transport';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type RunningService, startService } from '@tidings/runtime/service';
import { createTestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { IdentityModule } from '../identity.module';
import { makeApiKey } from '../keys/api-key';

export interface RunningIdentity {
  call: OperationClient['call'];
  /** Connects to the service's database as superuser. */
  adminUrl: string;
  /** Looks into the service's schema. */
  sql<Row extends object>(statement: string, values: unknown[]): Promise<Row[]>;
  /** A provider of the service: for what a transport that delivers twice would do. */
  get: RunningService['get'];
  /** Resolves when a gateway has heard of exactly `times` changes of the key. */
  heard(keyId: string, times?: number): Promise<void>;
  stop(): Promise<void>;
}

/** The identity service on a database of its own, with a gateway's ear at the event log. */
export async function startIdentity({ secretKeys }: { secretKeys?: readonly Buffer[] } = {}): Promise<RunningIdentity> {
  Logger.overrideLogger(['error', 'warn']);
  const database = await createTestDatabase({ migrate: { key: 'event-log', run: ({ urlOf }) => migrateEventLog(urlOf('events')) } });
  const events = await PostgresEventLog.connect({
    databaseUrl: database.urlOf('identity'),
    applicationName: 'identity-spec',
    maintenanceIntervalMs: null,
  });
  const heard: AccessChanged[] = [];
  await events.broadcast(accessChanged, ({ payload }) => void (payload && heard.push(payload)));

  const transport = new LocalTransport();
  const client = transport.client();
  const module = IdentityModule.register({ databaseUrl: database.urlOf('identity'), events, client, secretKeys });
  const service: RunningService = await startService('identity', module, transport);
  return {
    call: (...parameters) => client.call(...parameters),
    adminUrl: database.adminUrl,
    sql: (statement, values) => service.get(Database).query(statement, values),
    get: (token) => service.get(token),
    heard: async (id, times = 1) => {
      await waitUntil(() => heard.filter(({ keyId }) => keyId === id).length === times, {
        what: `${times} changes of ${id}`,
        timeoutMs: 4_000,
      });
    },
    stop: async () => {
      await service.stop();
      await events.close();
      await database.drop();
    },
  };
}

/** A workspace with a key, different from every other. */
export async function buildWorkspace(
  { call }: RunningIdentity,
  overrides: Partial<EnsureWorkspace> = {},
): Promise<EnsureWorkspace & EnsuredWorkspace> {
  const request: EnsureWorkspace = {
    name: `workspace ${randomUUID()}`,
    account_email: `${randomUUID()}@example.com`,
    key: makeApiKey(overrides.mode ?? 'production'),
    mode: 'production',
    ...overrides,
  };
  return { ...request, ...(await call(workspaces.ensure, systemContext(randomUUID()), request)) };
}
