import { createHmac } from 'node:crypto';
import { CapturingHttp } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import type { ErrorBody } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';

interface Created {
  id: string;
  secret: string;
}

interface Log {
  results: { id: string; status: string; result: string; attempts: number }[];
}

describe('webhooks', () => {
  let system: SharedSystem;
  let receiver: CapturingHttp;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    receiver = await CapturingHttp.start();
  });
  afterAll(async () => {
    await system?.leave();
    await receiver?.stop();
  });

  const dataOf = ({ body }: { body: string }) => (JSON.parse(body) as { data: { id: string; status: string } }).data;
  const statusesOf = (id: string): string[] => receiver.received.map(dataOf).flatMap((data) => (data.id === id ? [data.status] : []));

  it('receive signed statuses in order, and repeat them on request', async () => {
    const { client } = system;
    const { status, body: webhook } = await client.request<Created>('POST', '/webhooks', { body: { url: receiver.url } });
    expect(status).toBe(201);
    const { body: shown } = await client.request<object>('GET', `/webhooks/${webhook.id}`);
    expect(shown).not.toHaveProperty('secret');

    const message = await client.send('ada@example.com');
    await waitUntil(() => statusesOf(message).length === 4, { what: 'four statuses' });

    expect(statusesOf(message)).toEqual(['ENQUEUED', 'ROUTED', 'SENT', 'DELIVERED']);
    const { headers, body } = receiver.received.at(-1)!;
    const [, ms, hex] = /^t=(\d+),signature=([0-9a-f]{64})$/.exec(String(headers['courier-signature']))!;
    expect(createHmac('sha256', webhook.secret).update(`${ms}.${body}`).digest('hex')).toBe(hex);

    const log = async () => (await client.request<Log>('GET', `/webhooks/${webhook.id}/deliveries`)).body.results;
    await waitUntil(async () => (await log()).every(({ result }) => result === 'delivered'), { what: 'the log' });
    const [last] = await log();
    expect(last).toMatchObject({ status: 'DELIVERED', attempts: 1 });
    expect(await client.request('POST', `/webhooks/${webhook.id}/deliveries/${last!.id}/replay`)).toMatchObject({ status: 202 });
    await waitUntil(() => statusesOf(message).length === 5, { what: 'the repetition' });
    expect(receiver.received.at(-1)!.headers['webhook-id']).toBe(headers['webhook-id']);

    expect(await client.request('DELETE', `/webhooks/${webhook.id}`)).toMatchObject({ status: 204 });
    expect(await client.request('GET', `/webhooks/${webhook.id}/deliveries`)).toMatchObject({ status: 404 });
  });

  it('have no address of an internal network', async () => {
    const answer = await system.client.request<ErrorBody>('POST', '/webhooks', { body: { url: 'http://169.254.169.254/latest' } });
    expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining('url: 169.254.169.254') as string } });
  });
});
