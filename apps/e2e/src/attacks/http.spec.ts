import { type Answer, ApiClient, type ErrorBody } from '../testing/api-client';
import { ENVIRONMENT, SharedSystem } from '../testing/shared-system';
import { System } from '../testing/system';

interface MessagesPage {
  paging: { cursor?: string; more: boolean };
  results: { id: string }[];
}

/** One more than the messages of a page. */
const MORE_THAN_A_PAGE = 11;
const ALLOWED_ORIGIN = 'https://app.example';
const FOREIGN_ORIGIN = 'https://elsewhere.example';

describe('attacks over HTTP', () => {
  let product: System;
  let system: SharedSystem;

  beforeAll(async () => {
    product = await System.start({ environment: { ...ENVIRONMENT, TIDINGS_CORS_ORIGINS: ALLOWED_ORIGIN } });
    system = await SharedSystem.join({ system: product });
  });

  afterAll(async () => {
    await system?.leave();
    await product?.stop();
  });

  it('refuses a cursor of /messages in another workspace', async () => {
    const sent = Array.from({ length: MORE_THAN_A_PAGE }, (_, index) => system.client.send(`cursor-${index}@example.com`));
    for (const id of await Promise.all(sent)) await system.client.messageOnce('DELIVERED', id);
    const { body } = await system.client.get<MessagesPage>('/messages');
    const path = `/messages?cursor=${body.paging.cursor}`;

    const foreign = await (await system.otherClient()).get<ErrorBody>(path);
    const own = await system.client.get<MessagesPage>(path);

    expect([foreign.status, foreign.body.message]).toEqual([400, `cursor "${body.paging.cursor}" is not valid`]);
    expect([own.status, own.body.results.length]).toEqual([200, 1]);
  });

  it('does nothing for a page of another origin with an API key, and answers one with a token', async () => {
    const createBrand = (origin: string, id: string): Promise<Answer<ErrorBody>> =>
      system.client.request('POST', '/brands', { body: { id, name: id }, headers: { origin } });

    const refused = await createBrand(FOREIGN_ORIGIN, 'foreign');
    expect([refused.status, refused.body.type]).toEqual([403, 'authorization_error']);
    expect((await system.client.get('/brands/foreign')).status).toBe(404);
    for (const [id, origin] of Object.entries({ allowed: ALLOWED_ORIGIN, own: system.url }))
      expect([id, (await createBrand(origin, id)).status < 300]).toEqual([id, true]);

    const scope = { scope: 'user_id:ada read:preferences', expires_in: '1 hour' };
    const { body: issued } = await system.client.request<{ token: string }>('POST', '/auth/issue-token', { body: scope });
    const page = new ApiClient(system.url, issued.token);
    const read = await page.request('GET', '/users/ada/preferences', { headers: { origin: FOREIGN_ORIGIN } });
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  });

  it('gives no CORS headers to a request with a cookie', async () => {
    const { headers } = await system.client.request('GET', '/brands', { headers: { origin: ALLOWED_ORIGIN, cookie: 'session=1' } });

    expect([...headers.keys()].filter((name) => name.startsWith('access-control-'))).toEqual([]);
  });

  it('shows the development mailbox to this machine, and not through a proxy', async () => {
    const [, mailbox] = /Mailbox\s+(http\S+)/.exec(system.output)!;
    const statusWith = async (headers: Record<string, string>): Promise<number> => (await fetch(mailbox!, { headers })).status;

    for (const header of ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Host', 'Via'])
      expect([header, await statusWith({ [header]: 'for=192.0.2.1' })]).toEqual([header, 404]);
    expect(await statusWith({})).toBe(200);
  });

  it('listens on the loopback address alone', async () => {
    const { port } = new URL(system.url);

    // Every address of 127.0.0.0/8 reaches a server that listens on every interface.
    await expect(fetch(`http://127.0.0.2:${port}/health/live`)).rejects.toThrow();
    expect((await fetch(`${system.url}/health/live`)).status).toBe(200);
  });
});
