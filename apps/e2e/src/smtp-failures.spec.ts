import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
import type { HistoryEvent } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';
import { tearDown } from './testing/tear-down';

const DELIVERED_HISTORY = ['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'];

const typesOf = (history: readonly HistoryEvent[]): string[] => history.map(({ type }) => type);

// apps/messaging/src/deliver tests the other failures without real backoff times.
describe('a mail server that', () => {
  const teardown = new Teardown();
  let smtp: CapturingSmtp;
  let system: SharedSystem;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    teardown.add('the workspace', () => system.leave());
    smtp = system.smtp;
  });

  afterAll(() => tearDown(teardown));

  it('first answers 451 or closes the connection gets the mail again with the same Message-ID, and the history has one send', async () => {
    smtp.treat('deferred@example.com', { deferFirst: 1 });
    smtp.treat('dropped@example.com', { dropFirst: 1 });
    const failures = [
      ['deferred', 'deferred@example.com'],
      ['dropped', 'dropped@example.com'],
    ] as const;

    const ids = await Promise.all(failures.map(([, email]) => system.client.send(email)));

    await Promise.all(ids.map((id) => system.client.messageOnce('DELIVERED', id)));
    for (const id of ids) expect(typesOf(await system.client.history(id))).toEqual(DELIVERED_HISTORY);
    for (const [ending, email] of failures) {
      const [first, second, ...more] = smtp.arrivals.filter(({ envelope }) => envelope.to.includes(email));
      expect([first!.ending, second!.ending, more]).toEqual([ending, 'accepted', []]);
      expect(second!.messageId).toBe(first!.messageId);
      expect(second!.raw.equals(first!.raw)).toBe(true);
    }
  });

  it('answers 550 causes a hard bounce with its message stored', async () => {
    smtp.treat('unknown@example.com', { refuse: true });

    const id = await system.client.send('unknown@example.com');

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

  it('is not reachable yet gets the accepted mails once it is', async () => {
    const port = await freePort();
    const client = await system.otherClient();
    const settings = { host: '127.0.0.1', port, tls: 'off', from_address: 'shop@example.com' };
    expect((await client.request('POST', '/providers', { body: { provider: 'smtp', settings } })).status).toBe(201);

    const ids = await Promise.all(['one', 'two', 'three'].map((name) => client.send(`${name}@example.com`)));
    await Promise.all(ids.map((id) => client.messageOnce('ROUTED', id)));
    const tried = async (id: string): Promise<boolean> => typesOf(await client.history(id)).includes('DELIVERING');
    await waitUntil(async () => (await Promise.all(ids.map(tried))).every(Boolean), { what: 'failed attempts' });
    const waiting = await Promise.all(ids.map((id) => client.message(id)));
    expect(waiting.map(({ status }) => status)).toEqual(['ROUTED', 'ROUTED', 'ROUTED']);
    for (const { providers } of waiting) {
      const failing = { provider: 'smtp', configuration_id: expect.any(String) as string, attempts: expect.any(Number) as number };
      expect(providers).toMatchObject([{ ...failing, error: expect.any(String) as string }]);
      expect(providers[0]).not.toHaveProperty('status');
    }

    const late = await CapturingSmtp.start({ port });
    teardown.add('the late mail server', () => late.close());
    await Promise.all(ids.map((id) => client.messageOnce('DELIVERED', id)));
    expect([...late.copies().values()]).toEqual([1, 1, 1]);
    expect(typesOf(await client.history(ids[0]!))).toEqual(DELIVERED_HISTORY);
  });
});
