import { randomBytes } from 'node:crypto';
import Courier, { ConflictError, NotFoundError } from '@trycourier/courier';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

const HOUR_MS = 3_600_000;

describe('accepted messages', () => {
  let smtp: CapturingSmtp;
  let system: SharedSystem;
  let sdk: Courier;
  /** Requests that the SDK made. */
  let requests = 0;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    ({ smtp } = system);
    const counted: typeof fetch = (...parameters) => {
      requests += 1;
      return fetch(...parameters);
    };
    sdk = new Courier({ apiKey: system.key, baseURL: system.url, fetch: counted });
  });

  afterAll(() => system?.leave());

  const send = async (email: string, delay?: { until: string }): Promise<string> => {
    const content = { title: 'Shipped', body: 'Your order has shipped.' };
    return (await sdk.send.message({ message: { to: { email }, content, ...(delay && { delay }) } })).requestId;
  };
  const delivered = (id: string) => waitUntil(async () => (await sdk.messages.retrieve(id)).status === 'DELIVERED');
  const resend = (id: string): Promise<{ messageId: string }> => sdk.post(`/messages/${id}/resend`);

  it('are canceled by the official Node SDK while they are delayed', async () => {
    const id = await send('canceled@example.com', { until: new Date(Date.now() + HOUR_MS).toISOString() });

    const canceled = await sdk.messages.cancel(id);

    expect(canceled).toMatchObject({ id, status: 'CANCELED', recipient: 'canceled@example.com', canceledAt: expect.any(Number) as number });
    expect(await sdk.messages.retrieve(id)).toMatchObject({ status: 'CANCELED' });
    const { results } = await sdk.messages.history(id);
    expect(results.map(({ type }) => type)).toEqual(['ENQUEUED', 'DELAYED', 'CANCELED']);
  });

  it('that are already sent are not canceled, and the SDK gets their record without a retry', async () => {
    const id = await send('sent@example.com');
    await delivered(id);
    const record = await sdk.messages.retrieve(id);
    requests = 0;

    const error: unknown = await sdk.messages.cancel(id).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ConflictError);
    const message = expect.stringMatching(/ is DELIVERED: .*; email provider smtp \(\S+\) was called at /) as string;
    expect((error as ConflictError).error).toEqual({ ...record, message });
    expect((error as ConflictError).message).toMatch(/^409 Message 1-/);
    expect(requests).toBe(1);
  });

  it('refuse a cancel under an Idempotency-Key with the same record each time', async () => {
    const id = await send('keyed@example.com');
    await delivered(id);
    const cancel = () =>
      system.client.request<unknown>('POST', `/messages/${id}/cancel`, { headers: { 'idempotency-key': `cancel ${id}` } });

    const first = await cancel();
    const again = await cancel();

    const record = await sdk.messages.retrieve(id);
    expect([first.status, first.body]).toEqual([409, { ...record, message: expect.any(String) as string }]);
    expect([again.status, again.body, again.headers.get('idempotent-replayed')]).toEqual([409, first.body, 'true']);
  });

  it('with made-up ids are not found', async () => {
    const id = `1-5e2b2615-${randomBytes(12).toString('hex')}`;
    await expect(sdk.messages.cancel(id)).rejects.toBeInstanceOf(NotFoundError);
    await expect(resend(id)).rejects.toBeInstanceOf(NotFoundError);
  });

  it('are sent again with the same content to the same address', async () => {
    const id = await send('again@example.com');
    await delivered(id);

    const { messageId } = await resend(id);

    await delivered(messageId);
    const [first, second] = await Promise.all(smtp.mailsTo('again@example.com').map((mail) => mail.parse()));
    expect(messageId).not.toBe(id);
    expect([second!.subject, second!.text, second!.html]).toEqual([first!.subject, first!.text, first!.html]);
  });

  it('are not created by tracked events, and an event id is accepted once', async () => {
    const event = { event: 'signed-up', messageId: 'one', type: 'track' as const, properties: { plan: 'pro' }, userId: 'ada' };
    expect((await sdk.inbound.trackEvent(event)).messageId).toMatch(/^1-[0-9a-f]{8}-[0-9a-f]{24}$/);
    requests = 0;
    await expect(sdk.inbound.trackEvent(event)).rejects.toBeInstanceOf(ConflictError);
    expect(requests).toBe(1);
  });
});
