import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { type AuditRecord, auditRecorded } from '@tidings/contracts/identity/audit-events';
import { suppressions } from '@tidings/contracts/messaging/suppressions';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { ProvidersUnderTest } from '../testing/start-providers';

let messaging: ProvidersUnderTest;
let context: CallContext;
beforeAll(async () => {
  messaging = await ProvidersUnderTest.start();
});
afterAll(() => messaging.service.stop());
beforeEach(() => {
  context = contextOf(randomUUID());
});

const ADA = { channel: 'email', address: 'ada@example.com' } as const;
const call: ProvidersUnderTest['service']['call'] = (...given) => messaging.service.call(...given);
const put = (fields: object = {}, of = context) => call(suppressions.replace, of, { ...ADA, ...fields });
const get = (fields: object = {}, of = context) => call(suppressions.retrieve, of, { ...ADA, ...fields });
const addresses = async (filter: object = {}) => (await call(suppressions.list, context, filter)).results.map(({ address }) => address);

it('suppresses an address, whatever its spelling, and replaces the reason', async () => {
  const stored = await put({ address: 'Ada@EXAMPLE.com' });

  expect(stored).toEqual({ ...ADA, reason: 'manual', source: 'api', created: expect.any(String) as string });
  await expect(get({ address: 'ADA@example.com' })).resolves.toEqual(stored);
  await expect(put()).resolves.toEqual(stored);
  await expect(put({ reason: 'unsubscribe' })).resolves.toMatchObject({ reason: 'unsubscribe' });
  await expect(addresses()).resolves.toEqual([ADA.address]);

  await call(suppressions.remove, context, { ...ADA, address: 'aDA@example.com' });
  await expect(get()).rejects.toMatchObject({ code: 'not_found', message: 'ada@example.com is not suppressed on email' });
  await expect(call(suppressions.remove, context, ADA)).rejects.toMatchObject({ code: 'not_found' });
});

it('refuses what is no address of the channel', async () => {
  await expect(put({ address: 'ada' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'address must be an e-mail address (got "ada")',
  });
  await expect(put({ channel: 'sms', address: '0170 5550100' })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(put({ channel: 'webhook' })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(put({ reason: 'dislike' })).rejects.toMatchObject({ code: 'invalid_request' });
});

it('lists by channel and address, page by page, and filters', async () => {
  await put({ address: 'cem@example.com', reason: 'complaint' });
  await put({ address: 'bo@example.com' });
  await put({ channel: 'sms', address: '+15550100000', reason: 'complaint' });
  await put();

  const first = await call(suppressions.list, context, { limit: 3 });
  expect(first.results.map(({ address }) => address)).toEqual(['ada@example.com', 'bo@example.com', 'cem@example.com']);
  const { cursor } = first.paging;
  await expect(call(suppressions.list, context, { limit: 3, cursor })).resolves.toMatchObject({
    paging: { more: false },
    results: [{ channel: 'sms', address: '+15550100000' }],
  });
  await expect(call(suppressions.list, context, { channel: 'sms', cursor })).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(addresses({ channel: 'sms' })).resolves.toEqual(['+15550100000']);
  await expect(addresses({ reason: 'complaint' })).resolves.toEqual(['cem@example.com', '+15550100000']);
  await expect(addresses({ reason: 'complaint', channel: 'email' })).resolves.toEqual(['cem@example.com']);
  await expect(addresses({ address: '1 555 010 0000' })).resolves.toEqual(['+15550100000']);
  await expect(addresses({ address: 'no address' })).resolves.toEqual([]);
});

it('imports the good lines of a text, again without a change, and names the others', async () => {
  const csv = 'channel,address,reason\nemail,Ada@example.com,complaint\nemail,ada,\nsms,+15550100000,\nemail,ada@example.com,hard_bounce\n';
  const imported = {
    imported: 3,
    failed: 1,
    errors: [{ line: 3, field: 'address', error: 'address must be an e-mail address (got "ada")' }],
  };

  await expect(call(suppressions.import, context, { csv })).resolves.toEqual(imported);

  const found = await get();
  expect(found).toMatchObject({ reason: 'hard_bounce', source: 'import' });
  await expect(addresses()).resolves.toEqual(['ada@example.com', '+15550100000']);
  await expect(call(suppressions.import, context, { csv })).resolves.toEqual(imported);
  await expect(get()).resolves.toEqual(found);
});

it('stores no more than the quota, and none of an import beyond it', async () => {
  const limited = { ...context, quota: 2 };
  await put({}, limited);
  await put({}, limited);
  const csv = 'channel,address\nemail,bo@example.com\nemail,cem@example.com\n';

  await expect(call(suppressions.import, limited, { csv })).rejects.toMatchObject({
    code: 'forbidden',
    message: 'The quota suppressions of the workspace is 2: it cannot have more suppressed addresses than that',
  });

  await expect(addresses()).resolves.toEqual([ADA.address]);
  await call(suppressions.remove, limited, ADA);
  await call(suppressions.import, limited, { csv });
  await expect(addresses()).resolves.toEqual(['bo@example.com', 'cem@example.com']);
});

it('leaves audit events with channel and reasons, and without an address', async () => {
  const records: AuditRecord[] = [];
  const subscription = await messaging.service.events.broadcast(auditRecorded, ({ payload }) => void (payload && records.push(payload)));
  const own: CallContext = { ...context, actor: { type: 'api-key', id: randomUUID() } };

  await put({ reason: 'complaint' }, own);
  await put({ reason: 'manual' }, own);
  await call(suppressions.remove, own, ADA);
  await call(suppressions.import, own, { csv: 'channel,address\nemail,ada@example.com\nemail,bo@example.com' });

  await waitUntil(() => records.length === 4, { what: 'the audit events' });
  // The topic's key holds the event's id: its records arrive from several partitions, in any order.
  const changes = records.map(({ type, targetId, before, after }) => [type, targetId, before, after]);
  expect(changes).toHaveLength(4);
  expect(changes).toEqual(
    expect.arrayContaining([
      ['suppression:replaced', 'email', [], ['suppressions.complaint']],
      ['suppression:replaced', 'email', ['suppressions.complaint'], ['suppressions.manual']],
      ['suppression:deleted', 'email', ['suppressions.manual'], []],
      ['suppressions:imported', '2', [], ['suppressions.manual']],
    ]),
  );
  expect(JSON.stringify(records)).not.toContain('@');
  await subscription.stop();
});

describeWorkspaceIsolation('a suppression', {
  arrange: async (owner) => void (await put({}, owner)),
  read: (owner) => get({}, owner),
  attempts: {
    list: { attempt: (stranger) => call(suppressions.list, stranger, {}) },
    retrieve: { attempt: (stranger) => get({}, stranger), refusedWith: 'not_found' },
    replace: { attempt: (stranger) => put({ reason: 'complaint' }, stranger) },
    remove: { attempt: (stranger) => call(suppressions.remove, stranger, ADA), refusedWith: 'not_found' },
    import: { attempt: (stranger) => call(suppressions.import, stranger, { csv: 'channel,address\nemail,ada@example.com' }) },
  },
});
