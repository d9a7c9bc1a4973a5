import '@tidings/testing/quiet';
import { Logger } from '@nestjs/common';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { Database } from '@tidings/persistence/database';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';
import { Suppressions } from '../suppressions/suppressions';
import { BounceGuard, COUNTED_SENDS_MIN, GUARD_NAME } from './bounce-guard';

let messaging: Messaging;
beforeEach(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterEach(() => messaging.end());

const guard = () => messaging.get<BounceGuard>(BounceGuard);
type Reports = Partial<Record<'hard_bounce' | 'complaint' | 'unsubscribe', number>>;
const count = async (sends: number, reports: Reports, sentAt?: number): Promise<void> => {
  const { workspaceId } = messaging;
  for (let sent = 0; sent < sends; sent += 1) guard().countSend(workspaceId, 'default');
  const all = Object.entries(reports).flatMap(([reason, times]) => Array.from({ length: times }, () => reason as 'hard_bounce'));
  await messaging.get<Database>(Database).transaction((tx) =>
    messaging.get<Suppressions>(Suppressions).suppress(
      tx,
      all.map((reason, index) => {
        const address = `${reason}-${index}@example.com`;
        return { workspaceId, channel: 'email', address, reason, source: 'ses', configurationId: 'default', sentAt };
      }),
    ),
  );
  await guard().flush();
};
const stateOf = async () => {
  const { results } = await messaging.call(providerPauses.list, {});
  const { state, paused_by } = results.find(({ name }) => name === 'default')!;
  return paused_by ? [state, paused_by] : [state];
};

it('pauses a configuration whose bounces exceed their share, with a line in the log, and counts anew once it is resumed', async () => {
  const warn = jest.spyOn(Logger.prototype, 'warn');
  const records: AuditRecord[] = [];
  const subscription = await messaging.log.broadcast(auditRecorded, ({ payload }) => void (payload && records.push(payload)));
  const lines = () => warn.mock.calls.filter(([line]) => JSON.stringify(line).includes('A provider is paused'));
  await count(COUNTED_SENDS_MIN, { hard_bounce: COUNTED_SENDS_MIN / 20, unsubscribe: 100 });
  await expect(stateOf()).resolves.toEqual(['active']);

  await count(0, { hard_bounce: 1 });

  await expect(stateOf()).resolves.toEqual(['paused', GUARD_NAME]);
  await count(1, { hard_bounce: 1 });
  expect(lines()).toHaveLength(1);
  expect(lines()[0]).toMatchObject([
    { message: expect.stringContaining('5.5 % of 200 sends in an hour were bounces, more than 5 %') as string },
  ]);
  await waitUntil(() => records.length > 0, { what: 'the audit event' });
  expect(records).toMatchObject([{ type: 'provider:paused', targetId: 'default', actor: { type: 'system', id: GUARD_NAME } }]);

  const before = Date.now();
  await messaging.call(providerPauses.resume, { name: 'default' });
  await count(COUNTED_SENDS_MIN, { hard_bounce: 1 });
  await count(0, { hard_bounce: COUNTED_SENDS_MIN }, before - 1);
  await expect(stateOf()).resolves.toEqual(['active']);
  await count(0, { hard_bounce: COUNTED_SENDS_MIN }, Date.now());
  await expect(stateOf()).resolves.toEqual(['paused', GUARD_NAME]);
  await subscription.stop();
  warn.mockRestore();
});

it('pauses a configuration whose complaints exceed their share', async () => {
  await count(COUNTED_SENDS_MIN, { complaint: 1 });

  await expect(stateOf()).resolves.toEqual(['paused', GUARD_NAME]);
});

it('judges no configuration with few sends, nor by those of more than an hour ago', async () => {
  await count(COUNTED_SENDS_MIN - 1, { hard_bounce: COUNTED_SENDS_MIN - 1 });
  await expect(stateOf()).resolves.toEqual(['active']);

  await messaging.rows(`update messaging.provider_outcomes set minute = minute - interval '61 minutes'`);
  await count(COUNTED_SENDS_MIN, { hard_bounce: 1 });
  await expect(stateOf()).resolves.toEqual(['active']);
});

it('counts what providers accept and refuse', async () => {
  messaging.smtp.treat('unknown@example.com', { refuse: true });
  const [sent, refused] = await messaging.send({}, { recipient: 'unknown@example.com', profile: { email: 'unknown@example.com' } });
  await messaging.waitForStatus(sent!, 'DELIVERED');
  await messaging.waitForStatus(refused!, 'UNDELIVERABLE');

  await guard().flush();

  const sums = 'select sum(sends)::int as sends, sum(bounces)::int as bounces from messaging.provider_outcomes';
  await expect(messaging.rows(sums)).resolves.toEqual([{ sends: 2, bounces: 1 }]);
});
