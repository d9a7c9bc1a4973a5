import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { MessageWriter } from '../testing/message-writer';
import { Messaging } from '../testing/start-messaging';
import { finishDeliveries, renewLeases } from './outcome-store';
import type { MessageStep } from './step';
import { storeSteps } from './step-store';

const MESSAGES = 1_000;
/** A connection keeps a plan from the sixth run of a statement on. */
const UNTIL_PLANNED = 10;
const BATCH = 50;
/** What one look for a key may meet: versions of the row that nobody removed yet. */
const VERSIONS_MAX = 4;

let messaging: Messaging;
let writer: MessageWriter;
beforeEach(async () => {
  messaging = await Messaging.create();
  await messaging.start(); // which makes the tables
  await messaging.stop();
  await told();
  await messaging.rows('select pg_stat_reset()');
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
});
afterEach(() => messaging.end());

const workspaceId = randomUUID();
const smtp = { channel: 'email', integration: 'default', provider: 'smtp' };

/** A message with one delivery under way, its only one or one of those that decide what comes next. */
const routed = (isOnly: boolean): MessageStep => {
  const message = writer.routed(workspaceId);
  const delivery = { ...smtp, leaf: 0, lane: 'normal' as const, held: true, more: !isOnly, since_ms: message.at };
  return { ...message, deliveries: [delivery], open: isOnly ? null : { stage: 'routed', lane: 'normal' } };
};

/** A batch of both kinds from its first step to its end. */
async function work(): Promise<void> {
  const alone = Array.from({ length: BATCH }, () => routed(true));
  const others = Array.from({ length: BATCH }, () => routed(false));
  const now = Date.now();
  await storeSteps(writer.database, [...alone, ...others], now);
  const attempts = alone.map(({ uuid }) => ({ workspace_id: workspaceId, id: uuid, leaf: 0, attempt: 1 }));
  expect(await renewLeases(writer.database, attempts)).toHaveLength(BATCH);
  const record = { channel: { key: 'email', template: '' }, provider: 'smtp', status: 'SENT' as const, sent: now };
  const events = [{ ts: now, type: 'SENT' as const }];
  await finishDeliveries(
    writer.database,
    attempts.map((attempt) => ({ ...attempt, more: false, record, at: now, events, count: 1 })),
  );
  const further = others.map((step): MessageStep => ({ ...step, turn: 0, status: 'SENT', events, deliveries: [], open: null }));
  expect((await storeSteps(writer.database, further, now)).size).toBe(BATCH);
}

/** Waits until the service's connections have ended, a little later than who had them: they tell their statistics then. */
async function told(): Promise<void> {
  const { username } = new URL(messaging.database.urlOf('messaging'));
  const connections = 'select from pg_stat_activity where datname = current_database() and usename = $1';
  await waitUntil(async () => (await messaging.rows(connections, [username])).length === 0, { what: 'the connections to end' });
}

/** What was read otherwise than by a key since the start; the writer has ended. */
async function readOtherwise(): Promise<object[]> {
  await writer.close();
  await told();
  return messaging.rows(
    `select relname as name, seq_scan as scans from pg_stat_user_tables
     where relname ~ '^(messages_|deliveries$|open_messages$)' and relname !~ 'terms' and seq_scan > 0
     union all
     select indexrelname, idx_scan from pg_stat_user_indexes
     where relname ~ '^(messages_|deliveries$|open_messages$)' and relname !~ 'terms'
       and case when indexrelname ~ 'pkey' then idx_tup_read > idx_scan * ${VERSIONS_MAX} else idx_tup_read > 0 end`,
  );
}

it('finds a message by its key where plans were made while its partition was empty', async () => {
  for (let run = 0; run < UNTIL_PLANNED; run++) await work();

  expect(await readOtherwise()).toEqual([]);
});

it('finds a message by its key where plans were made while its partition was small and known to be so', async () => {
  const messages = Array.from({ length: MESSAGES }, () => routed(true));
  await storeSteps(writer.database, messages, Date.now());
  await messaging.rows('analyze');
  await messaging.rows('select pg_stat_reset()');
  for (let run = 0; run < UNTIL_PLANNED; run++) await work();

  expect(await readOtherwise()).toEqual([]);
});
