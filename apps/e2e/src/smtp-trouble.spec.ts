import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp, EVERYBODY } from '@tidings/testing/capturing-smtp';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
import type { HistoryEvent } from './testing/api-client';
import { System } from './testing/system';
import { tearDown, tornDown } from './testing/tear-down';
const DELIVERED_HISTORY = ['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'];
const CALL_TIMEOUT_MS = 3_000;
/** For a mail that was tried in vain several times: the pauses between tries grow. */
const PATIENCE = { timeoutMs: 120_000 };
const ATTEMPTS = 'tidings_delivery_attempts_total';

const typesOf = (history: readonly HistoryEvent[]): string[] => history.map(({ type }) => type);

describe('a mail server that', () => {
  const teardown = new Teardown();
  let smtp: CapturingSmtp;
  let system: System;

  beforeAll(async () => {
    smtp = await CapturingSmtp.start();
    teardown.add('the mail server', () => smtp.close());
    system = await System.start({ smtpUrl: `${smtp.url}?timeout=${CALL_TIMEOUT_MS}` });
    teardown.add('the product', () => system.stop());
  });

  afterAll(() => tearDown(teardown));

  it('answers 451 at first gets the mail again, and the history tells of one sending', async () => {
    smtp.treat('deferred@example.com', { deferFirst: 1 });

    const id = await system.client.send('deferred@example.com');

    await system.client.messageOnce('DELIVERED', id);
    expect(typesOf(await system.client.history(id))).toEqual(DELIVERED_HISTORY);
    const arrivals = smtp.arrivals.filter(({ envelope }) => envelope.to.includes('deferred@example.com'));
    expect(arrivals.map(({ ending }) => ending)).toEqual(['deferred', 'accepted']);
    expect(arrivals[1]!.messageId).toBe(arrivals[0]!.messageId);
  });

  it('answers 550 has bounced the mail for good, and its words are kept', async () => {
    smtp.treat('nobody@example.com', { refuse: true });

    const id = await system.client.send('nobody@example.com');

    const record = await system.client.messageOnce('UNDELIVERABLE', id);
    expect(record).toMatchObject({ reason: 'BOUNCED', error: expect.stringContaining('550') as string });
    expect(record.providers).toMatchObject([{ provider: 'smtp', status: 'UNDELIVERABLE' }]);
    const history = await system.client.history(id);
    expect(typesOf(history)).toEqual(['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'UNDELIVERABLE']);
    expect(history.at(-1)).toMatchObject({
      reason: 'BOUNCED',
      reasonCode: 'HARD',
      error_message: expect.stringContaining('550') as string,
    });
  });

  it('ends the connection before its 250 may have the mail twice, under one Message-ID', async () => {
    smtp.treat('dropped@example.com', { dropFirst: 1 });

    const id = await system.client.send('dropped@example.com');

    await system.client.messageOnce('DELIVERED', id);
    const mails = smtp.mailsTo('dropped@example.com');
    expect(mails.map(({ ending }) => ending)).toEqual(['dropped', 'accepted']);
    expect(mails[1]!.messageId).toBe(mails[0]!.messageId);
    expect(mails[1]!.raw.equals(mails[0]!.raw)).toBe(true);
    expect(typesOf(await system.client.history(id))).toEqual(DELIVERED_HISTORY);
  });

  it('never answers is left after the time for a call, and asked again', async () => {
    smtp.treat('hung@example.com', { hang: true });

    const id = await system.client.send('hung@example.com');
    await smtp.waitForMailsTo('hung@example.com');
    smtp.treat('hung@example.com', {});

    await system.client.messageOnce('DELIVERED', id);
    const [first, second, ...more] = smtp.mailsTo('hung@example.com');
    expect(more).toEqual([]);
    expect(second!.messageId).toBe(first!.messageId);
    // The call begins behind this; when its mail was noticed here says less of that.
    const begunAt = (await system.client.history(id)).find(({ type }) => type === 'DELIVERING')!.ts;
    expect(second!.receivedAt - begunAt).toBeGreaterThanOrEqual(CALL_TIMEOUT_MS);
  });

  it('does not answer for some recipients holds up nobody else', async () => {
    const hung = Array.from({ length: 5 }, (_, n) => `stuck-${n}@example.com`);
    for (const recipient of hung) smtp.treat(recipient, { hang: true });
    const hungIds = await Promise.all(hung.map((email) => system.client.send(email)));
    await Promise.all(hung.map((email) => smtp.waitForMailsTo(email)));

    const ids = await Promise.all(Array.from({ length: 50 }, (_, n) => system.client.send(`lucky-${n}@example.com`)));
    const delivered = await Promise.all(ids.map((id) => system.client.messageOnce('DELIVERED', id)));

    const stillOpen = await Promise.all(hungIds.map((id) => system.client.message(id)));
    expect(stillOpen.map(({ status }) => status)).toEqual(hung.map(() => 'ROUTED'));
    expect(delivered).toHaveLength(50);
    for (const recipient of hung) smtp.treat(recipient, {});
    await Promise.all(hungIds.map((id) => system.client.messageOnce('DELIVERED', id, PATIENCE)));
  });

  it('answers 451 to everybody for a while gets every mail in the end, once', async () => {
    smtp.treat(EVERYBODY, { deferFirst: 20 });
    const recipients = Array.from({ length: 20 }, (_, n) => `patient-${n}@example.com`);

    const ids = await Promise.all(recipients.map((email) => system.client.send(email)));

    await Promise.all(ids.map((id) => system.client.messageOnce('DELIVERED', id, PATIENCE)));
    expect(recipients.map((email) => smtp.mailsTo(email).length)).toEqual(recipients.map(() => 1));
  });
});

describe('without any mail server', () => {
  it(
    'sends are accepted, and delivered once it is there',
    () =>
      tornDown(async (teardown) => {
        const port = await freePort();
        const system = await System.start({ smtpUrl: `smtp://127.0.0.1:${port}` });
        teardown.add('the product', () => system.stop());

        const ids = await Promise.all(['one', 'two', 'three'].map((name) => system.client.send(`${name}@example.com`)));
        await Promise.all(ids.map((id) => system.client.messageOnce('ROUTED', id)));
        await waitUntil(async () => (await system.metrics(ATTEMPTS, 'outcome="retry"')) >= ids.length, { what: 'attempts in vain' });
        const waiting = await Promise.all(ids.map((id) => system.client.message(id)));
        expect(waiting.map(({ status }) => status)).toEqual(['ROUTED', 'ROUTED', 'ROUTED']);

        const smtp = await CapturingSmtp.start({ port });
        teardown.add('the mail server', () => smtp.close());
        await Promise.all(ids.map((id) => system.client.messageOnce('DELIVERED', id, PATIENCE)));
        expect([...smtp.copies().values()]).toEqual([1, 1, 1]);
        expect(typesOf(await system.client.history(ids[0]!))).toEqual(DELIVERED_HISTORY);
      }),
    240_000,
  );
});
