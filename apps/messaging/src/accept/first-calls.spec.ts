import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Dispatcher } from '../deliver/dispatcher';
import { Messaging } from '../testing/start-messaging';

const SENDS = 600;
const CUTS = 5;

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterEach(() => jest.restoreAllMocks());
afterAll(() => messaging.end());

const rowsOf = (id: string): Promise<unknown[]> =>
  messaging.rows('select from messaging.history where message_id = $1', [messageIdToUuid(id)]);

const cutLog = (): Promise<unknown[]> =>
  messaging.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'messaging-spec' and datname = current_database()`,
  );

/** A message is called first where its id, which has its second, is newer than the process. */
const nextSecond = async (): Promise<void> => {
  const second = Math.ceil((Date.now() + 1) / 1000) * 1000;
  await waitUntil(() => Date.now() >= second, { what: 'the next second' });
};

it('ends a request that its own limits do not allow, and processes the others of its batch', async () => {
  const limits = { recipients: ['ada'] };
  const [refused, allowed] = await messaging.send(
    { userId: 'ada', profile: { email: 'not-allowed@example.com' }, limits },
    { userId: 'ada', profile: {}, limits, mode: 'test' },
  );

  await messaging.waitForStatus(refused!, 'UNDELIVERABLE');

  expect(await messaging.call(messages.retrieve, { message_id: refused! })).toMatchObject({
    error: expect.stringContaining('sends only to the recipients on its list (got "not-allowed@example.com")') as string,
  });
  await messaging.waitForStatus(allowed!, 'UNROUTABLE');
  expect(messaging.smtp.mailsTo('not-allowed@example.com')).toEqual([]);
});

describe('a message with a single route', () => {
  it('is stored with the outcome of its call', async () => {
    await nextSecond();
    // On a busy machine some calls take so long that their messages are stored before.
    const id = await waitUntil(
      async () => {
        const [sent] = await messaging.send();
        await messaging.waitForStatus(sent!, 'DELIVERED');
        return (await rowsOf(sent!)).length === 1 ? sent! : undefined;
      },
      { what: 'a message stored with its outcome', timeoutMs: 30_000 },
    );

    expect((await messaging.historyTypes(id)).slice(-3)).toEqual(['DELIVERING', 'SENT', 'DELIVERED']);
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

  it('is called once, though it is delivered again while its first delivery is processed', async () => {
    await nextSecond();
    const profile = { email: 'again@example.com' };
    messaging.profiles.stored.set('again', profile);
    const resume = latch();
    let loads = 0;
    messaging.profiles.onLoad = () => ((loads += 1) === 1 ? resume.opened : undefined);
    const [id] = await messaging.send({ userId: 'again', profile });
    await waitUntil(() => loads === 1, { what: 'the first delivery' });

    await cutLog();
    await messaging.waitForStatus(id!, 'DELIVERED');
    const processed = jest.spyOn(Dispatcher.prototype, 'reserve');
    resume.open();
    await waitUntil(() => processed.mock.calls.length > 0, { what: 'the end of the first delivery' });
    await messaging.send({ profile: { email: 'later@example.com' } });
    await messaging.smtp.waitForMailsTo('later@example.com');

    expect(messaging.smtp.mailsTo('again@example.com')).toHaveLength(1);
  });

  it('is called once, though the connection to the event log breaks while many are called', async () => {
    await nextSecond();
    messaging.smtp.treat(ANY_RECIPIENT, { slowMs: 5 });
    const emails = Array.from({ length: SENDS }, (_, number) => `cut-${number}@example.com`);
    const arrived = () => messaging.smtp.mails.filter(({ envelope }) => envelope.to[0]!.startsWith('cut-')).length;
    const sending = messaging.send(...emails.map((email) => ({ profile: { email } })));
    for (let cut = 1; cut <= CUTS; cut += 1) {
      await waitUntil(() => arrived() > ((SENDS / 2) * cut) / (CUTS + 1), { what: 'some mails', intervalMs: 1 });
      await cutLog();
    }

    for (const id of await sending) await messaging.waitForStatus(id, 'DELIVERED');

    expect(emails.map((email) => messaging.smtp.mailsTo(email).length)).toEqual(emails.map(() => 1));
  });
});
