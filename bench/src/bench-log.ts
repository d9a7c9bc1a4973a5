import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { messageRequested, type MessageRequested } from '@tidings/contracts/messaging/events';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import type { EventLog, NewEvent } from '@tidings/events/event-log';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import type { KafkaSettings } from '@tidings/kafka/settings';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { provisionDatabase } from '@tidings/persistence/provision';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';

// Migrations log their progress, which would mix with the report.
Logger.overrideLogger(['error', 'fatal', 'warn']);

export const BENCH_WORKSPACE = '01890a5d-ac96-774b-bcce-b302099a8057';

export interface FloorDatabase {
  /** Connects with the role of the log's owner, as the product does. */
  databaseUrl: string;
  /** Connects with the role of identity. */
  identityUrl: string;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL with the product's settings and the event log's tables, for the floors. */
export async function startFloorDatabase(directory: string): Promise<FloorDatabase> {
  const server = await EmbeddedPostgres.start({ directory, durable: true });
  try {
    const urls = await provisionDatabase(server.adminUrl);
    await migrateEventLog(urls.events);
    return { databaseUrl: urls.events, identityUrl: urls.identity, stop: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The event log that a floor appends to: that of the measured topology. */
export type LogTarget = { databaseUrl: string } | { kafka: KafkaSettings };

/** Connects as the product does; the server lists the connection under the floor's name. */
export function connectLog(target: LogTarget, name: string): Promise<EventLog> {
  if ('kafka' in target) return KafkaEventLog.connect({ settings: target.kafka, clientId: name });
  return PostgresEventLog.connect({ databaseUrl: target.databaseUrl, applicationName: name, maintenanceIntervalMs: null });
}

/** The record of a send, made from the parsed body without validation. */
export function toRequested(body: SendLike): NewEvent<MessageRequested> {
  const { to, content, data } = body.message;
  const now = Date.now();
  const id = newMessageId(now);
  const payload: MessageRequested = {
    workspaceId: BENCH_WORKSPACE,
    id,
    recipient: to.user_id ?? to.email ?? '',
    requestedAt: now,
    mode: 'production',
    ...(to.user_id !== undefined && { userId: to.user_id }),
    profile: {},
    content,
    data,
    event: '',
    tags: [],
  };
  return { id, payload };
}

/** The part of a send that benches use. */
export interface SendLike {
  message: { to: { user_id?: string; email?: string }; content: { title: string; body: string }; data: Record<string, unknown> };
}

export { messageRequested };
