import '@tidings/testing/quiet';
import { randomBytes, randomUUID } from 'node:crypto';
import { erasureTraces, messagingErasure } from '@tidings/contracts/messaging/erasure';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messageActions, messages } from '@tidings/contracts/messaging/messages';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { providers } from '@tidings/contracts/messaging/providers';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import type { SuppressionReason } from '@tidings/contracts/messaging/suppression-reasons';
import { suppressions } from '@tidings/contracts/messaging/suppressions';
import { Database } from '@tidings/persistence/database';
import { keyIdOf } from '@tidings/runtime/secret-box';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { ProviderPauses } from '../providers/provider-pauses';
import { Messaging } from '../testing/start-messaging';
import { tablesWith } from '../testing/tables-with';
import { Suppressions } from './suppressions';

const [FIRST_KEY, SECOND_KEY] = [randomBytes(32), randomBytes(32)];
let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start('', { secretKeys: [FIRST_KEY] });
});
afterAll(() => messaging.end());

/** Addresses of this test alone. */
let email: string;
beforeEach(() => {
  email = `ada-${randomUUID()}@example.com`;
});

const to = (fields: Partial<MessageRequested> = {}): Partial<MessageRequested> => ({ recipient: email, profile: { email }, ...fields });
const named = (address = email) => ({ channel: 'email' as const, address });
const suppress = (reason: SuppressionReason, address = email) => messaging.call(suppressions.replace, { ...named(address), reason });
const sent = async (status: string, fields?: Partial<MessageRequested>) => {
  const [id] = await messaging.send(to(fields));
  await messaging.waitForStatus(id!, status);
  return messaging.call(messages.retrieve, { message_id: id! });
};
const mailsTo = (address = email) => messaging.smtp.mails.filter(({ envelope }) => envelope.to.includes(address)).length;

it('reads nothing before the workspace suppresses an address', async () => {
  const query = jest.spyOn(messaging.get<Database>(Database), 'query');

  await sent('DELIVERED');
  await sent('DELIVERED');

  const read = query.mock.calls.flatMap(([text]) => (typeof text === 'string' ? text : text.name)).filter((name) => /suppress/.test(name));
  expect(read.filter((name) => name !== 'messaging.load_suppressing')).toEqual([]);
  expect(read.length).toBeLessThanOrEqual(1);
  query.mockRestore();
});

it.each([
  ['hard_bounce', 'BOUNCED', 'HARD'],
  ['complaint', 'BOUNCED', undefined],
  ['unsubscribe', 'UNSUBSCRIBED', undefined],
  ['manual', 'UNSUBSCRIBED', undefined],
] as const)('sends nothing to an address with the reason %s, until that is removed', async (suppressed, reason, reasonCode) => {
  const { created } = await suppress(suppressed);

  const error = `The address is suppressed: ${suppressed} since ${created}, reported by api`;
  const record = await sent('UNDELIVERABLE');
  expect(record).toMatchObject({ reason, error, providers: [{ status: 'UNDELIVERABLE', provider: 'smtp', error }] });
  const { results } = await messaging.call(messages.history, { message_id: record.id });
  expect(results.map(({ type }) => type)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'UNDELIVERABLE']);
  expect(results.at(-1)).toMatchObject({ channel: { id: 'email' }, integration: { provider: 'smtp' }, reason, error_message: error });
  expect(results.at(-1)!.reasonCode).toBe(reasonCode);
  expect(mailsTo()).toBe(0);

  await messaging.call(suppressions.remove, named());
  await sent('DELIVERED');
  expect(mailsTo()).toBe(1);
});

it('uses the next route', async () => {
  const receiver = await CapturingHttp.start();
  try {
    await messaging.call(providers.create, {
      provider: 'http',
      alias: 'next',
      settings: { channel: 'sms', secret: 'a secret of some length', url: receiver.url },
    });
    await suppress('complaint');

    const record = await sent('SENT', {
      profile: { email, phone_number: '+15550100000' },
      routing: { method: 'single', channels: ['email', 'next'] },
    });

    expect(record.providers).toMatchObject([
      { provider: 'smtp', status: 'UNDELIVERABLE' },
      { alias: 'next', status: 'SENT' },
    ]);
    expect(record.reason).toBeUndefined();
    expect(receiver.received).toHaveLength(1);
  } finally {
    await receiver.stop();
  }
});

it('passes over an unsubscription where the send may, and over nothing else', async () => {
  await suppress('unsubscribe');
  await sent('DELIVERED', { passUnsubscribed: true });
  for (const reason of ['manual', 'hard_bounce', 'complaint'] as const) {
    await suppress(reason);
    await sent('UNDELIVERABLE', { passUnsubscribed: true });
  }
  expect(mailsTo()).toBe(1);
});

it('sends a message again past an unsubscription only for a key that may', async () => {
  await suppress('unsubscribe');
  const { id } = await sent('DELIVERED', { passUnsubscribed: true });
  const resend = async (scopes: string[]) =>
    (await messaging.call(messageActions.resend, { message_id: id }, { ...messaging.context, scopes })).messageId;

  await messaging.waitForStatus(await resend(['write:messages', 'write:send']), 'UNDELIVERABLE');
  await messaging.waitForStatus(await resend(['write:messages', 'write:send', 'write:send:unsubscribed']), 'DELIVERED');
});

it('leaves out suppressed copies, with a warning', async () => {
  await suppress('manual', `copy-${email}`);

  const { id } = await sent('DELIVERED', { channels: { email: { override: { cc: [`Copy <COPY-${email}>`, `other-${email}`] } } } });

  const { results } = await messaging.call(messages.history, { message_id: id, type: 'RENDERED' });
  expect(results).toMatchObject([{ warnings: ['1 copies were left out: their addresses are suppressed'] }]);
  expect([mailsTo(), mailsTo(`other-${email}`), mailsTo(`copy-${email}`)]).toEqual([1, 1, 0]);
});

it('suppresses an address that a provider refuses, and calls nothing for it again', async () => {
  messaging.smtp.treat(email, { refuse: true });
  const { id } = await sent('UNDELIVERABLE');

  await expect(messaging.call(suppressions.retrieve, named())).resolves.toMatchObject({
    reason: 'hard_bounce',
    source: 'smtp',
    message_id: id,
  });
  const { error } = await sent('UNDELIVERABLE');
  expect(error).toMatch(/^The address is suppressed: hard_bounce since .*, reported by smtp$/);
  expect(messaging.smtp.arrivals.filter(({ envelope }) => envelope.to.includes(email)).length).toBeLessThanOrEqual(1);
});

/** Sends while the mail server is paused, and suppresses an address before it is resumed. */
async function suppressedWhileItWaits(fields: Partial<MessageRequested>, reason: SuppressionReason, address = email) {
  const { name } = await messaging.call(providerPauses.pause, { name: 'default' });
  const isPaused = () =>
    messaging.get<ProviderPauses>(ProviderPauses).isPaused({ workspaceId: messaging.workspaceId, id: name, provider: 'smtp' });
  await waitUntil(isPaused, { what: 'the pause' });
  const [id] = await messaging.send(to(fields));
  const isWaiting = async () =>
    (await messaging.call(messages.retrieve, { message_id: id! })).providers?.[0]?.error?.includes('is paused') === true;
  await waitUntil(isWaiting, { what: 'the message to wait' });
  await suppress(reason, address);
  await messaging.call(providerPauses.resume, { name });
  return id!;
}

it('ends a message that waits for its next attempt', async () => {
  const id = await suppressedWhileItWaits({}, 'complaint');

  await messaging.waitForStatus(id, 'UNDELIVERABLE');
  await expect(messaging.call(messages.retrieve, { message_id: id })).resolves.toMatchObject({ reason: 'BOUNCED' });
  expect(mailsTo()).toBe(0);
});

it('leaves out copies of a message that waits', async () => {
  const [copy, other] = [`copy-${email}`, `other-${email}`];
  const id = await suppressedWhileItWaits({ channels: { email: { override: { cc: [copy, other] } } } }, 'manual', copy);

  await messaging.waitForStatus(id, 'DELIVERED');
  expect([mailsTo(), mailsTo(other), mailsTo(copy)]).toEqual([1, 1, 0]);
});

it('never replaces a reason by a weaker one that is reported, and takes reports in the transaction of their caller', async () => {
  const database = messaging.get<Database>(Database);
  const { workspaceId } = messaging;
  const report = (reason: 'unsubscribe' | 'hard_bounce' | 'complaint', fails = false) =>
    database.transaction(async (tx) => {
      await messaging.get<Suppressions>(Suppressions).suppress(tx, [
        { workspaceId, channel: 'email', address: email.toUpperCase(), reason, source: 'ses' },
        { workspaceId, channel: 'email', address: 'no address', reason, source: 'ses' },
        { workspaceId, channel: 'direct_message', address: 'U1', reason, source: 'slack' },
      ]);
      if (fails) throw new Error('the callback failed');
    });
  const reason = async () => (await messaging.call(suppressions.retrieve, named())).reason;

  await expect(report('unsubscribe', true)).rejects.toThrow('the callback failed');
  await expect(reason()).rejects.toMatchObject({ code: 'not_found' });
  await report('hard_bounce');
  await report('unsubscribe');
  await expect(reason()).resolves.toBe('hard_bounce');
  await report('complaint');
  await expect(reason()).resolves.toBe('complaint');
});

it('stays after an erasure without the address, also when the secret key was rotated', async () => {
  const user = `user-${randomUUID()}`;
  messaging.smtp.treat(email, { refuse: true });
  await sent('UNDELIVERABLE', { userId: user, recipient: user });
  const own = `own-${email}`;
  await suppress('unsubscribe', own);

  await messaging.call(messagingErasure.erase, { user_id: user });
  await messaging.call(erasureTraces.suppressions, { addresses: [own], phone_numbers: [], tokens: [] });

  expect(await tablesWith(messaging, email)).toEqual([]);
  await sent('UNDELIVERABLE');
  const found = await messaging.call(suppressions.retrieve, named(own));
  expect(found).toMatchObject({ channel: 'email', erased: true, reason: 'unsubscribe' });
  expect(found.address).toBeUndefined();
  // Written again, the address is not stored again.
  await expect(suppress('complaint', own)).resolves.toMatchObject({ erased: true, reason: 'complaint' });

  await messaging.stop();
  await messaging.start('', { secretKeys: [SECOND_KEY, FIRST_KEY] });
  let cursor: string | undefined;
  do ({ cursor } = await messaging.call(messagingSecrets.reseal, { cursor }));
  while (cursor);
  expect(await keyIds()).toEqual([keyIdOf(SECOND_KEY)]);
  await sent('UNDELIVERABLE', { profile: { email: own } });
  await messaging.call(suppressions.remove, named(own));
  await sent('DELIVERED', { profile: { email: own } });
});

it('is not stored with the address while its user is erased, nor afterwards', async () => {
  const user = `user-${randomUUID()}`;
  const { id: messageId } = await sent('DELIVERED', { userId: user, recipient: user });
  const { workspaceId } = messaging;
  const report = { workspaceId, channel: 'email', address: email, reason: 'complaint', source: 'ses', messageId } as const;
  const database = messaging.get<Database>(Database);
  let isErased = false;
  let erasing: Promise<void> | undefined;
  await database.transaction(async (tx) => {
    await messaging.get<Suppressions>(Suppressions).suppress(tx, [report]);
    erasing = messaging.call(messagingErasure.erase, { user_id: user }).then(() => void (isErased = true));
    const waiting = "select from pg_stat_activity where wait_event_type = 'Lock' and state = 'active'";
    await waitUntil(async () => isErased || (await messaging.rows(waiting)).length > 0, { what: 'the erasure to wait' });
  });
  await erasing;
  expect(await tablesWith(messaging, email)).toEqual([]);

  const later = { ...report, address: `later-${email}` };
  await database.transaction((tx) => messaging.get<Suppressions>(Suppressions).suppress(tx, [later]));

  expect(await tablesWith(messaging, email)).toEqual([]);
  await expect(messaging.call(suppressions.retrieve, named(later.address))).rejects.toMatchObject({ code: 'not_found' });
  await expect(messaging.call(suppressions.retrieve, named())).resolves.toMatchObject({ erased: true, reason: 'complaint' });
});

const keyIds = async () =>
  (await messaging.rows<{ key_id: string }>('select key_id from messaging.suppressing_workspaces')).map(({ key_id }) => key_id);
