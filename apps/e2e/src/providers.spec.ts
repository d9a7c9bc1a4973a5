import Courier, { BadRequestError, ConflictError, NotFoundError } from '@trycourier/courier';
import { SharedSystem } from './testing/shared-system';

const SECRET = 'a secret that no answer contains';

describe('configured providers', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  it('are created, read, replaced, listed and deleted by the official Node SDK, and no secret is returned or logged', async () => {
    const catalog = await sdk.providers.catalog.list({ channel: 'sms' });
    expect(catalog.results.map(({ provider }) => provider)).toEqual(['http']);
    expect(catalog.results[0]!.settings.url).toEqual({ type: 'string', required: true });

    const settings = { channel: 'sms', url: 'https://sms.example.com/', secret: SECRET };
    const created = await sdk.providers.create({ provider: 'http', alias: 'gateway', settings });
    expect(created).toMatchObject({ provider: 'http', alias: 'gateway', title: 'http (gateway)' });
    expect(created.settings).toEqual({ channel: 'sms', url: settings.url });
    expect(await sdk.providers.retrieve(created.id)).toEqual(created);

    const replaced = await sdk.providers.update(created.id, { provider: 'http', title: 'SMS', settings: created.settings });
    expect(replaced).toMatchObject({ id: created.id, title: 'SMS', created: created.created });
    expect(replaced).not.toHaveProperty('alias');

    const { results } = await sdk.providers.list();
    expect(results).toEqual([replaced]);

    await sdk.providers.delete(created.id);
    await expect(sdk.providers.retrieve(created.id)).rejects.toBeInstanceOf(NotFoundError);
    expect(system.output).not.toContain(SECRET);
  });

  it('that are invalid are refused', async () => {
    await expect(sdk.providers.create({ provider: 'pigeon' })).rejects.toBeInstanceOf(BadRequestError);
    await expect(sdk.providers.create({ provider: 'smtp', settings: {} })).rejects.toThrow('settings.host is required');

    const first = await sdk.providers.create({ provider: 'smtp', alias: 'mail', settings: { host: 'mail.example.com' } });
    const again = sdk.providers.create({ provider: 'smtp', alias: 'mail', settings: { host: 'mail.example.com' } });
    await expect(again).rejects.toBeInstanceOf(ConflictError);
    await sdk.providers.delete(first.id);
  });
});
