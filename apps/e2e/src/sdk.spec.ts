import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runInNewContext } from 'node:vm';
import Courier, { AuthenticationError, BadRequestError, InternalServerError, NotFoundError } from '@trycourier/courier';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

/** The SDK sample of a documentation page. */
function sampleOf(page: string): string {
  const [, code] = /```ts\n(import Courier from '@trycourier\/courier';[\s\S]*?)```/.exec(readFileSync(page, 'utf8'))!;
  return code!;
}

/** Runs the sample against `system` with its key; resolves with the printed lines. */
async function runSample(code: string, { key, url }: SharedSystem): Promise<unknown[][]> {
  const printed: unknown[][] = [];
  const own = code
    .replace(/^import .*\n/, '')
    .replace('<API key>', key)
    .replace('http://127.0.0.1:8080', url);
  const sample = runInNewContext(`(async () => {${own}})`, {
    Courier,
    process: { env: { KEY: key, URL: url } },
    setTimeout,
    console: { log: (...words: unknown[]) => printed.push(words) },
  }) as () => Promise<void>;
  await sample();
  return printed;
}

describe('the official Node SDK, unmodified', () => {
  let smtp: CapturingSmtp;
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    ({ smtp } = system);
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  const deliveredMessage = (id: string) =>
    waitUntil(async () => {
      const message = await sdk.messages.retrieve(id);
      return message.status === 'DELIVERED' ? message : undefined;
    });

  it('stores profiles: creates, merges, replaces, patches, deletes', async () => {
    expect(await sdk.profiles.create('ada', { profile: { email: 'ada@example.com', custom: { city: 'London', plan: 'free' } } })).toEqual({
      status: 'SUCCESS',
    });
    await sdk.profiles.create('ada', { profile: { name: 'Ada', custom: { plan: 'pro' } } });
    expect(await sdk.profiles.retrieve('ada')).toEqual({
      profile: { email: 'ada@example.com', name: 'Ada', custom: { city: 'London', plan: 'pro' } },
    });

    expect(await sdk.profiles.replace('ada', { profile: { email: 'new@example.com', locale: 'en' } })).toEqual({ status: 'SUCCESS' });
    expect(await sdk.profiles.retrieve('ada')).toEqual({ profile: { email: 'new@example.com', locale: 'en' } });

    await sdk.profiles.update('ada', { patch: [{ op: 'replace', path: '/locale', value: 'de' }] });
    expect(await sdk.profiles.retrieve('ada')).toEqual({ profile: { email: 'new@example.com', locale: 'de' } });

    await expect(sdk.profiles.delete('ada')).resolves.toBeNull();
    await expect(sdk.profiles.retrieve('ada')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('stores profiles under any id', async () => {
    for (const id of ['u/1 é', 'a%2Fb', 'auth0|42', 'tom@example.com', '#?&=+', 'v1.json']) {
      await sdk.profiles.create(id, { profile: { nickname: id } });
      expect(await sdk.profiles.retrieve(id)).toEqual({ profile: { nickname: id } });
    }
  });

  it('sends to a stored profile and reads the message', async () => {
    await sdk.profiles.create('grace', { profile: { email: 'grace@example.com', name: 'Grace' } });

    const { requestId } = await sdk.send.message({
      message: {
        to: { user_id: 'grace' },
        content: { title: 'Hello {name}', body: 'Your order **{order}** has shipped.' },
        data: { name: 'Grace', order: 'A-17' },
        metadata: { event: 'order-shipped', tags: ['orders'], trace_id: 'trace-1' },
      },
    });

    const [mail] = await smtp.waitForMailsTo('grace@example.com');
    expect(await mail!.parse()).toMatchObject({ subject: 'Hello Grace', text: expect.stringContaining('A-17') as string });
    const message = await deliveredMessage(requestId);
    expect(message).toMatchObject({ id: requestId, recipient: 'grace', event: 'order-shipped', notification: '' });
    expect(message.enqueued).toBeLessThanOrEqual(message.sent!);
    expect(message.sent).toBeLessThanOrEqual(message.delivered!);
    expect(message.providers).toMatchObject([{ channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED' }]);
  });

  it('reads the history of a message, whole and by type', async () => {
    const { requestId } = await sdk.send.message({
      message: { to: { email: 'history@example.com' }, content: { title: 'Hi', body: 'there' } },
    });
    await deliveredMessage(requestId);

    const { results } = await sdk.messages.history(requestId);
    expect(results.map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
    const { results: ofType } = await sdk.messages.history(requestId, { type: 'SENT' });
    expect(ofType).toEqual([results[5]]);
    expect(await sdk.messages.history(requestId, { type: 'CLICKED' })).toEqual({ results: [] });
    await expect(sdk.messages.history(requestId, { type: 'SHOUTED' })).rejects.toBeInstanceOf(BadRequestError);
  });

  it("prints the whole history with README's sample, which waits for the message's status", async () => {
    const printed = await runSample(sampleOf(path.resolve(__dirname, '../../../README.md')), system);

    const types = ['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'];
    expect(printed).toEqual([['DELIVERED', types.map((type) => expect.objectContaining({ type }) as unknown)]]);
  });

  it('lists messages by filter, in pages', async () => {
    const before = Date.now() - 1;
    const ids: string[] = [];
    for (let n = 1; n <= 12; n++) {
      const { requestId } = await sdk.send.message({
        message: {
          to: { user_id: 'list-reader', email: 'list@example.com' },
          content: { title: `No. ${n}`, body: 'x' },
          metadata: { event: 'listed', tags: [n % 2 ? 'odd' : 'even', 'numbered'], trace_id: `listed-${n}` },
        },
      });
      ids.unshift(requestId);
    }
    await Promise.all(ids.map(deliveredMessage));
    const idsOf = async (query: Courier.MessageListParams) => (await sdk.messages.list(query)).results.map(({ id }) => id);

    const first = await sdk.messages.list({ recipient: 'list-reader' });
    expect(first.paging).toEqual({ more: true, cursor: expect.stringMatching(/^[\w-]+$/) as string });
    const second = await sdk.messages.list({ recipient: 'list-reader', cursor: first.paging.cursor });
    expect(second.paging).toEqual({ more: false });
    expect([...first.results, ...second.results].map(({ id }) => id)).toEqual(ids);

    expect(await idsOf({ tag: ['odd'], event: 'listed' })).toEqual(ids.filter((_, index) => index % 2 === 1));
    expect(await idsOf({ status: ['UNDELIVERABLE', 'UNROUTABLE'], event: 'listed' })).toEqual([]);
    expect((await idsOf({ status: ['SENT', 'DELIVERED'], event: 'listed', enqueued_after: String(before) })).length).toBe(10);
    expect(await idsOf({ traceId: 'listed-3' })).toEqual([ids[9]]);
    expect(await idsOf({ messageId: ids[5], cursor: null })).toEqual([ids[5]]);
    expect(await idsOf({ provider: ['smtp'], messageId: ids[0] })).toEqual([ids[0]]);
    expect(await idsOf({ provider: ['http'], event: 'listed' })).toEqual([]);
    await expect(sdk.messages.list({ cursor: 'nonsense' })).rejects.toBeInstanceOf(BadRequestError);
  });

  it('raises its own errors with the messages of the product', async () => {
    const invalid = sdk.send.message({ message: { to: { email: 'x@example.com' }, content: { title: 1, body: 'x' } as never } });
    await expect(invalid).rejects.toBeInstanceOf(BadRequestError);
    await expect(invalid).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(/^400 .*title/) as string,
      error: { message: expect.any(String) as string, type: 'invalid_request_error' },
    });

    const stranger = new Courier({ apiKey: 'pk_prod_unknown', baseURL: system.url });
    await expect(stranger.profiles.retrieve('ada')).rejects.toBeInstanceOf(AuthenticationError);
    await expect(stranger.profiles.retrieve('ada')).rejects.toMatchObject({ error: { type: 'authentication_error' } });

    const missing = sdk.messages.retrieve('1-00000000-000000000000000000000000');
    await expect(missing).rejects.toBeInstanceOf(NotFoundError);
    await expect(missing).rejects.toMatchObject({ message: expect.stringMatching(/^404 .*1-00000000/) as string });
  });

  it('does not retry routes that are not served, and retries transient errors', async () => {
    const urls: string[] = [];
    const counting = new Courier({
      apiKey: system.key,
      baseURL: system.url,
      fetch: (input, init) => {
        const { url } = new Request(input, init);
        urls.push(url);
        // No server listens at the other address: a connection error, which the SDK retries.
        return fetch(url.includes('unreachable') ? 'http://127.0.0.1:1' : input, init);
      },
    });

    await expect(counting.automations.list()).rejects.toBeInstanceOf(InternalServerError);
    expect(urls).toEqual([`${system.url}/automations`]);
    await expect(counting.profiles.retrieve('unreachable', { maxRetries: 1 })).rejects.toThrow('Connection error');
    expect(urls).toHaveLength(3);
  });
});
