import Courier, { BadRequestError, ConflictError, NotFoundError } from '@trycourier/courier';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { freePort } from '@tidings/testing/free-port';
import { waitUntil } from '@tidings/testing/wait-until';
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
    expect(catalog.results.map(({ provider }) => provider)).toEqual(expect.arrayContaining(['http', 'twilio']));
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

  it('with a wrong port send what waits for them once they are mended, and are switched off and removed', async () => {
    const { client } = system;
    const smtp = await CapturingSmtp.start();
    try {
      const { hostname: host, port } = new URL(smtp.url);
      const settings = { host, port: await freePort(), tls: 'off', from_address: 'Shop <shop@example.com>' };
      const { id } = await sdk.providers.create({ provider: 'smtp', settings });
      const message = await client.send('ada@example.com');
      const tried = async (): Promise<boolean> => (await client.history(message)).some(({ type }) => type === 'DELIVERING');
      await waitUntil(tried, { what: 'a failed attempt' });

      expect(await client.request('POST', `/providers/${id}/retry-now`)).toMatchObject({
        status: 202,
        body: { deliveries: expect.any(Number) as number },
      });
      expect(await client.request('DELETE', `/providers/${id}`)).toMatchObject({
        status: 409,
        body: { message: expect.stringMatching(/^1 delivery waits for provider configuration/) as string },
      });
      const corrected = { settings: { port: Number(port) }, enabled: true };
      expect(await client.request('PATCH', `/providers/${id}`, { body: corrected })).toMatchObject({
        status: 200,
        body: { enabled: true },
      });

      await client.messageOnce('DELIVERED', message);
      expect(smtp.mails).toHaveLength(1);
      await client.request('PATCH', `/providers/${id}`, { body: { enabled: false } });
      expect(await sdk.providers.update(id, { provider: 'smtp', settings })).toMatchObject({ id, enabled: false });
      expect((await client.request('DELETE', `/providers/${id}?force=true`)).status).toBe(204);
    } finally {
      await smtp.close();
    }
  });

  it('that are invalid are refused', async () => {
    await expect(sdk.providers.create({ provider: 'pigeon' })).rejects.toBeInstanceOf(BadRequestError);
    await expect(sdk.providers.create({ provider: 'smtp', settings: {} })).rejects.toThrow('settings.host is required');

    const withoutSender = sdk.providers.create({ provider: 'smtp', settings: { host: 'mail.example.com' } });
    await expect(withoutSender).rejects.toThrow('settings.from_address is required');

    const settings = { host: 'mail.example.com', from_address: 'Shop <shop@example.com>' };
    const first = await sdk.providers.create({ provider: 'smtp', alias: 'mail', settings });
    const again = sdk.providers.create({ provider: 'smtp', alias: 'mail', settings });
    await expect(again).rejects.toBeInstanceOf(ConflictError);
    await sdk.providers.delete(first.id);
  });
});
