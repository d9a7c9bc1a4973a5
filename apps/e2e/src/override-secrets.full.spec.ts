import { randomBytes } from 'node:crypto';
import { Teardown } from '@tidings/runtime/teardown';
import { databaseText } from '@tidings/testing/database-text';
import { storesOf, storesWith, textAtRest } from './testing/at-rest';
import { plantSecrets } from './testing/planted-secrets';
import { SendingFixture } from './testing/sending-fixture';
import { ENVIRONMENT } from './testing/shared-system';
import { System } from './testing/system';
import { tearDown } from './testing/tear-down';

/** Delay longer than the time from a send to a kill. */
const WAITING_MS = 15_000;

describe('credentials in overrides of a send', () => {
  const teardown = new Teardown();
  let fixture: SendingFixture;

  let system: System;

  beforeAll(async () => {
    system = await System.start({ environment: ENVIRONMENT });
    teardown.add('the product', () => system.stop());
    fixture = await SendingFixture.start(system);
    teardown.add('the workspace', () => fixture.end());
  });
  beforeEach(() => fixture.acceptTexts());
  afterAll(() => tearDown(teardown));

  const drawn = (): string => randomBytes(18).toString('hex');
  const by = (channel: string): object => ({ routing: { method: 'single', channels: [channel] } });
  const withKey = (secret: string): object => ({
    override: { config: { authorization: `Bearer ${secret}` }, headers: { 'x-key': secret } },
  });
  const texts = (secret: string): number =>
    fixture.sms.received.filter(({ headers }) => headers['x-key'] === secret && headers.authorization === `Bearer ${secret}`).length;
  const textsOf = (secret: string, count: number) => fixture.until(`${count} text messages`, () => Promise.resolve(texts(secret) >= count));

  /** Expects no form of `secret` in the stored text and the log; `marker` proves that the text is complete. */
  async function expectNotStored(secret: string, marker: string): Promise<void> {
    const text = await textAtRest(system);
    expect(text.includes(marker)).toBe(true);
    for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
      expect(text.includes(form)).toBe(false);
    expect(system.output.includes(secret)).toBe(false);
  }

  it('reach a mail server and are not stored', async () => {
    const [secret, to] = [drawn(), `${fixture.name('mail')}@example.com`];
    const providers = { smtp: { override: { config: { from_address: `${secret}@example.com` } } } };

    const id = await fixture.send({ to: { email: to }, providers, ...by('email') });

    await fixture.once('DELIVERED', id);
    const [mail] = await fixture.smtp.waitForMailsTo(to);
    expect(mail!.envelope.from).toBe(`${secret}@example.com`);
    await expectNotStored(secret, id);
  });

  it('are not stored when they cannot be applied, nor repeated in the error', async () => {
    const secret = drawn();
    const providers = { smtp: { override: { config: { host: 'mail.example.com', pass: secret } } } };

    const id = await fixture.send({ to: { email: 'user@example.com' }, providers, ...by('email') });

    const { error } = await fixture.once('UNDELIVERABLE', id);
    expect(error).toContain('override.config.host');
    await expectNotStored(secret, id);
  });

  it('survive kill -9 during retries, a resend and a delay, and are not stored', async () => {
    const [secret, later] = [drawn(), drawn()];
    fixture.sms.answer(503);
    const id = await fixture.send({ to: { phone_number: fixture.phone }, providers: { http: withKey(secret) }, ...by('sms') });
    const delay = { until: new Date(Date.now() + WAITING_MS).toISOString() };
    const waiting = await fixture.send({ to: { phone_number: fixture.phone }, channels: { sms: withKey(later) }, delay, ...by('sms') });
    await textsOf(secret, 1);
    await fixture.once('DELAYED', waiting);
    await expectNotStored(secret, id);
    await expectNotStored(later, waiting);

    await system.kill();
    fixture.acceptTexts(); // accepts before the next attempt: after several attempts the backoff is minutes
    await system.restart();
    await fixture.once('SENT', id);
    const { messageId: again } = await fixture.call<{ messageId: string }>('POST', `/messages/${id}/resend`);
    await fixture.once('SENT', again);
    await fixture.once('SENT', waiting);

    expect(texts(secret)).toBeGreaterThanOrEqual(3);
    expect(texts(later)).toBeGreaterThanOrEqual(1);
    await expectNotStored(secret, again);
    await expectNotStored(later, waiting);
    const hidden = { config: { authorization: '***' }, headers: { 'x-key': '***' } };
    expect((await fixture.client.history(again))[0]).toMatchObject({ override: { http: hidden } });
  });

  it('reach every message of a request, of a bulk job and of the older send form, and are not stored', async () => {
    const [secret, marker] = [drawn(), drawn()];
    const users = await Promise.all(Array.from({ length: 3 }, () => fixture.user()));
    const content = { title: 'Hello', body: `A text, ${marker}.` };
    const fields = { content, providers: { http: withKey(secret) }, ...by('sms') };
    const key = { headers: { 'idempotency-key': drawn() }, body: { message: { to: users.map((user_id) => ({ user_id })), ...fields } } };
    const first = await fixture.client.request('POST', '/send', key);
    expect(await fixture.client.request('POST', '/send', key)).toMatchObject({ status: 202, body: first.body });
    await textsOf(secret, 3);

    const { jobId } = await fixture.call<{ jobId: string }>('POST', '/bulk', { message: fields });
    await fixture.call('POST', `/bulk/${jobId}`, { users: users.map((recipient) => ({ recipient })) });
    await fixture.call('POST', `/bulk/${jobId}/run`);
    const template = await fixture.template();
    const override = {
      http: { config: { authorization: `Bearer ${secret}` }, headers: { 'x-key': secret } },
      smtp: { config: { pass: secret } },
    };
    await fixture.call('POST', '/send', { event: template, recipient: users[0], override });

    await textsOf(secret, 7); // the older form's message by its second route
    const { job } = await fixture.call<{ job: { definition: object } }>('GET', `/bulk/${jobId}`);
    expect(JSON.stringify(job.definition)).toContain('***');
    expect(JSON.stringify(job.definition)).not.toContain(secret);
    await expectNotStored(secret, marker);
  });

  it('reach the provider from a routing strategy and from a template of a tenant, are shown as they were put and not stored', async () => {
    const [ours, theirs, user, tenant] = [drawn(), drawn(), await fixture.user(), fixture.name('tenant')];
    await fixture.call('PUT', `/tenants/${tenant}`, { name: tenant });
    const strategy = { name: 'S', ...by('sms'), providers: { http: withKey(ours) } };
    const { id } = await fixture.call<{ id: string }>('POST', '/routing-strategies', strategy);
    const template = await fixture.template({ routing: { strategy_id: id } });
    const content = { version: '2022-01-01', elements: [{ type: 'text', content: 'A text.' }] };
    const ofTenant = { content, channels: { sms: withKey(theirs) }, providers: {} };
    await fixture.call('PUT', `/tenants/${tenant}/templates/${template}`, { template: ofTenant, published: true });

    const first = await fixture.send({ to: { user_id: user }, content: undefined, template });
    const second = await fixture.send({ to: { user_id: user, tenant_id: tenant }, content: undefined, template });
    for (const message of [first, second]) await fixture.once('SENT', message);

    expect([texts(ours), texts(theirs)]).toEqual([1, 1]);
    expect(await fixture.call('GET', `/routing-strategies/${id}`)).toMatchObject(strategy);
    expect(await fixture.call('GET', `/tenants/${tenant}/templates/${template}`)).toMatchObject({ data: ofTenant });
    await expectNotStored(ours, first);
    await expectNotStored(theirs, second);
  });

  it('are, like all other secrets, in no data file, write-ahead log and topic', async () => {
    const { secrets, control, messageId } = await plantSecrets(fixture);
    await fixture.once('SENT', messageId);
    await fixture.until('the copy of the profile', async () => (await databaseText(system.roleUrl('audience'))).includes(control));

    const stores = await storesWith(system, [control, ...Object.values(secrets)]);
    const text = await textAtRest(system);

    expect(stores.get(control)).toEqual(storesOf(system));
    expect(text).toContain(control);
    const found = Object.entries(secrets).filter(
      ([, secret]) => stores.get(secret)!.length > 0 || text.includes(secret) || system.output.includes(secret),
    );
    expect(found.map(([name, secret]) => [name, stores.get(secret)])).toEqual([]);
  });
});
