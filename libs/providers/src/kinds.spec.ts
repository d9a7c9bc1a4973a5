import { PROVIDER_CHANNELS } from '@tidings/contracts/messaging/provider-names';
import { attempt, cleanUp, cleanUps, LOOPBACK } from './http/receiver.fixture';
import { TestServer } from './smtp/smtp-server.fixture';
import { kindOf, PROVIDER_KINDS } from './kinds';
import { recipientOn } from './recipient';

afterEach(cleanUp);

const smtp = kindOf('smtp')!;
const http = kindOf('http')!;
const endpoint = { channel: 'sms', url: 'https://sms.example.com/send', secret: 'sixteen characters' };

it('every kind has a key of its own, and settings that a catalog can show', () => {
  expect(new Set(PROVIDER_KINDS.map(({ key }) => key)).size).toBe(PROVIDER_KINDS.length);
  for (const { fields, channels, title, description } of PROVIDER_KINDS) {
    expect([channels.length, title, description].every(Boolean)).toBe(true);
    for (const [name, { type, values }] of Object.entries(fields)) {
      expect(name).toMatch(/^[a-z][a-z_]*$/);
      expect(values !== undefined).toBe(type === 'enum');
    }
  }
});

it('has the channels that the contracts list by provider name', () => {
  expect(PROVIDER_KINDS.map(({ key, channels }) => [key, channels])).toEqual(Object.entries(PROVIDER_CHANNELS));
});

describe('settings', () => {
  it.each([
    [smtp, {}, 'settings.host is required'],
    [smtp, { host: 'a b' }, 'settings.host must be the name'],
    [smtp, { host: 'mail.example', port: 0 }, 'settings.port must be a whole number from 1 to 65535, got 0'],
    [smtp, { host: 'mail.example', port: '25' }, 'settings.port must be a whole number'],
    [smtp, { host: 'mail.example', secure: 'yes' }, 'settings.secure must be true or false'],
    [smtp, { host: 'mail.example', user: 'u' }, 'settings.pass is required beside settings.user'],
    [smtp, { host: 'mail.example', pass: 'p' }, 'settings.user is required beside settings.pass'],
    [smtp, { host: 'mail.example', secure: true, tls: 'off' }, 'settings.tls must not be off'],
    [smtp, { host: 'mail.example', tls: 'maybe' }, 'settings.tls must be one of required, opportunistic, off'],
    [smtp, { host: 'mail.example', from_address: 'a@b.c, d@e.f' }, 'settings.from_address must be one'],
    [smtp, { host: 'mail.example', form_address: 'a@b.c' }, 'settings.form_address is not a known field: the nearest is from_address'],
    [
      smtp,
      { port: 0, tls: 'maybe', user: 'u' },
      'settings.host is required; settings.port must be a whole number from 1 to 65535, got 0; settings.tls must be one of required, opportunistic, off, got "maybe"; settings.pass is required beside settings.user',
    ],
    [smtp, { host: 'mail.example', user: 'u', pass: 7 }, /^settings\.pass must be a text of 1 to 1024 characters$/],
    [smtp, { host: 'mail\0' }, 'settings.host must not contain the character NUL'],
    [http, { ...endpoint, url: 'ftp://x/' }, 'settings.url must be a URL that begins with'],
    [http, { ...endpoint, url: 'https://u:p@x/' }, 'settings.url must not hold credentials'],
    [http, { ...endpoint, secret: 'short' }, 'settings.secret must be a text of 16 to 256 characters'],
    [http, { ...endpoint, channel: 'pigeon' }, 'settings.channel must be one of email, sms, push, direct_message, webhook'],
    [http, { ...endpoint, authorization: 'Bearer a\r\nx: y' }, 'settings.authorization must be printable'],
    [http, [], 'settings must be an object'],
    [http, null, 'settings must be an object'],
  ])('%# that are invalid are refused by name', (kind, settings, sentence) => {
    expect(() => kind.parseSettings(settings)).toThrow(sentence);
  });

  it('are never quoted in an error when secret', () => {
    const wrong = [
      { ...endpoint, secret: ['hunter2hunter2hunter2'] },
      { ...endpoint, secret: 'hunter2' },
    ];
    for (const settings of wrong) {
      let message = '';
      try {
        http.parseSettings(settings);
      } catch (error) {
        ({ message } = error as Error);
      }
      expect(message).toContain('settings.secret');
      expect(message).not.toContain('hunter2');
    }
  });

  it('of a mail server have secure defaults', () => {
    const credentials = { host: 'mail.example', user: 'shop@example.com', pass: 'p' };
    expect(smtp.parseSettings({ host: 'mail.example' })).toMatchObject({ port: 587, tls: 'opportunistic', verify: false });
    const from = { address: 'shop@example.com' };
    expect(smtp.parseSettings(credentials)).toMatchObject({ tls: 'required', verify: true, from, fromSource: 'user' });
    expect(smtp.parseSettings({ ...credentials, port: 465 })).toMatchObject({ port: 465, tls: 'implicit', verify: true });
    expect(smtp.parseSettings({ ...credentials, secure: true, port: null })).toMatchObject({ port: 465, tls: 'implicit' });
    expect(smtp.parseSettings({ host: 'localhost', port: 1025, from_address: 'Shop <shop@example.com>' })).toMatchObject({
      port: 1025,
      from: { address: 'shop@example.com', name: 'Shop' },
    });
  });
});

it('delivers through a configured mail server', async () => {
  const server = await new TestServer().start();
  cleanUps.push(() => server.stop());
  const settings = smtp.parseSettings({ host: '127.0.0.1', port: server.port, from_address: 'Shop <shop@example.com>' });
  const provider = smtp.open(settings, { guard: LOOPBACK });
  cleanUps.push(() => provider.close());
  const recipient = recipientOn('email', { profile: { email: 'jane@example.org' } })!;

  const outcome = await provider.send({ kind: 'email', email: { subject: 'Hi', text: 'Hello' } }, recipient, attempt());

  expect(outcome).toMatchObject({ kind: 'accepted', delivered: true });
  expect(server.received[0]!.mail).toMatchObject({ from: { address: 'shop@example.com', name: 'Shop' }, subject: 'Hi' });
  expect(await provider.send({ kind: 'sms', sms: { text: 'x' } }, { channel: 'sms', phone_number: '1' }, attempt())).toMatchObject({
    cause: 'permanent',
  });
});

it.each([
  [{}, 'operator@example.com'],
  [{ from_address: 'shop@example.com' }, 'shop@example.com'],
])('a mail server with %j sends as %s where the operator names a sender', async (fields, address) => {
  const server = await new TestServer().start();
  cleanUps.push(() => server.stop());
  const settings = smtp.parseSettings({ host: '127.0.0.1', port: server.port, ...fields });
  const provider = smtp.open(settings, { guard: LOOPBACK, sender: { address: 'operator@example.com', ascii: true } });
  cleanUps.push(() => provider.close());
  const recipient = recipientOn('email', { profile: { email: 'jane@example.org' } })!;

  const outcome = await provider.send({ kind: 'email', email: { subject: 'Hi', text: 'Hello' } }, recipient, attempt());

  expect(outcome).toMatchObject({ kind: 'accepted' });
  expect(server.received[0]!.mail).toMatchObject({ from: { address } });
});

it.each([
  ['email', { email: 'a@b.c' }, { channel: 'email', email: 'a@b.c' }],
  ['email', { email: '' }, undefined],
  ['email', { email: ['a@b.c'] }, undefined],
  ['sms', { phone_number: '+49151' }, { channel: 'sms', phone_number: '+49151' }],
  ['sms', { phone_number: '(030) 123-45/67.8' }, { channel: 'sms', phone_number: '(030) 123-45/67.8' }],
  ['sms', { phone_number: 49151 }, undefined],
  ['sms', { phone_number: '123' }, undefined],
  ['sms', { phone_number: '+1234567890123456' }, undefined],
  ['sms', { phone_number: 'call me: 49151' }, undefined],
  ['push', {}, undefined],
  ['push', { firebaseToken: ['f1', 'f2', 7], apn: { token: 'a1', tokens: ['a1', 'a2'] }, expo: { token: 'e1' } }, expect.anything()],
  ['direct_message', { slack: { channel: 'C' }, discord: {}, ms_teams: 'x' }, { channel: 'direct_message', slack: { channel: 'C' } }],
  ['direct_message', { slack: {} }, undefined],
  [
    'direct_message',
    { phone_number: '+49151', telegram: { chat_id: 7 } },
    { channel: 'direct_message', phone_number: '+49151', telegram: { chat_id: 7 } },
  ],
  ['direct_message', { phone_number: 'none' }, undefined],
  ['webhook', {}, { channel: 'webhook', user_id: 'ada', profile: {} }],
  ['webhook', { pagerduty: { source: 'db-7' } }, { channel: 'webhook', user_id: 'ada', profile: {}, pagerduty: { source: 'db-7' } }],
  ['pigeon', { pigeon: 'grey' }, undefined],
])('on %s, of %j, a provider needs %j', (channel, profile, needed) => {
  expect(recipientOn(channel, { userId: 'ada', profile })).toEqual(needed);
});

it.each([
  ['direct_message', { phone_number: '+49151', telegram: { chat_id: 7 } }, undefined],
  ['direct_message', { phone_number: '+49151', slack: { channel: 'C' } }, { channel: 'direct_message', slack: { channel: 'C' } }],
  ['webhook', { pagerduty: { routing_key: 'k' } }, { channel: 'webhook', profile: {} }],
  ['sms', { phone_number: '+49151' }, { channel: 'sms', phone_number: '+49151' }],
])('an endpoint of the operator gets no address of a single vendor: %s, %j', (channel, profile, reached) => {
  expect(http.recipientOf!(recipientOn(channel, { profile })!)).toEqual(reached);
});

describe('on webhook', () => {
  const profile = { plan: 'gold', webhook: { url: 'https://ada.example/hook', authentication: { mode: 'bearer', token: 't' } } };
  const received = { plan: 'gold' };

  it.each([
    [{}, received],
    [{ profile: 'limited' }, received],
    [{ profile: 'expanded' }, { plan: 'gold', zone: 'UTC' }],
  ])('posts the requested profile, without the webhook: %j', (more, posted) => {
    const merged = { ...profile, zone: 'UTC', webhook: { ...profile.webhook, ...more } };

    expect(recipientOn('webhook', { userId: 'ada', profile: merged, received: { ...received, webhook: merged.webhook } })).toEqual({
      channel: 'webhook',
      user_id: 'ada',
      profile: posted,
      webhook: profile.webhook,
    });
  });

  it('uses the configured URL without one of its own', () => {
    expect(recipientOn('webhook', { profile: { webhook: { profile: 'expanded', headers: { x: 'y' } } } })).toEqual({
      channel: 'webhook',
      profile: {},
    });
    expect(recipientOn('webhook', { profile: { webhook: null } })).toEqual({ channel: 'webhook', profile: {} });
  });

  it.each([
    'https://ada.example',
    { url: 'ftp://ada.example' },
    { url: 'https://u:p@ada.example' },
    { url: 'https://ada.example', method: 'GET' },
    { url: 'https://ada.example', headers: { x: 'a\r\nb: c' } },
    { url: 'https://ada.example', authentication: { mode: 'magic' } },
  ])('has no recipient for an invalid webhook: %j', (webhook) => {
    expect(recipientOn('webhook', { profile: { webhook } })).toBeUndefined();
  });
});

it('lists stored tokens before those of the profile, each once, without their device', () => {
  const tokens = [{ token: 'f1', provider_key: 'firebase-fcm', properties: { x: 1 }, status: 'active' }];
  const stored = tokens.map((token) => ({ ...token, device: { app_id: 'a' } }));

  expect(recipientOn('push', { tokens: stored, profile: { firebaseToken: ['f1', 'f2'], apn: 'a1' } })).toEqual({
    channel: 'push',
    tokens: [...tokens, { token: 'f2', provider_key: 'firebase-fcm' }, { token: 'a1', provider_key: 'apn' }],
  });
});
