import Courier from '@trycourier/courier';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { ApiClient } from './testing/api-client';
import { System } from './testing/system';
import { tearDown } from './testing/tear-down';

describe('a send by template', () => {
  const teardown = new Teardown();
  let smtp: CapturingSmtp;
  let system: System;
  let sdk: Courier;
  let client: ApiClient;

  beforeAll(async () => {
    smtp = await CapturingSmtp.start();
    teardown.add('the mail server', () => smtp.close());
    system = await System.start({ smtpUrl: smtp.url });
    teardown.add('the product', () => system.stop());
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
    ({ client } = system);
  });

  afterAll(() => tearDown(teardown));

  const notification = (title: string, content: string, brand: { id: string } | null = null) => ({
    name: title,
    tags: ['shop'],
    brand,
    subscription: null,
    routing: null,
    content: {
      version: '2022-01-01',
      elements: [
        { type: 'meta', title },
        { type: 'text', content },
        { type: 'action', content: '{{t "Track it"}}', href: 'https://shop.example/{{order}}' },
      ],
    },
  });
  const publish = async (payload: ReturnType<typeof notification>, id?: string): Promise<string> => {
    const body = { notification: payload, state: 'PUBLISHED' };
    const answer = await (id
      ? client.request('PUT', `/notifications/${id}`, { body })
      : client.request('POST', '/notifications', { body }));
    expect([200, 201]).toContain(answer.status);
    return id ?? (answer.body as { id: string }).id;
  };
  const delivered = (id: string) =>
    waitUntil(async () => {
      const message = await sdk.messages.retrieve(id);
      return message.status === 'DELIVERED' ? message : undefined;
    });

  it('of a mapped event, with a brand, arrives in French', async () => {
    const po = [
      'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\nPlural-Forms: nplurals=2; plural=(n > 1);\\n"',
      'msgid "Your order has shipped"\nmsgstr "Votre commande est partie"',
      'msgid "Track it"\nmsgstr "Suivre le colis"',
    ].join('\n\n');
    await sdk.translations.update('fr_FR', { domain: 'default', body: po });
    await sdk.brands.create({ id: 'acme', name: 'Acme', settings: { email: { footer: { markdown: 'Acme, Paris' } as object } } });
    const id = await publish(
      notification('{{t "Your order has shipped"}}', '{{t "Your order has shipped"}}, {profile.name}', { id: 'acme' }),
    );
    const mapped = await client.request('PUT', '/events/order-shipped', { body: { id, type: 'notification' } });
    expect(mapped).toMatchObject({ status: 200, body: { status: 'SUCCESS' } });
    await sdk.profiles.replace('ada', { profile: { email: 'ada@example.com', name: 'Ada', locale: 'fr_FR' } });

    const { requestId } = await sdk.send.message({
      message: { to: { user_id: 'ada' }, template: 'order-shipped', data: { order: 'A-17' } },
    });

    const [mail] = await smtp.waitForMailsTo('ada@example.com');
    const parsed = await mail!.parse();
    expect(parsed).toMatchObject({
      subject: 'Votre commande est partie',
      text: expect.stringContaining('Votre commande est partie, Ada') as string,
    });
    expect(parsed.html).toContain('Acme, Paris');
    expect(parsed.html).toContain('Suivre le colis');
    expect(parsed.text).toContain('https://shop.example/A-17');

    expect(await delivered(requestId)).toMatchObject({ event: 'order-shipped', notification: id, tags: ['shop'] });
    const { results } = await sdk.messages.history(requestId);
    expect(results.map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'MAPPED',
      'PROFILE_LOADED',
      'ROUTED',
      'RENDERED',
      'DELIVERING',
      'SENT',
      'DELIVERED',
    ]);
    expect(results[1]).toMatchObject({ event_id: 'order-shipped', notification_id: id });
    const rendered = results[4] as unknown as { output: Record<string, string> };
    const html = await client.get(rendered.output.html!);
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8');
    const policyOf = ({ headers }: { headers: Headers }) => headers.get('content-security-policy');
    expect(policyOf(html)).toBe("sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'");
    expect(policyOf(await client.get(`${rendered.output.html!}?images=remote`))).toContain('; img-src https: data:;');
    expect(html.body).toContain('Votre commande est partie');
    expect((await client.get(rendered.output.blocks!)).headers.get('content-type')).toBe('application/json');
    const { results: output } = await sdk.messages.content(requestId);
    expect(output).toMatchObject([{ channel: 'email', content: { subject: 'Votre commande est partie' } }]);
  });

  it('uses the last published version once its event has arrived', async () => {
    const id = await publish(notification('Before', 'x'));
    let sends = 0;
    const subjectNow = async (): Promise<string | undefined> => {
      const email = `reader-${++sends}@example.com`;
      await sdk.send.message({ message: { to: { email }, template: id } });
      const [mail] = await smtp.waitForMailsTo(email);
      return (await mail!.parse()).subject;
    };
    expect(await subjectNow()).toBe('Before');

    await publish(notification('After', 'x'), id);
    await waitUntil(async () => (await subjectNow()) === 'After', { what: 'a mail of the published version' });
  });

  it('of a draft is UNROUTABLE, of an unknown template UNMAPPED', async () => {
    const draft = await client.request('POST', '/notifications', { body: { notification: notification('Draft', 'x') } });
    const send = async (template: string): Promise<string> =>
      (await sdk.send.message({ message: { to: { email: 'user@example.com' }, template } })).requestId;
    const reached = (id: string, status: string) => waitUntil(async () => (await sdk.messages.retrieve(id)).status === status);

    await reached(await send((draft.body as { id: string }).id), 'UNROUTABLE');
    await reached(await send('no-such-template'), 'UNMAPPED');
  });

  it('can be Elemental in the send itself', async () => {
    const elements = [
      { type: 'meta', title: 'Hello {name}' },
      { type: 'text', content: 'There are {{items.length}} items' },
      { type: 'text', loop: 'data.items', content: '* {{$.item.name}}' },
    ];
    const content = { version: '2022-01-01', elements } as unknown as Courier.SendMessageParams.Message['content'];
    const data = { name: 'Ada', items: [{ name: 'pen' }, { name: 'ink' }] };
    await sdk.send.message({ message: { to: { email: 'inline@example.com' }, content, data } });
    const [mail] = await smtp.waitForMailsTo('inline@example.com');
    const { subject, text } = await mail!.parse();
    expect(subject).toBe('Hello Ada');
    expect(text).toContain('There are 2 items');
    expect(text).toContain('ink');
  });
});
