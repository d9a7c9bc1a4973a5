import Courier, { BadRequestError, ConflictError, NotFoundError } from '@trycourier/courier';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { SharedSystem } from './testing/shared-system';

describe('brands and event mappings', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  const settings = {
    colors: { primary: '#9D3789', own: '#111111' },
    email: {
      header: { logo: { image: 'https://acme.example/logo.png' }, barColor: '#9D3789', inheritDefault: false },
      footer: { content: 'Acme Inc.', inheritDefault: null },
      templateOverride: { enabled: false, mjml: { enabled: false } },
    },
    inapp: { colors: {}, icons: {}, widgetBackground: {}, placement: 'top' as const },
  };
  const snippets = { items: [{ name: 'greeting', value: 'Hello {{name}}' }] };

  it('are made, read, replaced, listed and deleted by the official Node SDK', async () => {
    const created = await sdk.brands.create({ id: 'acme', name: 'Acme', settings, snippets });
    expect(created).toMatchObject({ id: 'acme', name: 'Acme', settings, snippets });
    expect(created.version).toBe(new Date(created.created).toISOString());
    expect(await sdk.brands.retrieve('acme')).toEqual(created);

    const replaced = await sdk.brands.update('acme', { name: 'Acme Ltd', settings: { colors: { primary: '#000000' } } });
    expect(replaced).toMatchObject({
      id: 'acme',
      name: 'Acme Ltd',
      created: created.created,
      settings: { colors: { primary: '#000000' } },
    });
    expect(replaced).not.toHaveProperty('snippets');
    expect(replaced.version! > created.version!).toBe(true);

    const { id } = await sdk.brands.create({ name: 'Unnamed' });
    const { paging, results } = await sdk.brands.list();
    expect(paging.more).toBe(false);
    expect(results.map((brand) => brand.id)).toEqual(['acme', id, 'default']);

    await sdk.brands.delete('acme');
    await expect(sdk.brands.retrieve('acme')).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.brands.delete('acme')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('are listed in pages', async () => {
    for (let n = 0; n < 101; n += 1) await sdk.brands.create({ id: `page-${n}`, name: 'Page' });

    const first = await sdk.brands.list();
    const second = await sdk.brands.list({ cursor: first.paging.cursor });

    expect([first.paging.more, second.paging.more]).toEqual([true, false]);
    const ids = [...first.results, ...second.results].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('page-'))).toHaveLength(101);
  });

  it('refuse to delete the default brand and to reuse an id, and the SDK retries neither', async () => {
    const methods: string[] = [];
    const counting = new Courier({
      apiKey: system.key,
      baseURL: system.url,
      fetch: (input, init) => {
        methods.push(new Request(input, init).method);
        return fetch(input, init);
      },
    });
    await expect(counting.brands.delete('default')).rejects.toBeInstanceOf(ConflictError);
    await expect(counting.brands.delete('default')).rejects.toThrow('409 Cannot delete default brand');
    await sdk.brands.create({ id: 'once', name: 'Once' });
    await expect(counting.brands.create({ id: 'once', name: 'Twice' })).rejects.toThrow('409 Brand once already exists');
    expect(methods).toEqual(['DELETE', 'DELETE', 'POST']);

    expect(await sdk.brands.update('default', { name: 'Ours', settings })).toMatchObject({ id: 'default', name: 'Ours' });
    expect(await sdk.brands.retrieve('default')).toMatchObject({ name: 'Ours', settings });
  });

  it('are refused with the path of an invalid setting', async () => {
    const wrong = sdk.brands.create({ name: 'Wrong', settings: { email: { header: { logo: {}, barColor: 7 as never } } } });

    await expect(wrong).rejects.toBeInstanceOf(BadRequestError);
    await expect(wrong).rejects.toThrow('settings.email.header.barColor must be a string (got 7)');
  });

  it('accept the example of their guide', async () => {
    const guide = readFileSync(path.resolve(__dirname, '../../../docs/brands.md'), 'utf8');
    const [, example] = /-X PUT \$URL\/brands\/default .* -d '(\{[^']+\})'/.exec(guide)!;
    const body = JSON.parse(example!) as object;
    const put = await system.client.request('PUT', '/brands/default', { body });
    expect(put).toMatchObject({ status: 200, body });
    expect(put.headers.get('x-tidings-warning')).toBeNull();
  });

  it('are accessible with an issued token that names them', async () => {
    await sdk.brands.create({ id: 'mine', name: 'Mine' });
    const { token } = await sdk.auth.issueToken({ scope: 'read:brands:mine write:brands:mine', expires_in: '1 hour' });
    const narrow = new Courier({ apiKey: token, baseURL: system.url });

    expect(await narrow.brands.update('mine', { name: 'Still mine' })).toMatchObject({ name: 'Still mine' });
    await expect(narrow.brands.retrieve('default')).rejects.toMatchObject({ status: 403 });
    await expect(narrow.brands.list()).rejects.toMatchObject({ status: 403 });
  });

  it('an event of any name is mapped to a notification', async () => {
    const { client } = system;
    for (const event of ['ORDER_PLACED', 'Segment-TrackEvent:Order Placed', 'a/b']) {
      const path = `/events/${encodeURIComponent(event)}`;
      const put = await client.request('PUT', path, { body: { id: 'nt_1', type: 'notification' } });
      expect(put).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
      expect(put.headers.get('x-tidings-warning')).toBe('No template has the id or alias "nt_1"; it has an effect once one does');
      expect(await client.get(path)).toMatchObject({ status: 200, body: { event, id: 'nt_1', type: 'notification' } });
    }
    // Older SDKs encode only characters that a path must not contain.
    await client.request('PUT', '/events/Segment-TrackEvent:Order%20Placed', { body: { id: 'nt_2', type: 'notification' } });

    expect(await client.get('/events')).toMatchObject({
      status: 200,
      body: {
        results: [
          { event: 'ORDER_PLACED', id: 'nt_1', type: 'notification' },
          { event: 'Segment-TrackEvent:Order Placed', id: 'nt_2', type: 'notification' },
          { event: 'a/b', id: 'nt_1', type: 'notification' },
        ],
      },
    });
    expect(await client.request('PUT', '/events/e', { body: { id: 'x', type: 'automation' } })).toMatchObject({ status: 400 });
    expect(await client.get('/events/unknown')).toMatchObject({ status: 404, body: { type: 'invalid_request_error' } });
  });
});
