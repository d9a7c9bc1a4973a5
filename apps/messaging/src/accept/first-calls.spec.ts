import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

const SENDS = 600;
const CUTS = 5;

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

const rowsOf = (id: string): Promise<unknown[]> =>
  messaging.rows('select from messaging.history where message_id = $1', [messageIdToUuid(id)]);

/** A message is called first where its id, which has its second, is newer than the process. */
const nextSecond = async (): Promise<void> => {
  const second = Math.ceil((Date.now() + 1) / 1000) * 1000;
  await waitUntil(() => Date.now() >= second, { what: 'the next second' });
};

describe('a message with a single route', () => {
  it('is stored with the outcome of its call', async () => {
    await nextSecond();
    const ids = await messaging.send(...Array.from({ length: 20 }, () => ({})));
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');

    // On a busy machine some calls take so long that their messages are stored before.
    const rows = await Promise.all(ids.map(async (id) => ({ id, count: (await rowsOf(id)).length })));
    const together = rows.find(({ count }) => count === 1);
    expect(together).toBeDefined();
    expect((await messaging.historyTypes(together!.id)).slice(-3)).toEqual(['DELIVERING', 'SENT', 'DELIVERED']);
  });

  it('is stored without it when the call takes long', async () => {
    const answer = latch();
    messaging.smtp.treat('long@example.com', { answerAfter: answer.opened });
    const [id] = await messaging.send({ profile: { email: 'long@example.com' } });
    await messaging.waitForStatus(id!, 'ROUTED');
    expect(await messaging.rows('select attempt, attempt_open from messaging.deliveries')).toEqual([{ attempt: 1, attempt_open: true }]);

    answer.open();
    await messaging.waitForStatus(id!, 'DELIVERED');

    expect(await rowsOf(id!)).toHaveLength(2);
    expect(messaging.smtp.mailsTo('long@example.com')).toHaveLength(1);
  });

  it('is called once, though the connection to the event log breaks while many are called', async () => {
    await nextSecond();
    messaging.smtp.treat(ANY_RECIPIENT, { slowMs: 5 });
    const emails = Array.from({ length: SENDS }, (_, number) => `cut-${number}@example.com`);
    const arrived = () => messaging.smtp.mails.filter(({ envelope }) => envelope.to[0]!.startsWith('cut-')).length;
    const sending = messaging.send(...emails.map((email) => ({ profile: { email } })));
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await waitUntil(() => arrived() > ((SENDS / 2) * cut) / (CUTS + 1), { what: 'some mails', intervalMs: 1 });
      await messaging.rows(`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'messaging-spec'`);
    }

    for (const id of await sending) await messaging.waitForStatus(id, 'DELIVERED');

    expect(emails.map((email) => messaging.smtp.mailsTo(email).length)).toEqual(emails.map(() => 1));
  });
});
