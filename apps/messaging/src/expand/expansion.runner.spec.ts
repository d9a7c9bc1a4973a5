import '@tidings/testing/quiet';
import { messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { refusing } from '../testing/refusing';
import { Messaging } from '../testing/start-messaging';

/** More recipients than the router sends to without an expansion. */
const RECIPIENTS = 30;

describe('a send to many', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  afterAll(() => messaging.end());

  it('creates a message for each recipient although one cannot be stored; that one ends UNDELIVERABLE', async () => {
    await refusing(messaging, { table: 'messages', on: 'insert', condition: `new.recipient = 'user-3' and new.status <> 'UNDELIVERABLE'` });
    const targets = Array.from({ length: RECIPIENTS }, (_, n) => ({
      kind: 'user' as const,
      userId: `user-${n}`,
      recipient: `user-${n}`,
      profile: { email: `user${n}@example.com` },
    }));
    const [id] = await messaging.send({ mode: 'test', profile: {}, targets });

    const stored = await waitUntil(
      async () => {
        const rows = await messaging.rows<{ recipient: string; status: string }>('select recipient, status from messaging.messages');
        return rows.length === RECIPIENTS ? rows : undefined;
      },
      { what: 'a message for each recipient' },
    );

    const failed = stored.filter(({ status }) => status !== 'SIMULATED');
    expect(failed).toEqual([{ recipient: 'user-3', status: 'UNDELIVERABLE' }]);
    expect(new Set(stored.map(({ recipient }) => recipient)).size).toBe(RECIPIENTS);
    const { results } = await messaging.call(messages.list, { traceId: id, recipient: 'user-3' });
    expect(results).toMatchObject([{ error: 'The message could not be processed: Something went wrong on our side', reason: 'FAILED' }]);
    await waitUntil(async () => (await messaging.rows('select from messaging.expansions')).length === 0, {
      what: 'the request to be closed',
    });
  });
});
