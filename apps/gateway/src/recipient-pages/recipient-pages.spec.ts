import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { recipientPages } from '@tidings/contracts/content/recipient-pages';
import { ServiceError } from '@tidings/contracts/core/errors';
import { recipientChoices } from '@tidings/contracts/identity/recipient-choices';
import { unsubscribes } from '@tidings/contracts/messaging/unsubscribes';
import { LINK_VALID_MS, type LinkRecipient, RecipientLinks } from '@tidings/runtime/recipient-links';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const KEY = randomBytes(32);
const links = new RecipientLinks([KEY], 'https://tidings.example');
const MESSAGE = '1-65f2a1b0-9c3d4e5f60718293a4b5c6d7';
const workspaceId = randomUUID();
const ADA: LinkRecipient = { workspaceId, messageId: MESSAGE, channel: 'email', userId: 'ada', topicId: 'tpc_1' };
const ADDRESS: LinkRecipient = { workspaceId, messageId: MESSAGE, channel: 'email', address: 'ada@example.com' };
const tokenOf = (recipient: LinkRecipient, at = Date.now()): string => links.urlsOf(recipient, at)!.unsubscribe.split('/u/')[1]!;

const TOPIC = { topic_id: 'tpc_1', topic_name: 'News & <more>', default_status: 'OPTED_IN', section_id: 's', section_name: 'S' };
const CHANNELS = { has_custom_routing: true, custom_routing: ['push'], channels: ['email', 'push'] };
const SECTIONS = [
  {
    name: 'Shop',
    description: 'What happens',
    topics: [
      { ...TOPIC, status: 'OPTED_IN', description: 'About', ...CHANNELS },
      { ...TOPIC, topic_id: 'tpc_2', topic_name: 'Bills', status: 'REQUIRED', has_custom_routing: false, custom_routing: [], channels: [] },
    ],
  },
];

let gateway: TestGateway;
let status: string;
beforeAll(async () => {
  gateway = await startTestGateway({ secretKeys: [KEY] });
});
afterAll(() => gateway.stop());
beforeEach(() => {
  status = 'OPTED_IN';
  const { client } = gateway;
  client.calls.length = 0;
  client.answer(recipientChoices.page, (_context, { sections }: { sections?: boolean }) => ({
    topic: { ...TOPIC, status, has_custom_routing: false, custom_routing: [] },
    sections: sections ? SECTIONS : [],
  }));
  client.answer(recipientChoices.optOut, () => {
    status = 'OPTED_OUT';
  });
  client.answer(recipientChoices.save, () => undefined);
  client.answer(unsubscribes.add, () => undefined);
  client.answer(recipientPages.appearance, () => ({ brand: null, translations: [] }));
});

const fetchPage = (path: string, init: RequestInit = {}): Promise<Response> => fetch(gateway.url + path, { redirect: 'manual', ...init });
const post = (path: string, body = '', headers: Record<string, string> = {}) => fetchPage(path, { method: 'POST', body, headers });
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
const changes = () =>
  gateway.client.calls.filter(
    ({ pattern }) => ![recipientChoices.page.pattern, recipientPages.appearance.pattern].includes(pattern as never),
  );

interface Element {
  name: string;
  attributes: Record<string, string>;
  text: string;
}

/** All elements of a page as a browser reads it. */
async function elementsOf(page: Response): Promise<Element[]> {
  const found: Element[] = [];
  const textOf = (node: Tree.Node): string =>
    'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : '';
  const visit = (node: Tree.Node): void => {
    if ('tagName' in node) {
      const attributes = Object.fromEntries(node.attrs.map(({ name, value }) => [name, value]));
      found.push({ name: node.tagName, attributes, text: textOf(node).trim() });
    }
    if ('childNodes' in node) node.childNodes.forEach(visit);
  };
  visit(parse(await page.text()));
  return found;
}
const named = (elements: readonly Element[], name: string) => elements.filter((element) => element.name === name);

/** What every page keeps to. */
function expectAccessible(elements: readonly Element[]): void {
  expect(named(elements, 'html')[0]!.attributes).toMatchObject({
    lang: expect.stringMatching(/^[a-z]{2}/) as string,
    dir: expect.any(String) as string,
  });
  for (const name of ['title', 'h1', 'main']) expect([name, named(elements, name).length]).toEqual([name, 1]);
  expect(named(elements, 'h1')[0]!.text).not.toBe('');
  for (const name of ['script', 'iframe', 'link']) expect([name, named(elements, name)]).toEqual([name, []]);
  const ids = elements.flatMap(({ attributes }) => attributes.id ?? []);
  expect(new Set(ids).size).toBe(ids.length);
  const labelled = named(elements, 'label').map(({ attributes }) => attributes.for);
  const inputs = named(elements, 'input').filter(({ attributes }) => attributes.type !== 'hidden');
  expect([...labelled].sort()).toEqual(inputs.map(({ attributes }) => attributes.id).sort());
  for (const { attributes } of elements) {
    const described = [attributes['aria-describedby'], attributes['aria-labelledby']].flatMap((list) => list?.split(' ') ?? []);
    for (const id of described) expect(ids).toContain(id);
    expect(Object.keys(attributes).filter((name) => name.startsWith('on') || name === 'style')).toEqual([]);
  }
}

describe('the page to unsubscribe', () => {
  it.each(['GET', 'HEAD'])('changes nothing on %s: it shows the topic and a button that posts to it', async (method) => {
    const page = await fetchPage(`/u/${tokenOf(ADA)}`, { method });

    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(changes()).toEqual([]);
    if (method === 'HEAD') return;
    const elements = await elementsOf(page);
    expectAccessible(elements);
    expect(named(elements, 'h1')[0]!.text).toBe('Do you want to unsubscribe from "News & <more>"?');
    expect(named(elements, 'form').map(({ attributes }) => attributes)).toEqual([{ method: 'post' }]);
    expect(named(elements, 'button').map(({ text }) => text)).toEqual(['Unsubscribe']);
  });

  it('protects itself and its address by headers', async () => {
    const { headers } = await fetchPage(`/u/${tokenOf(ADA)}`);
    const policy = headers.get('content-security-policy')!;
    for (const directive of [
      "default-src 'none'",
      "script-src 'none'",
      "form-action 'self'",
      "frame-ancestors 'none'",
      'img-src https: data:',
    ])
      expect(policy).toContain(directive);
    expect(policy).toMatch(/style-src 'nonce-[\w-]{20,}'/);
    expect(policy).not.toContain('unsafe');
    expect(['referrer-policy', 'cache-control', 'x-robots-tag'].map((name) => headers.get(name))).toEqual([
      'no-referrer',
      'no-store',
      'noindex',
    ]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a mail client', 'List-Unsubscribe=One-Click', FORM],
    ['its own button', '', FORM],
    [
      'a mail client with a multipart form',
      '--b\r\ncontent-disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--b--',
      { 'content-type': 'multipart/form-data; boundary=b' },
    ],
  ])('opts the user out on a POST of %s, without a credential', async (_, body, headers) => {
    const page = await post(`/u/${tokenOf(ADA)}`, body, headers);

    expect(page.status).toBe(200);
    expect(changes()).toMatchObject([
      {
        pattern: recipientChoices.optOut.pattern,
        context: { workspaceId },
        request: { user_id: 'ada', topic_id: 'tpc_1', message_id: MESSAGE },
      },
    ]);
    const elements = await elementsOf(page);
    expectAccessible(elements);
    expect(named(elements, 'h1')[0]!.text).toBe('You are unsubscribed');
    expect(elements.find(({ attributes }) => attributes.role === 'status')?.text).toBe(
      'You will get no more messages about "News & <more>".',
    );
  });

  it('suppresses the address of a message without a user, and offers no preference page', async () => {
    const path = `/u/${tokenOf(ADDRESS)}`;
    expectAccessible(await elementsOf(await fetchPage(path)));
    expect(changes()).toEqual([]);

    const elements = await elementsOf(await post(path, 'List-Unsubscribe=One-Click', FORM));

    expect(changes()).toMatchObject([
      {
        pattern: unsubscribes.add.pattern,
        context: { workspaceId },
        request: { channel: 'email', address: 'ada@example.com', message_id: MESSAGE },
      },
    ]);
    expect(named(elements, 'a')).toEqual([]);
    expect((await fetchPage(`/p/${tokenOf(ADDRESS)}`)).headers.get('location')).toBe(`../u/${tokenOf(ADDRESS)}`);
  });

  it('of a user without a topic leads to the preference page, also on POST', async () => {
    const token = tokenOf({ ...ADA, topicId: undefined });
    const answer = await post(`/u/${token}`);
    expect([answer.status, answer.headers.get('location')]).toEqual([303, `../p/${token}`]);
    expect(changes()).toEqual([]);
  });

  it.each([
    ['REQUIRED', 'Messages about "News & <more>" are required: you cannot unsubscribe from them.'],
    ['OPTED_OUT', 'You will get no more messages about "News & <more>".'],
  ])('of a topic that is %s has no button', async (state, text) => {
    status = state;
    const elements = await elementsOf(await fetchPage(`/u/${tokenOf(ADA)}`));
    expectAccessible(elements);
    expect(named(elements, 'p').map((one) => one.text)).toContain(text);
    expect(named(elements, 'button')).toEqual([]);
  });
});

describe('the preference page', () => {
  it('has each topic by section with its state and its channels', async () => {
    const elements = await elementsOf(await fetchPage(`/p/${tokenOf(ADA)}`));

    expectAccessible(elements);
    expect(changes()).toEqual([]);
    expect(named(elements, 'h2').map(({ text }) => text)).toEqual(['Shop']);
    const boxes = named(elements, 'input').filter(({ attributes }) => attributes.type === 'checkbox');
    expect(
      boxes.map(({ attributes: { name, value, checked, disabled } }) => [name, value, checked !== undefined, disabled !== undefined]),
    ).toEqual([
      ['in', 'tpc_1', true, false],
      ['channel', 'tpc_1 email', false, false],
      ['channel', 'tpc_1 push', true, false],
      ['in', 'tpc_2', true, true],
    ]);
  });

  it.each([
    [
      'topic=tpc_1&in=tpc_1&topic=tpc_2',
      [
        { topic_id: 'tpc_1', status: 'OPTED_IN' },
        { topic_id: 'tpc_2', status: 'OPTED_OUT' },
      ],
    ],
    ['topic=tpc_1&offered=tpc_1+2&channel=tpc_1+sms&channel=tpc_1+smoke', [{ topic_id: 'tpc_1', status: 'OPTED_OUT', channels: ['sms'] }]],
    ['topic=tpc_1&offered=tpc_1+2&channel=tpc_1+sms&channel=tpc_1+push', [{ topic_id: 'tpc_1', status: 'OPTED_OUT', channels: [] }]],
    ['topic=tpc_1&in=tpc_1&offered=tpc_1+2', [{ topic_id: 'tpc_1', status: 'OPTED_OUT' }]],
    ['topic=tpc_1&topic=tpc_1&in=tpc_9&topic=', [{ topic_id: 'tpc_1', status: 'OPTED_OUT' }]],
    ['', []],
  ])('saves the form %s', async (form, topics) => {
    const page = await post(`/p/${tokenOf(ADA)}`, form, FORM);

    expect(changes()).toMatchObject([{ pattern: recipientChoices.save.pattern, request: { user_id: 'ada', topics, message_id: MESSAGE } }]);
    expect(changes()[0]!.request.topics).toEqual(topics);
    const elements = await elementsOf(page);
    expect(elements.find(({ attributes }) => attributes.role === 'status')?.text).toBe('Your choices are saved.');
  });
});

describe('a link', () => {
  it.each([
    ['forged', () => 'A'.repeat(200), 404],
    [
      'of another installation',
      () => new RecipientLinks([randomBytes(32)], 'https://x').urlsOf(ADA, Date.now())!.unsubscribe.split('/u/')[1]!,
      404,
    ],
    ['that has expired', () => tokenOf(ADA, Date.now() - LINK_VALID_MS - 8 * 86_400_000), 410],
  ])('%s is answered with a page that says so', async (_, make, expected) => {
    for (const page of ['u', 'p']) {
      for (const answer of [await fetchPage(`/${page}/${make()}`), await post(`/${page}/${make()}`)]) {
        expect(answer.status).toBe(expected);
        expectAccessible(await elementsOf(answer));
      }
    }
    expect(gateway.client.calls).toEqual([]);
  });

  it('is refused before the body is read', async () => {
    const { port } = new URL(gateway.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.write(`POST /u/${'A'.repeat(200)} HTTP/1.1\r\nhost: tidings\r\ncontent-length: 1000000\r\n\r\n`); // without the body
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.destroy();

    expect(head.toString()).toMatch(/^HTTP\/1.1 404 /);
  });

  it('is limited to some requests a second', async () => {
    const token = tokenOf({ ...ADA, userId: 'busy' });
    const now = performance.now();
    const clock = jest.spyOn(performance, 'now').mockReturnValue(now); // no time passes, however slow this machine is
    const answers = await Promise.all(Array.from({ length: 25 }, () => fetchPage(`/u/${token}`))).finally(() => clock.mockRestore());
    const limited = answers.filter((answer) => answer.status === 429);
    expect(limited).toHaveLength(5);
    expect(limited[0]!.headers.get('retry-after')).toBe('60');
    expect((await fetchPage(`/u/${tokenOf({ ...ADA, userId: 'other' })}`)).status).toBe(200);
  });

  it('unsubscribes while content is unavailable, and says so where identity is', async () => {
    const unavailable = () => {
      throw new ServiceError('unavailable', 'not now');
    };
    gateway.client.answer(recipientPages.appearance, unavailable);
    expect((await post(`/u/${tokenOf({ ...ADA, userId: 'eve' })}`)).status).toBe(200);
    gateway.client.answer(recipientChoices.optOut, unavailable);
    const answer = await post(`/u/${tokenOf({ ...ADA, userId: 'eve' })}`);
    expect(answer.status).toBe(503);
    expectAccessible(await elementsOf(answer));
  });
});

describe('a page', () => {
  const BRAND = {
    name: 'Acme "&" Co',
    primary: '#0f766e',
    logo: { image: 'https://acme.example/logo.png', href: 'https://acme.example' },
    footer: '<p>Acme, 1 Main Street</p>',
    social: [{ name: 'GitHub', url: 'https://github.example/acme' }],
  };

  it('has name, logo, colour and footer of the brand of the message', async () => {
    gateway.client.answer(recipientPages.appearance, () => ({ brand: BRAND, translations: [] }));
    const elements = await elementsOf(await fetchPage(`/u/${tokenOf({ ...ADA, brandId: 'acme' })}`));

    expectAccessible(elements);
    expect(gateway.client.calls.at(-1)!.request).toMatchObject({ brand_id: 'acme' });
    expect(named(elements, 'img').map(({ attributes }) => attributes)).toEqual([{ src: BRAND.logo.image, alt: BRAND.name }]);
    expect(named(elements, 'title')[0]!.text).toContain(BRAND.name);
    expect(named(elements, 'footer')[0]!.text).toContain('Acme, 1 Main Street');
  });

  it.each([
    ['#0f766e', 'a{color:#0f766e}', 'background:#0f766e;color:#ffffff'],
    ['#f59e0b', 'a{color:#1d4ed8}', 'background:#f59e0b;color:#000000'],
    ['rebeccapurple', 'a{color:#1d4ed8}', 'background:#1d4ed8;color:#ffffff'],
  ])('can be read in a brand of %s', async (primary, link, button) => {
    gateway.client.answer(recipientPages.appearance, () => ({ brand: { ...BRAND, primary }, translations: [] }));
    const [style] = named(await elementsOf(await fetchPage(`/u/${tokenOf({ ...ADA, userId: primary })}`)), 'style');
    expect(style!.text).toContain(link);
    expect(style!.text).toContain(button);
  });

  it.each<[string, string | undefined, string | undefined, string, string]>([
    ['the profile', 'fr_FR', 'de', 'fr', 'Se désabonner'],
    ['the browser', undefined, 'xx;q=0.1, de-AT;q=0.9, en;q=0.8', 'de', 'Abbestellen'],
    ['the browser where that of the profile is empty', '', 'it', 'it', 'Annulla l’iscrizione'],
    ['English otherwise', undefined, undefined, 'en', 'Unsubscribe'],
    ['English where there is none of that name', 'constructor', undefined, 'en', 'Unsubscribe'],
  ])('is in the language of %s', async (_, locale, acceptLanguage, lang, button) => {
    gateway.client.answer(recipientChoices.page, () => ({ topic: { ...TOPIC, status }, locale, sections: [] }));
    const headers = acceptLanguage === undefined ? undefined : { 'accept-language': acceptLanguage };
    const elements = await elementsOf(await fetchPage(`/u/${tokenOf({ ...ADA, userId: lang })}`, { headers }));
    expect([named(elements, 'html')[0]!.attributes.lang, named(elements, 'button')[0]!.text]).toEqual([lang, button]);
  });

  it("uses the workspace's translations first, also of names, and writes right to left", async () => {
    gateway.client.answer(recipientChoices.page, () => ({ topic: { ...TOPIC, status }, locale: 'ar_EG', sections: [] }));
    gateway.client.answer(recipientPages.appearance, (_context, { texts }: { texts: string[] }) => ({
      brand: null,
      translations: [{ locale: 'ar', texts: texts.map((text) => ({ Unsubscribe: 'إلغاء', [TOPIC.topic_name]: 'أخبار' })[text] ?? null) }],
    }));
    const elements = await elementsOf(await fetchPage(`/u/${tokenOf({ ...ADA, userId: 'arabic' })}`));
    expect(named(elements, 'html')[0]!.attributes).toEqual({ lang: 'ar', dir: 'rtl' });
    expect(named(elements, 'button')[0]!.text).toBe('إلغاء');
    expect(named(elements, 'h1')[0]!.text).toBe('Do you want to unsubscribe from "أخبار"?');
    // Else Latin labels between the boxes of channels stand beside the box of another one.
    expect(named(elements, 'style')[0]!.text).toContain('fieldset span{display:inline-block');
  });
});
