import Courier, { BadRequestError, NotFoundError } from '@trycourier/courier';
import { SharedSystem } from './testing/shared-system';

const PO = 'msgid ""\nmsgstr ""\n"Language: fr\\n"\n\nmsgid "Hello %s"\nmsgstr "Bonjour « %s » 😀"\n';

describe('translations', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  /** A request as curl sends it. */
  const plain = async (method: string, path: string, headers: Record<string, string>, body?: string) => {
    const authorization = `Bearer ${system.key}`;
    const answer = await fetch(`${system.url}${path}`, { method, headers: { authorization, ...headers }, body: body && Buffer.from(body) });
    return {
      status: answer.status,
      type: answer.headers.get('content-type'),
      text: Buffer.from(await answer.arrayBuffer()).toString('utf8'),
    };
  };
  const TEXT = { status: 200, type: 'text/plain; charset=utf-8', text: PO };

  it('are stored and read by the official Node SDK', async () => {
    await sdk.translations.update('fr_FR', { domain: 'default', body: PO });

    expect(await sdk.translations.retrieve('fr_FR', { domain: 'default' })).toBe(PO);
    await expect(sdk.translations.retrieve('de', { domain: 'default' })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.translations.update('fr_FR', { domain: 'emails', body: PO })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.translations.retrieve('fr_FR', { domain: 'emails' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('that do not parse are refused with the line', async () => {
    const broken = sdk.translations.update('fr_BE', { domain: 'default', body: 'msgid "a"\nmsgstr "b\n' });

    await expect(broken).rejects.toBeInstanceOf(BadRequestError);
    await expect(broken).rejects.toThrow(/line 2/);
    await expect(sdk.translations.retrieve('fr_BE', { domain: 'default' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it.each([
    ['text/plain', { 'content-type': 'text/plain' }, PO],
    ['the type that curl sends by itself', { 'content-type': 'application/x-www-form-urlencoded' }, PO],
    ['no type', {}, PO],
    ['a JSON string', { 'content-type': 'application/json' }, JSON.stringify(PO)],
    ['a JSON string with the type text/plain', { 'content-type': 'text/plain' }, JSON.stringify(PO)],
    ['text with Windows line ends', { 'content-type': 'text/plain' }, PO.replaceAll('\n', '\r\n')],
  ])('are stored byte for byte, sent as %s', async (_, headers, body) => {
    const text = body.startsWith('"') ? PO : body;

    expect(await plain('PUT', '/translations/default/it', headers, body)).toEqual({ ...TEXT, text });

    expect(await plain('GET', '/translations/default/it', {})).toEqual({ ...TEXT, text });
    expect(await plain('GET', '/translations/default/IT', {})).toEqual({ ...TEXT, text });
  });

  it('may be empty, sent as text or JSON', async () => {
    for (const [type, body] of [
      ['text/plain', ''],
      ['application/x-www-form-urlencoded', ''],
      ['application/json', '""'],
    ] as const) {
      expect(await plain('PUT', '/translations/default/nl', { 'content-type': type }, body)).toEqual({ ...TEXT, text: '' });
    }
    expect(await plain('GET', '/translations/default/nl', {})).toEqual({ ...TEXT, text: '' });
  });

  it('are a JSON string for SDKs that parse only JSON', async () => {
    const fern = { 'X-Fern-Language': 'Python', 'content-type': 'application/json' };
    const asJson = { status: 200, type: 'application/json', text: JSON.stringify(PO) };

    expect(await plain('PUT', '/translations/default/es_ES', fern, JSON.stringify(PO))).toEqual(asJson);

    expect(await plain('GET', '/translations/default/es_ES', fern)).toEqual(asJson);
    expect(await plain('GET', '/translations/default/es_ES', {})).toEqual(TEXT);
    expect(await plain('GET', '/translations/default/xx_XX', fern)).toMatchObject({ status: 404, type: 'application/json' });
  });

  it('are refused with the common error body', async () => {
    for (const [headers, body, status] of [
      [{ 'content-type': 'application/json' }, '{"a":1}', 400],
      [{ 'content-type': 'application/json' }, PO, 400],
      [{ 'content-type': 'text/plain; charset=utf-16' }, PO, 415],
      [{ 'content-type': 'text/plain' }, '<html>', 400],
    ] as const) {
      const answer = await plain('PUT', '/translations/default/xx', headers, body);
      expect(answer).toMatchObject({ status, type: 'application/json' });
      expect(JSON.parse(answer.text)).toEqual({ message: expect.any(String) as string, type: 'invalid_request_error' });
    }
    expect(await plain('PUT', '/translations/default/xx', {})).toMatchObject({ status: 400 });
    expect(await plain('PUT', '/translations/default/a%2Fb', {}, PO)).toMatchObject({ status: 400 });
  });
});
