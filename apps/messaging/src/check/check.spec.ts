import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { providers } from '@tidings/contracts/messaging/providers';
import { PostgresInspection } from '@tidings/events/postgres/postgres-inspection';
import { resetPostgresGroup } from '@tidings/events/postgres/reset-group';
import { connectionConfig } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { ProgressLines, StateFile } from '@tidings/runtime/long-command';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { ROUTER_GROUP } from '../accept/router-group';
import { untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
import { check, type CheckState, newState, unrepairedCount } from './check';

/** Where rows of the seeds are due: no process takes them. */
const LATER = `clock_timestamp() + interval '1 hour'`;

let messaging: Messaging;
let database: DedicatedConnection;
let log: PostgresInspection;

beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
  const databaseUrl = messaging.database.urlOf('messaging');
  database = await DedicatedConnection.open(connectionConfig({ databaseUrl, schema: 'messaging' }));
  log = (await PostgresInspection.open(databaseUrl, messageRequested.topic, ROUTER_GROUP))!;
});
afterAll(async () => {
  database.close();
  await log.close();
  await messaging.end();
});

interface RunOptions {
  repairs?: boolean;
  state?: CheckState;
  file?: StateFile<CheckState>;
  signal?: AbortSignal;
}

async function run({
  repairs = false,
  state = newState(),
  file = new StateFile(undefined, ''),
  signal = new AbortController().signal,
}: RunOptions = {}) {
  await check(state, { database, log, repairs, progress: new ProgressLines(() => {}), file, signal });
  return state;
}
const foundBy = ({ found }: CheckState): Record<string, number> =>
  Object.fromEntries(Object.entries(found).map(([name, { found: count }]) => [name, count]));
const rows = (text: string, ...values: unknown[]) => messaging.rows(text, values);
const uuidOf = (id: string): string => messageIdToUuid(id)!;
const newUuid = (): string => uuidOf(newMessageId(Date.now()));

const addDelivery = (uuid: string, { dueAt = LATER, isOpen = false } = {}) =>
  rows(
    `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
     values ($1, 0, $2, 'email', 'smtp', 1, $3, ${dueAt})`,
    uuid,
    messaging.workspaceId,
    isOpen,
  );
const addOpen = (uuid: string) =>
  rows(
    `insert into messaging.open_messages (message_id, workspace_id, lane, stage, turn, due_at, state) values ($1, $2, 1, 'delayed', 0, ${LATER}, '{}')`,
    uuid,
    messaging.workspaceId,
  );
const addJob = async ({ status = 'CREATED', received = 0, users = [] as string[], hasJob = true } = {}) => {
  const uuid = newUuid();
  const key = [messaging.workspaceId, uuid] as const;
  if (hasJob)
    await rows(
      `insert into messaging.bulk_jobs (workspace_id, job_id, message, status, received) values ($1, $2, '{}', $3, $4)`,
      ...key,
      status,
      received,
    );
  for (const [ordinal, one] of users.entries())
    await rows(
      `insert into messaging.bulk_users (workspace_id, job_id, ordinal, recipient, status, entry, bytes, message_id)
       values ($1, $2, $3::bigint, $3::bigint::text, $4, '{}', 2, $5)`,
      ...key,
      ordinal + 1,
      one,
      one === 'ENQUEUED' ? newUuid() : null,
    );
  return uuid;
};

describe('a check', () => {
  it('of sound data finds nothing, and counts each accepted message as final or pending', async () => {
    const sent = await messaging.send({}, {}, { recipient: 'unknown', profile: {} });
    const [delayed] = await messaging.send({ delay: untilMadeDue() });
    await waitUntil(async () => (await messaging.statusOf(delayed!)) === 'DELAYED', { what: 'the delayed message' });
    await waitUntil(async () =>
      (await Promise.all(sent.map((id) => messaging.statusOf(id)))).every((one) => !['ENQUEUED', 'ROUTED'].includes(one)),
    );

    const state = await run();

    expect(state.found).toEqual({});
    expect(state.counts).toEqual({ [messaging.workspaceId]: { final: 3, pending: 1, unread: 0, stopped: 0, lost: 0 } });
    expect(state.records).toBe(4);
  });

  describe('without a running process', () => {
    beforeAll(() => messaging.stop());
    afterAll(() => messaging.start());

    it.each<[string, () => Promise<unknown>]>([
      ['delivery-without-message', () => addDelivery(newUuid())],
      ['open-state-without-message', () => addOpen(newUuid())],
      [
        'history-without-message',
        () =>
          rows(
            `insert into messaging.history (workspace_id, message_id, number, at, events) values ($1, $2, 1, 0, '[]')`,
            messaging.workspaceId,
            newUuid(),
          ),
      ],
      [
        'ended-message-with-work',
        async () => {
          const [id] = await storeMessages(messaging, [{ status: 'CANCELED', history: [{ ts: 0, type: 'CANCELED' }] }]);
          await addDelivery(uuidOf(id!));
        },
      ],
      [
        'stuck-lease',
        async () => {
          const [id] = await storeMessages(messaging, [{ status: 'ROUTED', history: [{ ts: 0, type: 'ROUTED' }] }]);
          await addDelivery(uuidOf(id!), { isOpen: true });
        },
      ],
      ['job-with-other-users', () => addJob({ received: 3, users: ['PENDING'] })],
      ['job-without-expansion', () => addJob({ status: 'PROCESSING', received: 2, users: ['ENQUEUED', 'ERROR'] })],
      ['users-without-job', () => addJob({ users: ['PENDING', 'PENDING'], hasJob: false })],
    ])('finds %s, and repairs it on demand alone', async (problem, seed) => {
      await seed();

      expect(foundBy(await run())).toEqual({ [problem]: 1 });
      const repaired = await run({ repairs: true });
      expect(repaired.found).toEqual({ [problem]: { found: 1, repaired: 1 } });
      expect(repaired.listed).toMatchObject([{ problem, workspace_id: messaging.workspaceId, repaired: true }]);
      expect(foundBy(await run())).toEqual({});
    });

    it('says what it cannot repair, and why', async () => {
      const [id] = await storeMessages(messaging, [{ status: 'DELIVERED' }]);
      const job = await addJob({ status: 'PROCESSING', received: 1, users: ['PENDING'] });

      const state = await run({ repairs: true });

      expect(unrepairedCount(state)).toBe(2);
      expect(state.listed).toMatchObject([
        { problem: 'message-without-history', id, repaired: false, result: expect.stringContaining('restore it from a backup') as string },
        { problem: 'job-without-expansion', repaired: false, result: expect.stringContaining('PENDING') as string },
      ]);
      await rows('delete from messaging.messages where id = $1', uuidOf(id!));
      await rows('delete from messaging.bulk_users where job_id = $1', job);
      await rows('delete from messaging.bulk_jobs where job_id = $1', job);
    });

    it('counts what waits in the log as pending, and finds what was handled and is stored nowhere', async () => {
      const [id] = await messaging.send();
      const before = await run();
      expect(before.counts[messaging.workspaceId]).toMatchObject({ unread: 1, lost: 0 });
      expect(before.found).toEqual({});
      await rows('update events.groups set position = (select last_value from events.position) where name = $1', ROUTER_GROUP);

      const lost = await run({ repairs: true });

      expect(lost.counts[messaging.workspaceId]).toMatchObject({ unread: 0, lost: 1 });
      expect(lost.listed).toMatchObject([
        { problem: 'lost-request', id, repaired: false, result: expect.stringContaining('tidings replay') as string },
      ]);
      const from = Date.parse(lost.listed[0]!.accepted_at!);
      await resetPostgresGroup(messaging.database.urlOf('messaging'), messageRequested.topic, ROUTER_GROUP, from);
      await messaging.start();
      await messaging.waitForStatus(id!, 'DELIVERED');
      await messaging.stop();
      expect(foundBy(await run())).toEqual({});
    });

    it('that was stopped continues where it was, and counts nothing twice', async () => {
      await addDelivery(newUuid());
      await addDelivery(newUuid());
      const whole = await run();
      const stop = new AbortController();
      let [pages, kept] = [0, ''];
      class Stopping extends StateFile<CheckState> {
        override note(make: () => CheckState): void {
          kept = JSON.stringify(make());
          if (++pages === 3) stop.abort(new Error('stopped'));
        }
      }

      await expect(run({ file: new Stopping(undefined, ''), signal: stop.signal })).rejects.toThrow('stopped');
      const continued = await run({ state: JSON.parse(kept) as CheckState });

      expect(continued).toEqual(whole);
      expect(foundBy(whole)).toEqual({ 'delivery-without-message': 2 });
      await run({ repairs: true });
    });
  });

  it('opens messages again of which nothing waits, and they are sent once', async () => {
    messaging.smtp.treat('later@example.com', { deferFirst: 1_000 });
    const [routed] = await messaging.send({ profile: { email: 'later@example.com' } });
    const [delayed] = await messaging.send({ delay: untilMadeDue() });
    await waitUntil(async () => (await messaging.statusOf(delayed!)) === 'DELAYED', { what: 'the delayed message' });
    await waitUntil(
      async () => (await rows('select from messaging.deliveries where message_id = $1 and not attempt_open', uuidOf(routed!))).length === 1,
      { what: 'a delivery that waits' },
    );
    await messaging.stop();
    await rows('delete from messaging.deliveries where message_id = $1', uuidOf(routed!));
    await rows('delete from messaging.open_messages where message_id = $1', uuidOf(delayed!));
    messaging.smtp.treat('later@example.com', {});

    const state = await run({ repairs: true });
    await messaging.start();

    expect(state.found).toEqual({ 'message-without-work': { found: 2, repaired: 2 } });
    await messaging.waitForStatus(routed!, 'DELIVERED');
    expect(messaging.smtp.mails.filter(({ envelope, isAccepted }) => isAccepted && envelope.to.includes('later@example.com'))).toHaveLength(
      1,
    );
    await waitUntil(
      async () =>
        (await rows(`select from messaging.open_messages where message_id = $1 and stage = 'delayed'`, uuidOf(delayed!))).length === 1,
      {
        what: 'the delay to go on',
      },
    );
    expect(foundBy(await run())).toEqual({});
  });

  it('opens the deliveries again for which a message with further routes waits', async () => {
    const receivers = [await CapturingHttp.start(), await CapturingHttp.start()];
    try {
      const settings = { channel: 'sms', secret: 'a secret of some length' };
      const aliases = [`a-${randomUUID()}`, `b-${randomUUID()}`];
      for (const [index, alias] of aliases.entries())
        await messaging.call(providers.create, { provider: 'http', alias, settings: { ...settings, url: receivers[index]!.url } });
      receivers[0]!.answer(503, '', { 'retry-after': '60' });
      const [id] = await messaging.send({ profile: { phone_number: '+49151' }, routing: { method: 'single', channels: aliases } });
      await waitUntil(
        async () => (await rows('select from messaging.deliveries where message_id = $1 and not attempt_open', uuidOf(id!))).length === 1,
        { what: 'a delivery that waits' },
      );
      await messaging.stop();
      await rows('delete from messaging.deliveries where message_id = $1', uuidOf(id!));
      receivers[0]!.answer(200, { id: 'accepted' });

      const state = await run({ repairs: true });
      await messaging.start();

      expect(state.found).toEqual({ 'open-state-without-work': { found: 1, repaired: 1 } });
      await messaging.waitForStatus(id!, 'SENT');
      expect(receivers[1]!.received).toEqual([]);
    } finally {
      for (const one of receivers) await one.stop();
    }
  });
});
