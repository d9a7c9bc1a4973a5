import { randomBytes } from 'node:crypto';
import { Teardown } from '@tidings/runtime/teardown';
import { textAtRest } from './testing/at-rest';
import { SendingWorld } from './testing/sending-world';
import { ENVIRONMENT } from './testing/shared-system';
import { System } from './testing/system';
import { tearDown } from './testing/tear-down';

/** Longer than from a send to a kill. */
const WAITING_MS = 15_000;

describe('what a send says of credentials', () => {
  const teardown = new Teardown();
  let world: SendingWorld;

  let system: System;

  beforeAll(async () => {
    system = await System.start({ environment: ENVIRONMENT });
    teardown.add('the product', () => system.stop());
    world = await SendingWorld.start(system);
    teardown.add('the workspace', () => world.end());
  });
  beforeEach(() => world.takeTexts());
  afterAll(() => tearDown(teardown));

  const drawn = (): string => randomBytes(18).toString('hex');
  const by = (channel: string): object => ({ routing: { method: 'single', channels: [channel] } });
  const withKey = (secret: string): object => ({
    override: { config: { authorization: `Bearer ${secret}` }, headers: { 'x-key': secret } },
  });
  const texts = (secret: string): number =>
    world.sms.received.filter(({ headers }) => headers['x-key'] === secret && headers.authorization === `Bearer ${secret}`).length;
  const textsOf = (secret: string, count: number) => world.until(`${count} text messages`, () => Promise.resolve(texts(secret) >= count));

  /** `marker` stands there, so that it is known where was looked. */
  async function expectNowhere(secret: string, marker: string): Promise<void> {
    const text = await textAtRest(system);
    expect(text.includes(marker)).toBe(true);
    for (const form of [secret, Buffer.from(secret).toString('hex'), Buffer.from(secret).toString('base64')])
      expect(text.includes(form)).toBe(false);
    expect(system.output.includes(secret)).toBe(false);
  }

  it('reaches a mail server and stands nowhere', async () => {
    const [secret, to] = [drawn(), `${world.name('mail')}@example.com`];
    const providers = { smtp: { override: { config: { from_address: `${secret}@example.com` } } } };

    const id = await world.send({ to: { email: to }, providers, ...by('email') });

    await world.once('DELIVERED', id);
    const [mail] = await world.smtp.waitForMailsTo(to);
    expect(mail!.envelope.from).toBe(`${secret}@example.com`);
    await expectNowhere(secret, id);
  });

  it('stands nowhere where it cannot be followed, nor in the words that say so', async () => {
    const secret = drawn();
    const providers = { smtp: { override: { config: { host: 'mail.example.com', pass: secret } } } };

    const id = await world.send({ to: { email: 'nobody@example.com' }, providers, ...by('email') });

    const { error } = await world.once('UNDELIVERABLE', id);
    expect(error).toContain('override.config.host');
    await expectNowhere(secret, id);
  });

  it('survives kill -9 while its provider is tried, a message sent again and one that waits for its time, and stands nowhere', async () => {
    const [secret, later] = [drawn(), drawn()];
    world.sms.answer(503);
    const id = await world.send({ to: { phone_number: world.phone }, providers: { http: withKey(secret) }, ...by('sms') });
    const delay = { until: new Date(Date.now() + WAITING_MS).toISOString() };
    const waiting = await world.send({ to: { phone_number: world.phone }, channels: { sms: withKey(later) }, delay, ...by('sms') });
    await textsOf(secret, 1);
    await world.once('DELAYED', waiting);
    await expectNowhere(secret, id);
    await expectNowhere(later, waiting);

    await system.kill();
    world.takeTexts(); // taken before the next try: after several it would come minutes later
    await system.restart();
    await world.once('SENT', id);
    const { messageId: again } = await world.ask<{ messageId: string }>('POST', `/messages/${id}/resend`);
    await world.once('SENT', again);
    await world.once('SENT', waiting);

    expect(texts(secret)).toBeGreaterThanOrEqual(3);
    expect(texts(later)).toBeGreaterThanOrEqual(1);
    await expectNowhere(secret, again);
    await expectNowhere(later, waiting);
    const hidden = { config: { authorization: '***' }, headers: { 'x-key': '***' } };
    expect((await world.client.history(again))[0]).toMatchObject({ override: { http: hidden } });
  });

  it('goes with every message of a request, of a bulk job and of an older client, and stands nowhere', async () => {
    const [secret, marker] = [drawn(), drawn()];
    const users = await Promise.all(Array.from({ length: 3 }, () => world.user()));
    const content = { title: 'Hello', body: `A text, ${marker}.` };
    const said = { content, providers: { http: withKey(secret) }, ...by('sms') };
    const key = { headers: { 'idempotency-key': drawn() }, body: { message: { to: users.map((user_id) => ({ user_id })), ...said } } };
    const first = await world.client.request('POST', '/send', key);
    expect(await world.client.request('POST', '/send', key)).toMatchObject({ status: 202, body: first.body });
    await textsOf(secret, 3);

    const { jobId } = await world.ask<{ jobId: string }>('POST', '/bulk', { message: said });
    await world.ask('POST', `/bulk/${jobId}`, { users: users.map((recipient) => ({ recipient })) });
    await world.ask('POST', `/bulk/${jobId}/run`);
    const template = await world.template();
    const override = {
      http: { config: { authorization: `Bearer ${secret}` }, headers: { 'x-key': secret } },
      smtp: { config: { pass: secret } },
    };
    await world.ask('POST', '/send', { event: template, recipient: users[0], override });

    await textsOf(secret, 7); // the older client's by its second way
    const { job } = await world.ask<{ job: { definition: object } }>('GET', `/bulk/${jobId}`);
    expect(JSON.stringify(job.definition)).toContain('***');
    expect(JSON.stringify(job.definition)).not.toContain(secret);
    await expectNowhere(secret, marker);
  });
});
