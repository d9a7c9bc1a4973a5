import { randomUUID } from 'node:crypto';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { finishDeliveries, renewLeases } from './delivery-store';
import { type MessageStep, storeSteps } from './step-store';

const FEW = 1_000;
const MANY = 20_000;
/** A connection reuses a plan from the sixth run of a statement on. */
const UNTIL_PLANNED = 10;
const BATCH = 50;
/** While the number of messages grows more than fivefold. */
const RATIO_MAX = 2;

let messaging: Messaging;
let writer: MessageWriter;
beforeEach(async () => {
  messaging = await Messaging.create();
  await messaging.start(); // creates the tables
  await messaging.stop();
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
});
afterEach(async () => {
  await writer.close();
  await messaging.end();
});

const workspaceId = randomUUID();
const smtp = { channel: 'email', integration: 'default', provider: 'smtp' };

/** A message with one leased delivery; without `isOnly` further steps follow it. */
const routed = (isOnly: boolean): MessageStep => {
  const message = writer.routed(workspaceId);
  const delivery = { ...smtp, leaf: 0, lane: 'normal' as const, isLeased: true, more: !isOnly, since_ms: message.at };
  return { ...message, deliveries: [delivery], open: isOnly ? null : { stage: 'routed', lane: 'normal' } };
};

/** Processes a batch of both kinds from the first step to the end. */
async function work(): Promise<void> {
  const single = Array.from({ length: BATCH }, () => routed(true));
  const others = Array.from({ length: BATCH }, () => routed(false));
  const now = Date.now();
  await storeSteps(writer.database, [...single, ...others], now);
  const attempts = single.map(({ uuid }) => ({ workspace_id: workspaceId, id: uuid, leaf: 0, attempt: 1 }));
  expect(await renewLeases(writer.database, attempts)).toHaveLength(BATCH);
  const record = { channel: { key: 'email', template: '' }, provider: 'smtp', status: 'SENT' as const, sent: now };
  const events = [{ ts: now, type: 'SENT' as const }];
  await finishDeliveries(
    writer.database,
    attempts.map((attempt) => ({ ...attempt, more: false, record, at: now, events })),
  );
  const further = others.map((step): MessageStep => ({ ...step, generation: 0, status: 'SENT', events, deliveries: [], open: null }));
  expect((await storeSteps(writer.database, further, now)).size).toBe(BATCH);
}

/** Rows read since the start, by sequential and index scans. */
async function rowsRead(): Promise<number> {
  // Connections flush their statistics at intervals; this forces it.
  await writer.database.query('select pg_stat_force_next_flush()');
  const [row] = await messaging.rows<{ count: string }>(
    `select (select sum(seq_tup_read) from pg_stat_user_tables where schemaname = 'messaging')
          + (select sum(idx_tup_read) from pg_stat_user_indexes where schemaname = 'messaging') as count`,
  );
  return Number(row!.count);
}

/** Rows that one batch reads. */
async function readByWork(): Promise<number> {
  const before = await rowsRead();
  await work();
  return (await rowsRead()) - before;
}

/** A batch reads about as many rows among many messages as among few. */
async function expectNoMoreWithMany(): Promise<void> {
  const few = await readByWork();
  const messages = Array.from({ length: MANY }, () => routed(true));
  await storeSteps(writer.database, messages, Date.now());

  const many = await readByWork();

  expect(few).toBeGreaterThan(0);
  expect(many / few).toBeLessThan(RATIO_MAX);
}

it('finds a message by its key where plans were made while its partition was empty', async () => {
  for (let run = 0; run < UNTIL_PLANNED; run++) await work();

  await expectNoMoreWithMany();
});

it('finds a message by its key where plans were made while its partition was small and analyzed', async () => {
  const messages = Array.from({ length: FEW }, () => routed(true));
  await storeSteps(writer.database, messages, Date.now());
  await messaging.rows('analyze');
  for (let run = 0; run < UNTIL_PLANNED; run++) await work();

  await expectNoMoreWithMany();
});
