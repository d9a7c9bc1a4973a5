import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { messages } from '@tidings/contracts/messaging/messages';
import { providerPauses } from '@tidings/contracts/messaging/provider-pauses';
import { providers } from '@tidings/contracts/messaging/providers';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { ProviderPauses } from '../providers/provider-pauses';
import { HttpProviderFixture, SETTINGS } from './http-provider.fixture';

const MANY = 20;
/** Long enough that a message waits when it is looked at, short enough to wait for. */
const LIMIT_MS = 4_000;

const fixture = HttpProviderFixture.use();
let { messaging, receiver, provider } = fixture;
beforeEach(() => void ({ messaging, receiver, provider } = fixture));

const requestBy = (aliases: string[], fields: Partial<MessageRequested> = {}): Partial<MessageRequested> => ({
  profile: { phone_number: '+49151' },
  routing: { method: 'single', channels: aliases },
  ...fields,
});
const send = (count = 1, fields?: Partial<MessageRequested>, ...others: string[]): Promise<string[]> =>
  messaging.send(...Array.from({ length: count }, () => requestBy([provider.alias!, ...others], fields)));
/** Resolves when both instances know that the provider is paused. */
const pause = async (
  name = provider.id,
  context = messaging.context,
  paused: Parameters<ProviderPauses['isPaused']>[0] = { ...provider, ...messaging.context },
): Promise<void> => {
  await messaging.call(providerPauses.pause, { name }, context);
  for (const instance of [messaging, fixture.replica])
    await waitUntil(() => instance.get<ProviderPauses>(ProviderPauses).isPaused(paused), { what: 'an instance to know the pause' });
};
const resume = (name = provider.id, context = messaging.context) => messaging.call(providerPauses.resume, { name }, context);
const record = (id: string) => messaging.call(messages.retrieve, { message_id: id });
const errorOf = async (id: string) => (await record(id)).providers?.at(-1)?.error;
const waiting = (ids: readonly string[]): Promise<unknown> =>
  waitUntil(async () => (await Promise.all(ids.map(errorOf))).every((error) => error?.includes('is paused')), {
    what: 'messages to wait for the paused provider',
  });
const allSent = (ids: readonly string[]) => fixture.allSent(ids);

describe('while a provider is paused', () => {
  it('no instance calls it, and what waited is sent once it is resumed, each message once', async () => {
    await pause();

    const ids = await send(MANY);
    await waiting(ids);
    expect(receiver.received).toEqual([]);
    await resume();

    await allSent(ids);
    expect(receiver.received.map(({ headers }) => headers['x-courier-message-id']).sort()).toEqual(ids.toSorted());
  });

  it('stays paused after a restart of all instances', async () => {
    await pause();
    await fixture.restart();

    const ids = await send();
    await waiting(ids);
    await resume();

    await allSent(ids);
  });

  it('new messages use their next route', async () => {
    const other = await CapturingHttp.start();
    try {
      const next = await fixture.configure(other);
      await pause();

      const ids = await send(1, {}, next.alias!);

      await allSent(ids);
      expect([receiver.received.length, other.received.length]).toEqual([0, 1]);
      expect((await record(ids[0]!)).providers?.[0]).toMatchObject({ error: `Provider ${provider.alias} (http) is paused` });
    } finally {
      await other.stop();
    }
  });

  it('a message that was called before waits until the time limit of its route, then uses the next one', async () => {
    const other = await CapturingHttp.start();
    try {
      const next = await fixture.configure(other);
      receiver.answer(503, '', { 'retry-after': '2' });
      const before = Date.now();
      const ids = await send(1, { timeouts: { providerMs: LIMIT_MS } }, next.alias!);
      await waitUntil(() => receiver.received.length === 1, { what: 'the first call' });
      await pause();

      await allSent(ids);

      expect(Date.now() - before).toBeGreaterThanOrEqual(LIMIT_MS);
      expect(receiver.received).toHaveLength(1);
      expect(other.received).toHaveLength(1);
    } finally {
      await other.stop();
    }
  });

  it('a message without another route ends at its time limit, with that reason', async () => {
    await pause();

    const [id] = await send(1, { timeouts: { messageMs: LIMIT_MS } });

    await messaging.waitForStatus(id!, 'UNDELIVERABLE');
    expect(await record(id!)).toMatchObject({ reason: 'PROVIDER_ERROR', error: expect.stringContaining('is paused') as string });
    expect(receiver.received).toEqual([]);
    await resume();
  });

  it('a failing one is called at once after it was resumed, whatever its breaker recorded', async () => {
    receiver.answer(503, '', { 'retry-after': '3600' });
    const ids: string[] = [];
    await waitUntil(
      async () => {
        ids.push(...(await send(MANY)));
        return (await Promise.all(ids.map(errorOf))).some((error) => error?.includes('failed so often'));
      },
      { what: 'an open breaker', intervalMs: 500 },
    );
    await pause();
    const more = await send();
    await waiting(more);
    receiver.answer(200, { id: 'accepted' });

    await resume();

    await allSent([...ids, ...more]);
  });
});

describe('a pause', () => {
  it('of a kind in all workspaces stops those of each workspace, and of a workspace only its own', async () => {
    const other = { ...messaging.context, workspaceId: randomUUID() };
    const theirs = await messaging.call(
      providers.create,
      { provider: 'http', alias: 'theirs', settings: { ...SETTINGS, url: receiver.url } },
      other,
    );
    const sendTheirs = () => messaging.send(requestBy([theirs.alias!], { workspaceId: other.workspaceId }));
    const statusOf = async (id: string) => (await messaging.call(messages.retrieve, { message_id: id }, other)).status;

    await pause('http');
    const [sent] = await sendTheirs();
    await waitUntil(async () => (await statusOf(sent!)) === 'SENT', { what: 'the message of the other workspace' });
    const mine = await send();
    await waiting(mine);
    await pause('http', systemContext('a-call'), { ...theirs, ...other });
    await resume('http');
    const [paused] = await sendTheirs();
    await waitUntil(
      async () => (await messaging.call(messages.retrieve, { message_id: paused! }, other)).providers?.[0]?.error?.includes('paused'),
      {
        what: 'the message of the other workspace to wait',
      },
    );
    expect(receiver.received).toHaveLength(1);
    await resume('http', systemContext('a-call'));

    await allSent(mine);
    await waitUntil(async () => (await statusOf(paused!)) === 'SENT', { what: 'the paused message of the other workspace' });
  });

  it('of the default provider stops its mails', async () => {
    await pause('default', systemContext('a-call'), { ...messaging.context, id: 'default', provider: 'smtp' });

    const ids = await messaging.send({ profile: { email: `${randomUUID()}@example.com` } });
    await waiting(ids);
    expect(messaging.smtp.mails).toEqual([]);
    await resume('default', systemContext('a-call'));

    await messaging.waitForStatus(ids[0]!, 'DELIVERED');
  });

  it('is none on the schema of the version before', async () => {
    await messaging.rows('alter table messaging.provider_pauses rename to provider_pauses_later');
    try {
      const workspaceId = randomUUID();
      const ids = await messaging.send({ workspaceId });

      await waitUntil(async () => {
        const { status } = await messaging.call(messages.retrieve, { message_id: ids[0]! }, { ...messaging.context, workspaceId });
        return status === 'DELIVERED';
      });
    } finally {
      await messaging.rows('alter table messaging.provider_pauses_later rename to provider_pauses');
    }
  });
});
