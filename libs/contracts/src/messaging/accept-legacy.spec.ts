import { acceptance, acceptBody, acceptListBody, refusalOf } from './accepting.fixture';

const SEND = { event: 'welcome', recipient: 'ada' };
const PREFERENCES = { notifications: { welcome: { status: 'OPTED_IN' } } };

it('is a send of a template to a user', () => {
  expect(acceptBody(SEND)).toEqual({
    ...acceptance,
    recipient: 'ada',
    userId: 'ada',
    profile: {},
    template: 'welcome',
    event: 'welcome',
    data: {},
    tags: [],
  });
});

it('takes every field of `profile` as profile data, whatever its name', () => {
  const profile = { email: 'ada@example.com', tenant_id: 'x', data: 'y', slack: { channel: 'C' } };

  expect(acceptBody({ ...SEND, profile, data: { n: 1 }, brand: 'b', preferences: PREFERENCES })).toMatchObject({
    userId: 'ada',
    profile,
    data: { n: 1 },
    brandId: 'b',
    preferences: PREFERENCES,
  });
});

it('overrides settings by provider and by channel, and the brand of e-mails', () => {
  const override = {
    sendgrid: { body: { subject: 'Hi' }, config: { apiKey: 'x' } },
    twilio: null,
    channel: { email: { from: 'a@b', brand: { snippets: [] } }, sms: { body: 'x' } },
    brand: { settings: { colors: { primary: '#000' } } },
  };
  const { channels, providers } = acceptBody({ ...SEND, override });

  expect(providers).toEqual({ sendgrid: { override: override.sendgrid } });
  expect(channels).toEqual({
    email: { override: { from: 'a@b', brand: { snippets: [], settings: { colors: { primary: '#000' } } } } },
    sms: { override: { body: 'x' } },
  });
});

it('treats null as absent, and prefers a message over the older fields', () => {
  expect(acceptBody({ ...SEND, profile: null, data: null, brand: null, override: null, preferences: null, message: null })).toEqual(
    acceptBody(SEND),
  );
  expect(acceptBody({ ...SEND, message: { to: { user_id: 'bo' }, template: 't' } })).toMatchObject({ userId: 'bo', template: 't' });
});

it.each<[string, object, string]>([
  ['nothing', {}, 'message is required'],
  ['a recipient without event', { recipient: 'ada' }, 'event is required'],
  ['an event without recipient', { event: 'welcome' }, 'recipient is required'],
  ['an empty recipient', { event: 'welcome', recipient: '' }, 'recipient'],
  ['an event that is an object', { ...SEND, event: {} }, 'event'],
  ['a profile that is a text', { ...SEND, profile: 'x' }, 'profile must be an object'],
  ['an invalid webhook URL', { ...SEND, profile: { webhook: { url: 'ftp://x' } } }, 'profile.webhook.url'],
  ['an e-mail address that is a number', { ...SEND, profile: { email: 7 } }, 'profile.email must be an e-mail address (got 7)'],
  ['an invalid e-mail address', { ...SEND, profile: { email: 'ada' } }, 'profile.email must be an e-mail address (got "ada")'],
  ['a profile that is too large', { ...SEND, profile: { x: 'x'.repeat(256 * 1024) } }, 'profile has'],
  ['an unknown preference status', { ...SEND, preferences: { categories: { c: { status: 'MAYBE' } } } }, 'preferences.categories.c'],
  ['an override of a provider that is a text', { ...SEND, override: { smtp: 'x' } }, 'override.smtp must be an object'],
  [
    'an override of a channel that is an array',
    { ...SEND, override: { channel: { email: [] } } },
    'override.channel.email must be an object',
  ],
  ['overrides of channels that are a number', { ...SEND, override: { channel: 1 } }, 'override.channel must be an object'],
  ['a brand that is a text', { ...SEND, override: { brand: 'x' } }, 'override.brand must be an object'],
  [
    'an attachment that is a text',
    { ...SEND, override: { smtp: { attachments: ['x'] } } },
    'override.smtp.attachments[0] must be an object',
  ],
])('refuses %s', (_, body, sentence) => {
  expect(refusalOf(() => acceptBody(body)).slice(0, sentence.length)).toBe(sentence);
});

describe('to a list', () => {
  const LIST_SEND = { event: 'welcome', list: 'a.b', data: { n: 1 } };

  it('is a send to its subscribers', () => {
    expect(acceptListBody({ ...LIST_SEND, preferences: PREFERENCES, brand: 'b', override: { smtp: { body: {} } } })).toEqual({
      ...acceptance,
      recipient: acceptance.id,
      profile: {},
      template: 'welcome',
      event: 'welcome',
      brandId: 'b',
      data: { n: 1 },
      tags: [],
      providers: { smtp: { override: { body: {} } } },
      targets: [{ kind: 'list', listId: 'a.b', preferences: PREFERENCES }],
    });
    expect(acceptListBody({ event: 'welcome', pattern: 'a.*' }).targets).toEqual([{ kind: 'pattern', pattern: 'a.*' }]);
  });

  it.each<[string, object, string]>([
    ['no list', { event: 'welcome' }, 'list or pattern is required'],
    ['list and pattern', { ...LIST_SEND, pattern: 'a.*' }, 'list and pattern are both there'],
    ['no event', { list: 'a' }, 'event is required'],
    ['a list that is a pattern', { ...LIST_SEND, list: 'a.*' }, 'list must not contain'],
    ['a pattern of everything', { event: 'welcome', pattern: '**' }, 'pattern must name a part'],
  ])('refuses %s', (_, body, sentence) => {
    expect(refusalOf(() => acceptListBody(body)).slice(0, sentence.length)).toBe(sentence);
  });
});
