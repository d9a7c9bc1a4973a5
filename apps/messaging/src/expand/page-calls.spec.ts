import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { messageActions } from '@tidings/contracts/messaging/messages';
import { metrics } from '@tidings/runtime/metrics';
import { ANY_RECIPIENT } from '@tidings/testing/capturing-smtp';
import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import { Messaging } from '../testing/start-messaging';

const MEMBERS = 5;
const USERS = Array.from({ length: MEMBERS }, (_, number) => `reader-${number}`);

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
  for (const user of USERS) messaging.profiles.stored.set(user, { email: `${user}@example.com` });
  messaging.members.subscribe('readers', USERS);
});
afterEach(() => messaging.smtp.reset());
afterAll(() => messaging.end());

const toReaders = (): MessageRequested => {
  const id = newMessageId(Date.now());
  return messaging.request({ id, recipient: id, profile: {}, targets: [{ kind: 'list', listId: 'readers' }] });
};

const messagesOf = (id: string): Promise<{ id: string; status: string; rows: string }[]> =>
  messaging.rows(
    `select id, status, (select count(*) from messaging.history where message_id = messages.id) as rows
     from messaging.messages where request_id = $1`,
    [messageIdToUuid(id)],
  );

const expansions = (): Promise<unknown[]> => messaging.rows('select from messaging.expansions');

const delivered = async (id: string): Promise<void> => {
  await waitUntil(
    async () => {
      const messages = await messagesOf(id);
      return messages.length === MEMBERS && messages.every(({ status }) => status === 'DELIVERED') && (await expansions()).length === 0;
    },
    { what: 'the messages of the list' },
  );
};

const copies = (): number[] => USERS.map((user) => messaging.smtp.mailsTo(`${user}@example.com`).length);

const recovered = async (): Promise<number> =>
  Number(/^tidings_delivery_attempts_recovered_total (\d+)/m.exec(await metrics.registry.metrics())?.[1] ?? 0);

describe('the messages of a page', () => {
  it('are stored with the outcomes of their calls', async () => {
    // On a busy machine some calls take so long that their messages are stored before.
    await waitUntil(
      async () => {
        const request = toReaders();
        await messaging.append(request);
        await delivered(request.id);
        return (await messagesOf(request.id)).every(({ rows }) => rows === '1');
      },
      { what: 'messages stored with their outcomes', timeoutMs: 30_000 },
    );

    expect(await messaging.rows('select from messaging.deliveries')).toEqual([]);
  });

  it('are called once, though the request is expanded again', async () => {
    const request = toReaders();
    await messaging.append(request);
    await delivered(request.id);
    const pages = messaging.members.requestedPages;

    await messaging.append(request);
    await waitUntil(async () => messaging.members.requestedPages > pages && (await expansions()).length === 0, { what: 'the second end' });

    expect(copies()).toEqual(USERS.map(() => 1));
  });

  it('that a process which ended may have called are counted', async () => {
    const before = await recovered();
    const request = toReaders();
    const { workspaceId, id } = request;
    await messaging.rows(
      `insert into messaging.expansions (workspace_id, lane, request_id, turn, claimed_generation, due_at, request, progress)
       values ($1, 2, $2, 1, 1, now(), $3, '{"target": 0, "found": 0}')`,
      [workspaceId, messageIdToUuid(id), JSON.stringify(request)],
    );
    await messaging.append(toReaders()); // wakes the runner

    await delivered(id);

    expect(await recovered()).toBe(before + MEMBERS);
  });

  it('are neither called nor stored where the request was canceled before', async () => {
    const [found, resume] = [latch(), latch()];
    messaging.members.onPage = () => {
      found.open();
      return resume.opened;
    };
    const request = toReaders();
    await messaging.append(request);
    await found.opened;
    await messaging.call(messageActions.cancel, { message_id: request.id });
    resume.open();
    messaging.members.onPage = () => undefined;
    await messaging.stop(); // waits for the page

    expect(await messagesOf(request.id)).toEqual([]);
    expect(copies()).toEqual(USERS.map(() => 0));
    await messaging.start();
  });

  it('are stored before their request is canceled', async () => {
    const answer = latch();
    messaging.smtp.treat(ANY_RECIPIENT, { answerAfter: answer.opened });
    const request = toReaders();
    await messaging.append(request);
    await waitUntil(() => messaging.smtp.arrivals.length > 0, { what: 'a call', intervalMs: 1 });

    const canceling = messaging.call(messageActions.cancel, { message_id: request.id }).catch((error: unknown) => error);
    await canceling;
    const made = await messagesOf(request.id);
    answer.open();

    await waitUntil(async () => (await messagesOf(request.id)).every(({ status }) => status !== 'ROUTED'), { what: 'the ends' });
    expect(made).toHaveLength(MEMBERS);
    expect(messaging.smtp.mails).toHaveLength(MEMBERS);
  });
});
