import { Logger } from '@nestjs/common';
import { Pool } from 'pg';
import { defineEvent, type EventDefinition } from '@tidings/contracts/core/event';
import { createTestDatabase, type TestDatabase } from '@tidings/testing/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { openDataSource } from './data-source';
import { Database } from './database';
import { Outbox } from './outbox';
import { OUTBOX_MIGRATIONS } from './outbox.migrations';
import { OutboxRelay, type OutboxRelayOptions } from './outbox-relay';
import type { AppendLog, OutgoingEvent } from './relay-source';
import { shardOf } from './shards';

export class Step {
  workspaceId!: string;
  messageId!: string;
  /** The message's own running number. */
  n!: number;
}

export const stepMade = defineEvent<Step>({
  topic: 'tidings.spec-steps.v1',
  key: ['workspaceId', 'messageId'],
  payload: Step,
  summary: 'A message made a step',
});

export const stepNoted = defineEvent<Step>({
  topic: 'tidings.spec-notes.v1',
  key: ['workspaceId', 'messageId'],
  payload: Step,
  summary: 'A step was noted',
  compacted: true,
});

export const step = (messageId: string, n = 1): Step => ({ workspaceId: 'w', messageId, n });
export const nameOf = ({ payload }: { payload: object | null }): string => {
  const { messageId, n } = payload as Step;
  return `${messageId}${n}`;
};

/** Ids of messages that all share one shard, or of which no two share a shard. */
export function messageIds(count: number, shards: 'same' | 'different'): string[] {
  const found: string[] = [];
  const used = new Set<number>();
  for (let index = 0; found.length < count; index++) {
    const id = `m${index}-`;
    const shard = shardOf(stepMade.keyOf(step(id)));
    if (found.length > 0 && used.has(shard) !== (shards === 'same')) continue;
    used.add(shard);
    found.push(id);
  }
  return found;
}

export type Appended = OutgoingEvent & { topic: string };

/** A log that records appends, and can be made to wait or fail. */
export class RecordingLog implements AppendLog {
  readonly records: Appended[] = [];
  appending = 0;
  mostAtOnce = 0;
  /** Awaited before an append takes effect. */
  before: (topic: string, events: readonly OutgoingEvent[]) => Promise<void> | void = () => {};
  /** Awaited after an append took effect, before the relay gets the answer. */
  after: () => Promise<void> | void = () => {};

  async append<Payload extends object>(event: EventDefinition<Payload>, events: readonly OutgoingEvent<Payload>[]): Promise<void> {
    this.appending++;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.appending);
    try {
      await this.before(event.topic, events);
      this.records.push(...events.map((record) => ({ ...record, topic: event.topic })));
      await this.after();
    } finally {
      this.appending--;
    }
  }

  get names(): string[] {
    return this.records.map(nameOf);
  }

  async waitFor(...names: string[]): Promise<void> {
    await waitUntil(() => names.every((name) => this.names.includes(name)), { what: `${names.join(', ')} in the log` });
  }
}

/** A process of a service: connections, an outbox, relays to start. */
export interface Member {
  database: Database;
  outbox: Outbox;
  relay(options?: Partial<OutboxRelayOptions>): OutboxRelay;
}

export interface Service {
  testDatabase: TestDatabase;
  /** Connects as superuser. */
  admin: Pool;
  log: RecordingLog;
  member(databaseUrl?: string): Promise<Member>;
  /** Terminates the relays' connections in the server. */
  killRelays(): Promise<number>;
  stop(): Promise<void>;
}

/** Longer than any test: a relay acts on notifications only, and republishes nothing. */
export const NO_SWEEP_MS = 600_000;

export async function startService(): Promise<Service> {
  Logger.overrideLogger(false); // errors of the relays are provoked
  const testDatabase = await createTestDatabase();
  const admin = new Pool({ connectionString: testDatabase.adminUrl, max: 4 });
  admin.on('error', () => {}); // the drop may come before the server has seen the pool's end
  const log = new RecordingLog();
  const stops: (() => Promise<void>)[] = [];
  return {
    testDatabase,
    admin,
    log,
    async member(databaseUrl = testDatabase.urlOf('messaging')) {
      const dataSource = await openDataSource({ databaseUrl, schema: 'messaging', entities: [], migrations: OUTBOX_MIGRATIONS });
      const database = new Database(dataSource);
      const outbox = new Outbox(database, 'messaging', [stepMade, stepNoted]);
      stops.unshift(() => dataSource.destroy());
      return {
        database,
        outbox,
        relay(options = {}) {
          const relay = new OutboxRelay({
            database,
            source: outbox,
            log,
            sweepIntervalMs: NO_SWEEP_MS,
            republishAfterMs: NO_SWEEP_MS,
            ...options,
          });
          stops.unshift(() => relay.stop());
          return relay;
        },
      };
    },
    async killRelays() {
      const { rows } = await admin.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'tidings-relay' AND datname = current_database()`,
      );
      return rows.length;
    },
    async stop() {
      for (const stop of stops) await stop();
      await admin.end();
      await testDatabase.drop();
    },
  };
}
