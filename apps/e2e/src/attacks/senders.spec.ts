import { randomUUID } from 'node:crypto';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient, type MessageRecord } from '../testing/api-client';
import { SharedSystem } from '../testing/shared-system';

/** A workspace that sends in the name of another's domain, with the e-mail provider that all workspaces share. */
describe('a workspace with a domain of its own', () => {
  const FROM = 'Bank <service@bank.example>';
  let system: SharedSystem;
  beforeAll(async () => {
    system = await SharedSystem.join();
    const operator = new ApiClient(system.url, system.adminKey);
    const path = `/admin/workspaces/${system.workspaceId}/senders`;
    const answer = await operator.request('PUT', path, { body: { domains: ['shop.example'] } });
    expect([answer.status, answer.body]).toMatchObject([200, { domains: ['shop.example'] }]);
  });
  afterAll(() => system.leave());

  const send = (message: object) =>
    system.client.request<{ requestId: string; message: string }>('POST', '/send', {
      body: { message: { to: { email: `${randomUUID()}@example.org` }, routing: { method: 'single', channels: ['email'] }, ...message } },
    });
  const content = { title: 'Hello', body: 'Hello' };
  const ended = async (id: string) =>
    waitUntil(async () => {
      const { body } = await system.client.request<MessageRecord>('GET', `/messages/${id}`);
      return ['DELIVERED', 'UNDELIVERABLE'].includes(body.status) ? body : undefined;
    });

  it('is refused as the sender of another domain, when it sends', async () => {
    for (const settings of [
      { channels: { email: { override: { from: FROM } } } },
      { providers: { smtp: { override: { config: { from_address: FROM } } } } },
    ]) {
      const refused = await send({ content, ...settings });
      expect(refused.status).toBe(403);
      expect(refused.body.message).toMatch(/^message\..*from(_address)? must be an address from which this workspace may send/);
      expect(refused.body.message).toContain('(got "Bank <service@bank.example>")');
    }
  });

  it('is refused by a template of that sender, before the mail server is called', async () => {
    const elements = [{ type: 'text', content: 'Hello' }];
    const notification = { name: 'Bank', email: { from: FROM }, content: { version: '2022-01-01', elements } };
    const published = await system.client.request<{ id: string }>('POST', '/notifications', {
      body: { notification: { tags: [], brand: null, subscription: null, routing: null, ...notification }, state: 'PUBLISHED' },
    });
    const sent = await send({ template: published.body.id });
    expect([published.status, sent.status]).toEqual([201, 202]);

    const record = await ended(sent.body.requestId);

    expect(record).toMatchObject({
      status: 'UNDELIVERABLE',
      error: expect.stringContaining('from must be an address from which') as string,
    });
    const { body } = await system.client.request<{ results: { type: string }[] }>('GET', `/messages/${record.id}/history`);
    expect(body.results.map(({ type }) => type)).not.toContain('DELIVERING');
  });

  it('sends from its own', async () => {
    const sent = await send({ content, channels: { email: { override: { from: 'Shop <news@shop.example>', reply_to: FROM } } } });
    expect(await ended(sent.body.requestId)).toMatchObject({ status: 'DELIVERED' });
  });
});
