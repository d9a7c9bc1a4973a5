import { randomUUID } from 'node:crypto';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { type ListMessages, messageActions, messages } from '@tidings/contracts/messaging/messages';
import { requests } from '@tidings/contracts/messaging/requests';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { retryWhileUnavailable } from '../testing/retry-while-unavailable';
import { Messaging } from '../testing/start-messaging';
import { storeMessages } from '../testing/stored-messages';
import { STEP_MESSAGES } from './requests.handlers';

const HOUR_MS = 3_600_000;

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

const archive = (request_id: string): Promise<void> => messaging.call(requests.archive, { request_id });

async function listed(request: ListMessages): Promise<string[]> {
  return (await messaging.call(messages.list, request)).results.map(({ id }) => id);
}

/** A request to `count` recipients, with the id of each message. */
async function requestTo(count: number): Promise<{ request: string; ids: string[] }> {
  const request = newMessageId(Date.now() - HOUR_MS);
  const ids = await storeMessages(
    messaging,
    Array.from({ length: count }, (_, n) => ({ request, recipient: `${request}-${n}`, tags: [request] })),
  );
  return { request, ids };
}

const notArchived = async (request: string): Promise<number> =>
  (await messaging.rows('select from messaging.messages where request_id = $1 and not archived', [messageIdToUuid(request)])).length;

it('hides the message of a send to one recipient, except from a list of archived messages', async () => {
  const [id] = await storeMessages(messaging, [{ recipient: 'one' }]);
  await archive(id!);
  await expect(listed({ recipient: 'one' })).resolves.toEqual([]);
  await expect(listed({ recipient: 'one', archived: true })).resolves.toEqual([id]);
  await expect(messaging.call(messages.retrieve, { message_id: id! })).resolves.toMatchObject({ id });
  await expect(archive(id!)).resolves.toBeUndefined();
});

it('hides a message that was only just accepted', async () => {
  const [id] = await messaging.send({ recipient: 'fresh' });
  await retryWhileUnavailable(() => archive(id!));
  await expect(listed({ recipient: 'fresh' })).resolves.toEqual([]);
});

it('hides every message of a large request, and lists them by tag and trace among the archived ones', async () => {
  const { request, ids } = await requestTo(2 * STEP_MESSAGES + 200);
  await archive(request);
  await waitUntil(async () => (await notArchived(request)) === 0, { what: 'all of them to be hidden', timeoutMs: 60_000 });
  await expect(listed({ traceId: request })).resolves.toEqual([]);
  await expect(listed({ tags: [request] })).resolves.toEqual([]);
  const newest = [...ids].reverse().slice(0, 10);
  await expect(listed({ traceId: request, archived: true })).resolves.toEqual(newest);
  await expect(listed({ tags: [request], archived: true })).resolves.toEqual(newest);
});

it('continues after a restart, and hides messages that the request creates later', async () => {
  const { request } = await requestTo(3);
  await messaging.stop();
  await messaging.rows('insert into messaging.archived_requests (workspace_id, request_id) values ($1, $2)', [
    messaging.workspaceId,
    messageIdToUuid(request),
  ]);
  await messaging.start();
  await waitUntil(async () => (await notArchived(request)) === 0, { what: 'all of them to be hidden', timeoutMs: 60_000 });

  await storeMessages(messaging, [{ request }]);
  await messaging.rows('update messaging.archived_requests set due_at = now()');
  const [other] = await storeMessages(messaging, [{}]);
  await archive(other!); // wakes the sweeper
  await waitUntil(async () => (await notArchived(request)) === 0, { what: 'the late one to be hidden', timeoutMs: 60_000 });
});

it.each([
  ['an unknown request', () => newMessageId(Date.now() - HOUR_MS)],
  ['a text that is no request id', () => 'order-17'],
])('answers 404 for %s', async (_, request) => {
  await expect(archive(request())).rejects.toMatchObject({ code: 'not_found', message: expect.stringContaining('Request') as string });
});

it('is explained to an API key that asks for it as a message', async () => {
  const request = newMessageId(Date.now());
  const targets = ['ada', 'bob', 'cy'].map((name) => ({ kind: 'user' as const, recipient: name, userId: name, profile: {} }));
  await messaging.send({ id: request, recipient: request, userId: undefined, profile: {}, targets });
  await waitUntil(async () => (await listed({ traceId: request })).length === 3, { what: 'its messages' });

  const read = { message_id: request };
  const explained = {
    code: 'not_found',
    message: `${request} is a request to 3 recipients: GET /messages?traceId=${request} lists its messages`,
  };
  await expect(messaging.call(messages.retrieve, read)).rejects.toMatchObject(explained);
  await expect(messaging.call(messages.history, read)).rejects.toMatchObject(explained);
  await expect(messaging.call(messages.output, read)).rejects.toMatchObject(explained);
  await expect(messaging.call(messageActions.resend, read)).rejects.toMatchObject(explained);
  const unknown = { code: 'not_found', message: `Message ${request} does not exist` };
  for (const other of [{ scopes: ['read:messages', 'write:messages', 'user_id:ada'] }, { workspaceId: randomUUID() }]) {
    const context = { ...messaging.context, ...other };
    await expect(retryWhileUnavailable(() => messaging.call(messages.retrieve, read, context))).rejects.toMatchObject(unknown);
    await expect(messaging.call(messageActions.resend, read, context)).rejects.toMatchObject(unknown);
  }
});

const arranged = new Map<string, string>();
describeWorkspaceIsolation('A request', {
  arrange: async ({ workspaceId }) => {
    const [id] = await storeMessages(messaging, [{ workspace_id: workspaceId, at: Date.now() - HOUR_MS }]);
    arranged.set('id', id!);
  },
  read: (owner) => messaging.call(messages.list, {}, { ...owner, callId: randomUUID() }),
  attempts: {
    archiving: {
      attempt: (stranger) => messaging.call(requests.archive, { request_id: arranged.get('id')! }, stranger),
      refusedWith: 'not_found',
    },
  },
});
