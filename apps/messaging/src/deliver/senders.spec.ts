import { randomUUID } from 'node:crypto';
import { bulk } from '@tidings/contracts/messaging/bulk';
import { messages } from '@tidings/contracts/messaging/messages';
import { providers } from '@tidings/contracts/messaging/providers';
import { senders } from '@tidings/contracts/messaging/senders';
import { waitUntil } from '@tidings/testing/wait-until';
import { SenderDomains } from '../providers/sender-domains';
import { Messaging } from '../testing/start-messaging';
import '@tidings/testing/quiet';

describe('the default e-mail provider', () => {
  let messaging: Messaging;
  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('?from=Tidings%20%3Ctidings@example.com%3E', { senderDomains: ['shop.example'] });
  });
  afterAll(() => messaging.end());

  /** A workspace with a list of its own, or with none. */
  const workspaceWith = async (domains?: string[] | null) => {
    const context = { ...messaging.context, workspaceId: randomUUID() };
    if (domains !== undefined) await messaging.call(senders.replace, { domains }, context);
    return context;
  };
  const override = (fields: Record<string, unknown>) => ({ email: { override: fields } });
  const send = async ({ workspaceId }: { workspaceId: string }, fields: Parameters<Messaging['request']>[0]) => {
    const to = `${randomUUID()}@example.org`;
    const routing = { method: 'single' as const, channels: ['email'] };
    const [id] = await messaging.send({ workspaceId, routing, profile: { email: to }, ...fields });
    return { id: id!, to };
  };
  /** Resolves with the error of a message that ended without a call of the mail server. */
  const refusalOf = async (context: Messaging['context'], fields: Parameters<Messaging['request']>[0]) => {
    const { id, to } = await send(context, fields);
    const record = () => messaging.call(messages.retrieve, { message_id: id }, context);
    await waitUntil(async () => ['UNDELIVERABLE', 'DELIVERED'].includes((await record()).status), { what: `the end of ${id}` });
    const { status, error } = await record();
    const history = await messaging.call(messages.history, { message_id: id }, context);
    expect([status, messaging.smtp.mailsTo(to)]).toEqual(['UNDELIVERABLE', []]);
    expect(history.results.map(({ type }) => type)).not.toContain('DELIVERING');
    return error;
  };
  const deliveredAs = async (context: Messaging['context'], fields: Parameters<Messaging['request']>[0]) => {
    const { to } = await send(context, fields);
    const [mail] = await messaging.smtp.waitForMailsTo(to);
    return [mail!.envelope.from, (await mail!.parse()).from?.address];
  };

  it('refuses a sender of another domain, wherever it comes from, without a call', async () => {
    const context = await workspaceWith();
    const from = 'Bank <service@bank.example>';
    messaging.content.publish(
      'nt_bank',
      { version: '2022-01-01', elements: [{ type: 'text', content: 'Hello' }] },
      { matched: 'id', email: { from } },
    );
    const sentence = `from must be an address from which this workspace may send, of example.com, shop.example (got`;

    const sends: Parameters<Messaging['request']>[0][] = [
      { channels: override({ from }) },
      { providers: { smtp: { override: { from } } } },
      { providers: { default: { override: { config: { from_address: from } } } } },
      { content: undefined, template: 'nt_bank' },
      { channels: override({ from: 'a@sub.shop.example' }) },
    ];
    for (const fields of sends) expect(await refusalOf(context, fields)).toContain(sentence);
  });

  it('sends from the domains of the installation and that of its own sender, in any case, with any reply address', async () => {
    const context = await workspaceWith();

    expect(await deliveredAs(context, {})).toEqual(['tidings@example.com', 'tidings@example.com']);
    const channels = override({ from: 'Shop <news@Shop.Example>', reply_to: 'help@bank.example' });
    expect(await deliveredAs(context, { channels })).toEqual(['news@Shop.Example', 'news@Shop.Example']);
    expect(await deliveredAs(context, { channels: override({ from: 'other@example.com' }) })).toEqual(Array(2).fill('other@example.com'));
  });

  it('follows the list of the workspace, which replaces that of the installation, and no other workspace does', async () => {
    const [context, other] = [await workspaceWith(['Käse.example']), await workspaceWith()];
    const channels = override({ from: 'a@käse.example' });

    // The mail server of the spec decodes the domain of the envelope.
    expect(await deliveredAs(context, { channels })).toEqual(['a@käse.example', 'a@xn--kse-qla.example']);
    expect(await refusalOf(context, { channels: override({ from: 'news@shop.example' }) })).toContain('xn--kse-qla.example (got');
    expect(await refusalOf(other, { channels })).toContain('shop.example (got');

    const list = await messaging.call(senders.replace, { domains: null }, context);
    expect(list).toEqual({ domains: null, allowed: ['example.com', 'shop.example'] });
    const allowed = () => messaging.get<SenderDomains>(SenderDomains).allowedIn(context.workspaceId);
    await waitUntil(async () => (await allowed())?.includes('shop.example'), { what: 'the change' });
    expect(await refusalOf(context, { channels })).toContain('shop.example (got');
  });

  it('is limited alone: a provider of the workspace sends from any domain', async () => {
    const context = await workspaceWith([]);
    const { hostname: host, port } = new URL(messaging.smtp.url);
    const settings = { host, port: Number(port), from_address: 'me@own.example' };
    expect(await messaging.call(senders.allowed, {}, context)).toEqual({ allowed: ['example.com'] });
    await messaging.call(providers.create, { provider: 'smtp', settings }, context);

    expect(await deliveredAs(context, { channels: override({ from: 'me@any.example' }) })).toEqual(Array(2).fill('me@any.example'));
    await waitUntil(async () => (await messaging.call(senders.allowed, {}, context)).allowed === null, { what: 'the change' });
  });

  it('has its sender checked when a bulk job is created', async () => {
    const context = await workspaceWith();
    const create = (from: string) =>
      messaging.call(bulk.create, { message: { event: 'welcome', message: { channels: override({ from }) } } }, context);

    await expect(create('a@bank.example')).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringMatching(/^message\.message\.channels\.email\.override\.from must be .* \(got "a@bank\.example"\)$/) as string,
    });
    const older = { event: 'welcome', override: { channel: { email: { from: 'a@bank.example' } } } };
    await expect(messaging.call(bulk.create, { message: older }, context)).rejects.toMatchObject({
      message: expect.stringMatching(/^message\.override\.channel\.email\.from must be/) as string,
    });
    await expect(create('a@shop.example')).resolves.toMatchObject({ jobId: expect.any(String) as string });
  });

  it('has lists of domains alone', async () => {
    const context = await workspaceWith();
    const replace = (request: { domains?: string[] | null }) => messaging.call(senders.replace, request, context);

    await expect(replace({ domains: ['shop.example', 'a@b.example'] })).rejects.toMatchObject({
      message: 'domains[1] must be a domain such as example.com (got "a@b.example")',
    });
    await expect(replace({})).rejects.toMatchObject({ message: expect.stringMatching(/^domains is required/) as string });
    await replace({ domains: ['b.example', 'B.example'] });
    await expect(messaging.call(senders.retrieve, {}, context)).resolves.toEqual({
      domains: ['b.example'],
      allowed: ['example.com', 'b.example'],
    });
  });
});
