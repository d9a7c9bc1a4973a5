import Courier, { ConflictError } from '@trycourier/courier';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Answer, ErrorBody } from './testing/api-client';
import { SharedSystem } from './testing/shared-system';

const REPLAYED = 'idempotent-replayed';
/** Includes the lease of a key whose process was killed. */
const SETTLED = { timeoutMs: 60_000 };

/** The body with the keys of each object in the opposite order. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([key, field]) => [key, reversed(field)]),
  );
}

describe('an Idempotency-Key', () => {
  let system: SharedSystem;

  beforeAll(async () => {
    system = await SharedSystem.join();
  });

  afterAll(() => system?.leave());

  const post = <Body = unknown>(path: string, key: string, body?: unknown, client = system.client): Promise<Answer<Body & ErrorBody>> =>
    client.request('POST', path, { body, headers: { 'idempotency-key': key } });
  const send = (email: string, key: string): Promise<Answer<{ requestId: string } & ErrorBody>> =>
    post('/send', key, { message: { to: { email }, content: { title: 'Shipped', body: 'Your order has shipped.' } } });
  const isReplay = ({ headers }: Answer): boolean => headers.get(REPLAYED) === 'true';
  /** The answer once no other request with the key is in flight. */
  const settled = <Body>(request: () => Promise<Answer<Body>>): Promise<Answer<Body>> =>
    waitUntil(async () => {
      const answer = await request();
      return answer.headers.has('retry-after') ? undefined : answer;
    }, SETTLED);

  it('creates one message of fifty concurrent sends', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => send('fifty@example.com', 'fifty')));

    const accepted = answers.filter(({ status }) => status === 202);
    // Several when a busy machine takes longer than a lease: they have one effect too.
    expect(accepted.filter((answer) => !isReplay(answer))).not.toEqual([]);
    const ids = new Set(accepted.map(({ body }) => body.requestId));
    expect(ids.size).toBe(1);
    // 503: a busy machine may not read the key in time.
    for (const { status, headers } of answers.filter((answer) => answer.status !== 202)) {
      expect([409, 503]).toContain(status);
      expect(headers.get('retry-after')).toBe(status === 409 ? '2' : '1');
      if (status === 409) expect(headers.get('x-should-retry')).toBe('true');
    }
    const late = await settled(() => send('fifty@example.com', 'fifty'));
    expect([late.status, isReplay(late), ids.has(late.body.requestId)]).toEqual([202, true, true]);
    await system.client.messageOnce('DELIVERED', late.body.requestId);
    const { body } = await system.client.get<{ results: unknown[] }>('/messages?recipient=fifty@example.com');
    expect(body.results).toHaveLength(1);
  });

  it('creates one brand of fifty requests and replays its answer byte for byte', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => post('/brands', 'brands', { name: 'Acme' })));

    const [first, ...others] = answers.filter((answer) => answer.status < 300 && !isReplay(answer));
    expect(others).toEqual([]);
    const again = await post('/brands', 'brands', { name: 'Acme' });
    expect({ status: again.status, body: JSON.stringify(again.body), replayed: isReplay(again) }).toEqual({
      status: first!.status,
      body: JSON.stringify(first!.body),
      replayed: true,
    });
    const { body } = await system.client.get<{ results: { name: string }[] }>('/brands');
    expect(body.results.filter(({ name }) => name === 'Acme')).toHaveLength(1);
  });

  it('refuses another body, naming the time of the first request, and does nothing', async () => {
    const receivedAt = Date.now();
    const content = { title: 'One', body: '1' };
    const { body: job } = await post<{ jobId: string }>('/bulk', 'job', { message: { event: 'shipped' } });
    const requests: [string, unknown, unknown][] = [
      ['/send', { message: { to: { email: 'body@example.com' }, content } }, { message: { to: { email: 'other@example.com' }, content } }],
      ['/brands', { id: 'body', name: 'One' }, { id: 'body-2', name: 'One' }],
      ['/bulk', { message: { event: 'shipped' } }, { message: { event: 'returned' } }],
      [`/bulk/${job.jobId}`, { users: [{ to: { user_id: 'one' } }] }, { users: [{ to: { user_id: 'other' } }] }],
      ['/profiles/body', { profile: { name: 'One' } }, { profile: { name: 'Other' } }],
      [
        '/auth/issue-token',
        { scope: 'user_id:body read:messages', expires_in: '1h' },
        { scope: 'user_id:other read:messages', expires_in: '1h' },
      ],
    ];
    for (const [path, first, other] of requests) {
      const answer = await post(path, 'body', first);
      const refused = await post(path, 'body', other);

      expect([path, answer.status < 300, refused.status, refused.body.type]).toEqual([path, true, 422, 'invalid_request_error']);
      const [, firstAt] = /first used at (\S+) with another body: nothing was done/.exec(refused.body.message)!;
      expect(Math.abs(Date.parse(firstAt!) - receivedAt)).toBeLessThan(SETTLED.timeoutMs);
      const again = await post(path, 'body', reversed(first));
      expect([path, isReplay(again), again.body]).toEqual([path, true, answer.body]);
    }
    expect((await system.client.get('/brands/body-2')).status).toBe(404);
    expect((await system.client.get<{ profile: unknown }>('/profiles/body')).body.profile).toEqual({ name: 'One' });
    const { body: users } = await system.client.get<{ items: unknown[] }>(`/bulk/${job.jobId}/users`);
    expect(users.items).toHaveLength(1);
  });

  it('replays an error after its cause is resolved', async () => {
    await post('/brands', 'existing', { id: 'existing', name: 'Existing' });
    const conflict = await post('/brands', 'wanted', { id: 'existing', name: 'Wanted' });
    await system.client.request('DELETE', '/brands/existing');

    const again = await post('/brands', 'wanted', { id: 'existing', name: 'Wanted' });

    expect([conflict.status, isReplay(conflict)]).toEqual([409, false]);
    expect([again.status, isReplay(again), again.body]).toEqual([409, true, conflict.body]);
    expect((await post('/brands', 'a new key', { id: 'existing', name: 'Wanted' })).status).toBeLessThan(300);
  });

  it('stores no answer of an invalid request', async () => {
    expect((await post('/brands', 'mended', { name: 7 })).status).toBe(400);
    expect((await post('/send', 'mended', { message: { to: {} } })).status).toBe(400);

    const mended = await post('/brands', 'mended', { name: 'Mended' });
    expect([mended.status < 300, isReplay(mended)]).toEqual([true, false]);
    expect((await send('mended@example.com', 'mended')).status).toBe(202);
  });

  it('is scoped to a workspace and a path', async () => {
    const theirs = await post('/brands', 'brands', { name: 'Theirs' }, await system.otherClient());
    const merged = await post('/profiles/ada', 'brands', { profile: { name: 'Ada' } });

    expect([isReplay(theirs), isReplay(merged)]).toEqual([false, false]);
  });

  it('issues one token', async () => {
    const issue = (): Promise<Answer<{ token: string } & ErrorBody>> =>
      post('/auth/issue-token', 'token', { scope: 'user_id:ada read:preferences', expires_in: '1 hour' });
    const [first, second] = [await issue(), await issue()];

    expect([first.status, isReplay(first), isReplay(second)]).toEqual([200, false, true]);
    expect(second.body).toEqual(first.body);
    const client = system.client.request('GET', '/users/ada/preferences', { headers: { authorization: `Bearer ${second.body.token}` } });
    expect((await client).status).toBe(200);
  });

  it('works with the official SDK, which retries until the request in flight is answered', async () => {
    const sdk = new Courier({ apiKey: system.key, baseURL: system.url, maxRetries: 5 });
    const headers = { 'Idempotency-Key': 'sdk', 'x-idempotency-expiration': new Date(Date.now() + 7 * 86_400_000).toISOString() };
    const brands = await Promise.all(Array.from({ length: 5 }, () => sdk.brands.create({ name: 'By SDK' }, { headers })));
    expect(new Set(brands.map(({ id }) => id)).size).toBe(1);

    const message = { to: { email: 'sdk@example.com' }, content: { title: 'Hello', body: 'World' } };
    const sends = await Promise.all(Array.from({ length: 5 }, () => sdk.send.message({ message }, { headers })));
    expect(new Set(sends.map(({ requestId }) => requestId)).size).toBe(1);

    // Its option sends nothing until the client names the header, and then each call without a key gets its own.
    class KeyedCourier extends Courier {
      protected override idempotencyHeader = 'Idempotency-Key';
    }
    const sendTwice = async (client: Courier, idempotencyKey?: string): Promise<number> => {
      const twice = [1, 2].map(() => client.send.message({ message }, { idempotencyKey }));
      return new Set((await Promise.all(twice)).map(({ requestId }) => requestId)).size;
    };
    const keyed = new KeyedCourier({ apiKey: system.key, baseURL: system.url, maxRetries: 5 });
    expect([await sendTwice(sdk, 'option'), await sendTwice(keyed, 'option'), await sendTwice(keyed)]).toEqual([2, 1, 2]);

    await sdk.brands.create({ id: 'sdk', name: 'SDK' });
    await expect(sdk.brands.create({ id: 'sdk', name: 'SDK' }, { headers: { 'Idempotency-Key': 'final' } })).rejects.toBeInstanceOf(
      ConflictError,
    );
  });
});
