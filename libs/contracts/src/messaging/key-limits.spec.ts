import { ServiceError } from '../core/errors';
import { validate } from '../core/validator';
import { acceptBulkMessage } from './accept-bulk';
import { acceptLegacyListSend, acceptLegacySend } from './accept-legacy';
import { acceptMessage } from './accept-message';
import { acceptance } from './accepting.fixture';
import { areSameLimits, assertWithinLimits, type KeyLimits, limitsOf } from './key-limits';
import { LegacyListSend } from './legacy-send';
import { Send } from './send';

const STORED: KeyLimits = { stored: true };
const GUESTS: KeyLimits = { recipients: ['ada', 'Ada@Example.com', '+33612345678'] };
const CONTENT = { title: 'Hello', body: 'You' };

function accept(limits: KeyLimits, body: object): unknown {
  const send = validate(Send, body);
  const limited = { ...acceptance, limits };
  return send.message ? acceptMessage(send.message, limited) : acceptLegacySend(send, limited);
}

const acceptTo = (limits: KeyLimits, to: unknown, message: object = { template: 'welcome' }): unknown =>
  accept(limits, { message: { ...message, to } });

function refusalOf(attempt: () => unknown): string {
  try {
    attempt();
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'forbidden') return error.message;
    throw error;
  }
  throw new Error('It was accepted');
}

describe('a key for stored addresses and published templates', () => {
  it.each([
    { user_id: 'ada' },
    { user_id: 'ada', locale: 'fr_FR', timezone: 'Europe/Paris', data: { a: 1 }, preferences: { notifications: {} } },
    { user_id: 'ada', context: { tenant_id: 'acme' } },
    { list_id: 'readers' },
    { list_pattern: 'team.*' },
    { audience_id: 'architects' },
    { tenant_id: 'acme', include_children: true },
    [{ user_id: 'ada' }, { list_id: 'readers' }],
  ])('sends to %j, and keeps its limits with the request', (to) => {
    expect(acceptTo(STORED, to)).toMatchObject({ template: 'welcome', limits: STORED });
  });

  it.each([
    [{ email: 'eve@example.com' }, 'the address "eve@example.com" without a user_id'],
    [{ user_id: 'ada', email: 'eve@example.com' }, 'email beside the user_id "ada"'],
    [{ user_id: 'ada', email: null }, 'email beside the user_id "ada"'],
    [{ user_id: 'ada', phone_number: '+33612345678' }, 'phone_number beside'],
    [{ user_id: 'ada', firebaseToken: 'dGhpcw' }, 'firebaseToken beside'],
    [{ user_id: 'ada', expo: { token: 'ExponentPushToken[x]' } }, 'expo beside'],
    [{ user_id: 'ada', slack: { incoming_webhook: { url: 'https://eve.example/x' } } }, 'slack beside'],
    [{ user_id: 'ada', ms_teams: { service_url: 'https://eve.example/', user_id: '29:1' } }, 'ms_teams beside'],
    [{ user_id: 'ada', webhook: { url: 'https://eve.example/x' } }, 'webhook beside'],
    [{ user_id: 'ada', name: 'Eve' }, 'name beside'],
    [[{ user_id: 'ada' }, { user_id: 'bo', email: 'eve@example.com' }], 'email beside the user_id "bo"'],
  ])('does not send to %j', (to, got) => {
    expect(refusalOf(() => acceptTo(STORED, to))).toContain(`(got ${got}`);
  });

  it.each([
    [{ content: CONTENT }, 'content'],
    [{ template: 'welcome', channels: { email: { override: { cc: 'eve@example.com' } } } }, 'channels.email.override'],
    [{ template: 'welcome', channels: { email: { override: { subject: 'x' } } } }, 'channels.email.override'],
    [{ template: 'welcome', providers: { http: { override: { url: 'https://eve.example/' } } } }, 'providers.http.override'],
  ])('does not send %j', (message, got) => {
    expect(refusalOf(() => acceptTo(STORED, { user_id: 'ada' }, message))).toContain(`(got ${got})`);
  });

  it('has the same limits in the older forms, and in bulk jobs', () => {
    const limited = { ...acceptance, limits: STORED };
    const legacy = { event: 'welcome', recipient: 'ada' };
    const override = { smtp: { bcc: 'eve@example.com' } };
    expect(accept(STORED, legacy)).toMatchObject({ userId: 'ada', limits: STORED });
    expect(refusalOf(() => accept(STORED, { ...legacy, profile: { email: 'eve@example.com' } }))).toContain('email beside');
    expect(refusalOf(() => accept(STORED, { ...legacy, override }))).toContain('providers.smtp.override');
    expect(refusalOf(() => accept(STORED, { ...legacy, override: { brand: { colors: {} } } }))).toContain('channels.email.override');
    const list = validate(LegacyListSend, { event: 'welcome', list: 'readers', override });
    expect(refusalOf(() => acceptLegacyListSend(list, limited))).toContain('providers.smtp.override');
    expect(refusalOf(() => acceptBulkMessage({ event: 'e', message: { content: CONTENT } }, limited))).toContain('(got content)');
    expect(refusalOf(() => acceptBulkMessage({ event: 'e', override }, limited))).toContain('providers.smtp.override');
  });
});

describe('a key with a guest list', () => {
  it.each([
    [{ user_id: 'ada' }, { template: 'welcome' }],
    [{ user_id: 'ada', email: 'ada@example.com', name: 'Ada' }, { content: CONTENT }],
    [{ email: 'ADA@example.com' }, { content: CONTENT }],
    [{ phone_number: '+33612345678' }, { content: CONTENT }],
    [[{ user_id: 'ada' }, { email: 'ada@example.com' }], { content: CONTENT }],
    [
      { user_id: 'ada' },
      { content: CONTENT, channels: { email: { override: { subject: 'x', from: 'b@example.com', cc: 'Ada <ada@example.com>' } } } },
    ],
    [{ user_id: 'ada' }, { content: CONTENT, channels: { push: { override: { body: 'x', data: { a: 1 } } } } }],
  ])('sends to %j %j', (to, message) => {
    expect(acceptTo(GUESTS, to, message)).toMatchObject({ limits: GUESTS });
  });

  it.each([
    [{ user_id: 'eve' }, '"eve"'],
    [{ user_id: 'Ada' }, '"Ada"'],
    [{ email: 'eve@example.com' }, '"eve@example.com"'],
    [{ user_id: 'ada', email: 'eve@example.com' }, '"eve@example.com"'],
    [{ user_id: 'ada', phone_number: '+33600000000' }, '"+33600000000"'],
    [{ user_id: 'ada', webhook: { url: 'https://eve.example/x' } }, 'an address in webhook'],
    [{ user_id: 'ada', slack: { channel: 'ada' } }, 'an address in slack'],
    [{ user_id: 'ada', apn: 'ada' }, 'an address in apn'],
    [[{ user_id: 'ada' }, { user_id: 'eve' }], '"eve"'],
    [{ list_id: 'ada' }, 'list'],
    [{ list_pattern: 'team.*' }, 'lists'],
    [{ audience_id: 'ada' }, 'audience'],
    [{ tenant_id: 'ada' }, 'tenant'],
  ])('does not send to %j', (to, got) => {
    expect(refusalOf(() => acceptTo(GUESTS, to))).toContain(`(got ${got}`);
  });

  it.each([
    [{ channels: { email: { override: { cc: 'ada@example.com, eve@example.com' } } } }, 'in channels.email.override.cc'],
    [{ channels: { email: { override: { bcc: ['ada@example.com', 'eve@example.com'] } } } }, 'in channels.email.override.bcc'],
    [{ providers: { smtp: { override: { cc: '{{data.cc}}' } } } }, 'in providers.smtp.override.cc'],
    [{ providers: { http: { override: { url: 'https://eve.example/' } } } }, 'providers.http.override.url'],
    [{ providers: { http: { override: { config: { url: 'https://eve.example/' } } } } }, 'providers.http.override.config'],
    [{ channels: { sms: { override: { body: { to: '+33600000000' } } } } }, 'channels.sms.override.body'],
    [
      { content: { version: '2022-01-01', elements: [{ type: 'channel', channel: 'sms', raw: { to: '+33600000000' } }] } },
      'raw in the content',
    ],
  ])('does not send %j', (message, got) => {
    expect(refusalOf(() => acceptTo(GUESTS, { user_id: 'ada' }, { content: CONTENT, ...message }))).toContain(got);
  });
});

describe('the limits of a caller', () => {
  it('are those of its scopes and its guest list', () => {
    expect(limitsOf({ scopes: ['*'] })).toBeUndefined();
    expect(limitsOf({ scopes: ['write:send:stored'], recipients: ['ada'] })).toEqual({ stored: true, recipients: ['ada'] });
  });

  it('are compared whatever the order', () => {
    expect(areSameLimits({ recipients: ['a', 'b'] }, { recipients: ['b', 'a'] })).toBe(true);
    expect(areSameLimits(null, undefined)).toBe(true);
    expect(areSameLimits(STORED, null)).toBe(false);
    expect(areSameLimits({ recipients: ['a'] }, { recipients: ['a', 'b'] })).toBe(false);
  });
});

it('applies again to a stored request', () => {
  const request = acceptTo(GUESTS, [{ user_id: 'ada' }, { email: 'ada@example.com' }]) as Parameters<typeof assertWithinLimits>[0];
  expect(() => assertWithinLimits(request)).not.toThrow();
  expect(() => assertWithinLimits({ ...request, limits: { recipients: ['ada'] } })).toThrow('"ada@example.com"');
});
