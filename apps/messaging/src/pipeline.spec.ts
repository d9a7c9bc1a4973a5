import { randomUUID } from 'node:crypto';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { messages } from '@tidings/contracts/messaging/messages';
import { waitUntil } from '@tidings/testing/wait-until';
import { retryWhileUnavailable } from './testing/retry-while-unavailable';
import { Messaging } from './testing/start-messaging';

describe('a send', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
  });

  afterAll(() => messaging.end());

  it('arrives as a mail, and its history lists every event in order', async () => {
    messaging.profiles.stored.set('ada', { email: 'ada.stored@example.com', name: 'Ada Lovelace' });
    const [id] = await messaging.send({ userId: 'ada', profile: { locale: 'en' }, event: 'shipped', tags: ['orders'] });

    const [mail] = await messaging.smtp.waitForMailsTo('ada.stored@example.com');
    await messaging.waitForStatus(id!, 'DELIVERED');

    expect(await mail!.parse()).toMatchObject({
      subject: 'Hello Ada',
      text: expect.stringContaining('Your order A-17 has shipped.') as string,
    });
    const { results } = await messaging.call(messages.history, { message_id: id! });
    const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };
    const stored = { email: 'ada.stored@example.com', name: 'Ada Lovelace' };
    expect(results).toMatchObject([
      { type: 'ENQUEUED', data: { name: 'Ada', order: 'A-17' }, event: 'shipped', profile: { locale: 'en' }, recipient: 'ada' },
      { type: 'PROFILE_LOADED', stored_profile: stored, received_profile: { locale: 'en' }, merged_profile: { ...stored, locale: 'en' } },
      { type: 'ROUTED', ...where },
      { type: 'RENDERED', ...where, output: { subject: `/messages/${id}/output/4/subject`, html: `/messages/${id}/output/4/html` } },
      { type: 'DELIVERING', ...where },
      { type: 'SENT', ...where },
      { type: 'DELIVERED', ...where, reference: expect.any(Object) as object },
    ]);
    const times = results.map(({ ts }) => ts);
    expect(times).toEqual([...times].sort((a, b) => a - b));

    const record = await messaging.call(messages.retrieve, { message_id: id! });
    expect(record).toMatchObject({ id, status: 'DELIVERED', recipient: 'ada', event: 'shipped', notification: '', tags: ['orders'] });
    expect(record).toMatchObject({ enqueued: times[0], sent: times[5], delivered: times[6] });
    expect(record.providers).toMatchObject([{ channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED' }]);
    expect(record).not.toHaveProperty('error');
  });

  it('leaves no open delivery after its end', async () => {
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');
    expect(await messaging.rows('select * from messaging.deliveries')).toEqual([]);
  });

  it('can be retrieved immediately', async () => {
    const request = messaging.request();
    const details = messaging.call(messages.retrieve, { message_id: request.id });
    const history = messaging.call(messages.history, { message_id: request.id });
    await messaging.append(request);
    // Both reads started before the append, so either result is correct for them; after it only one is.
    await Promise.allSettled([details, history]);
    const found = await retryWhileUnavailable(() => messaging.call(messages.retrieve, { message_id: request.id }));
    expect(found).toMatchObject({ id: request.id });
  });

  it('is not found under an id that was never accepted, whether fresh, old or in the future, nor from another workspace', async () => {
    const [id] = await messaging.send();
    await messaging.waitForStatus(id!, 'DELIVERED');
    const stranger = { ...messaging.context, workspaceId: randomUUID() };
    const theRecord = retryWhileUnavailable(() => messaging.call(messages.retrieve, { message_id: id! }, stranger));
    await expect(theRecord).rejects.toMatchObject({ code: 'not_found' });
    const itsHistory = retryWhileUnavailable(() => messaging.call(messages.history, { message_id: id! }, stranger));
    await expect(itsHistory).rejects.toMatchObject({ code: 'not_found' });
    const times = [0, -3_600_000, 3_600_000].map((ms) => Date.now() + ms);
    for (const unknown of [...times.map(newMessageId), 'no-such-id']) {
      const history = retryWhileUnavailable(() => messaging.call(messages.history, { message_id: unknown }));
      await expect(history).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('without an address is UNROUTABLE with an error that names the missing field', async () => {
    const [id] = await messaging.send({ recipient: '+4915123456789', profile: { phone_number: '+4915123456789' } });
    await messaging.waitForStatus(id!, 'UNROUTABLE');
    const record = await messaging.call(messages.retrieve, { message_id: id! });
    expect(record).toMatchObject({ reason: 'NO_PROVIDERS', error: expect.stringContaining('profile.email') as string });
    const { results } = await messaging.call(messages.history, { message_id: id!, type: 'UNROUTABLE' });
    expect(results).toEqual([
      {
        ts: expect.any(Number) as number,
        type: 'UNROUTABLE',
        channel: { id: '' },
        reason: 'NO_PROVIDERS',
        error_message: expect.stringContaining('profile.email') as string,
      },
    ]);
  });

  it('with a test key is simulated: every step except the provider call', async () => {
    const [id] = await messaging.send({ mode: 'test', profile: { email: 'simulated@example.com' } });
    await messaging.waitForStatus(id!, 'SIMULATED');
    expect(await messaging.historyTypes(id!)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'SIMULATED']);
    expect(messaging.smtp.mailsTo('simulated@example.com')).toEqual([]);
  });

  it('appended twice creates one message and one mail', async () => {
    const request = messaging.request({ profile: { email: 'twice@example.com' } });
    await messaging.append(request);
    await messaging.waitForStatus(request.id, 'DELIVERED');
    await messaging.append(request);
    const [after] = await messaging.send({ profile: { email: 'twice@example.com' } });
    await messaging.waitForStatus(after!, 'DELIVERED');
    expect(messaging.smtp.mailsTo('twice@example.com').map(({ messageId }) => messageId)).toHaveLength(2);
    expect(await messaging.historyTypes(request.id)).toHaveLength(7);
  });

  it('of many large mails is stored in several bounded statements, and every mail arrives', async () => {
    const large = { content: { title: 'Large', body: '{x}'.repeat(40) }, data: { x: 'あ'.repeat(5_000) } };
    const ids = await messaging.send(...Array.from({ length: 60 }, (_, n) => ({ ...large, profile: { email: `large${n}@example.com` } })));
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    expect(messaging.smtp.mailsTo('large59@example.com')).toHaveLength(1);
  });

  it('starts although rows of a week were stored before its partition existed', async () => {
    const later = Date.now() + 40 * 86_400_000;
    const [id] = await messaging.send({ id: newMessageId(later), requestedAt: later });
    await waitUntil(async () => (await messaging.rows('select from messaging.messages_default')).length === 1);
    await messaging.stop();
    await messaging.start('', { clock: { now: () => later - 7 * 86_400_000 } });
    await messaging.stop();
    await messaging.start();
    expect(await messaging.rows('select from messaging.messages where id = $1', [messageIdToUuid(id!)])).toHaveLength(1);
  });

  it('waits while identity is unavailable, and is delivered afterwards', async () => {
    messaging.profiles.isUnavailable = true;
    const ids = await messaging.send({ userId: 'ada' }, { userId: 'grace' });
    await waitUntil(() => messaging.profiles.refused >= 2, { what: 'the router to retry' });
    messaging.profiles.isUnavailable = false;
    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
  });

  it('that cannot be stored ends UNDELIVERABLE with the reason, and the others of its batch arrive', async () => {
    const poison = messaging.request({ data: { name: 'a\0b' } });
    const good = Array.from({ length: 20 }, (_, n) => messaging.request({ profile: { email: `good${n}@example.com` } }));
    await messaging.append(...good.slice(0, 10), poison, ...good.slice(10));

    for (const { id } of good) await messaging.waitForStatus(id, 'DELIVERED');
    await messaging.waitForStatus(poison.id, 'UNDELIVERABLE');
    const record = await messaging.call(messages.retrieve, { message_id: poison.id });
    expect(record).toMatchObject({ reason: 'FAILED', error: expect.stringContaining('could not be processed') as string });
    await waitUntil(async () => (await messaging.log.deadLetters.page(messageRequested)).length === 1);
  });
});
