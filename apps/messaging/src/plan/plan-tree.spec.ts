import type { MessageRouting } from '@tidings/contracts/content/routing';
import type { PreferencesPass } from '@tidings/preferences/evaluate';
import { type NoRoute, planTree, type RoutableProvider, type RoutingFacts } from './plan-tree';
import type { RoutingTree } from '../record/routing-tree';

const SMTP: RoutableProvider = { id: 'p-smtp', provider: 'smtp', channel: 'email' };
const SENDGRID: RoutableProvider = { id: 'p-grid', provider: 'sendgrid', alias: 'backup', channel: 'email' };
const TWILIO: RoutableProvider = { id: 'p-sms', provider: 'twilio', channel: 'sms' };
const APN: RoutableProvider = { id: 'p-apn', provider: 'apn', channel: 'push' };
const FCM: RoutableProvider = { id: 'p-fcm', provider: 'firebase-fcm', channel: 'push' };
const ALL_PROVIDERS = [SMTP, SENDGRID, TWILIO, APN, FCM];

const PASS: PreferencesPass = { send: true, conditionsApply: true, required: false, rule: 'no preference stands against it' };
const NEEDED = { error: 'x', field: 'profile.x' };
const single = (...channels: MessageRouting['channels']): MessageRouting => ({ method: 'single', channels });
const all = (...channels: MessageRouting['channels']): MessageRouting => ({ method: 'all', channels });

const plan = (routing: MessageRouting, facts: Partial<RoutingFacts> = {}): RoutingTree | NoRoute =>
  planTree({
    routing,
    channels: {},
    providers: {},
    configured: ALL_PROVIDERS,
    preferences: PASS,
    since: 1_000,
    isMet: (condition) => condition === 'true',
    lacks: () => undefined,
    ...facts,
  });

/** A tree as provider ids in the shape of its nodes. */
function shown(tree: RoutingTree | NoRoute): unknown {
  if ('reason' in tree) return tree;
  const node = (one: RoutingTree['root']): unknown =>
    typeof one === 'number' ? tree.leaves[one]!.integration : { [one.method]: one.of.map(node) };
  return node(tree.root);
}

describe('planTree', () => {
  it.each<[string, MessageRouting, Partial<RoutingFacts>, unknown]>([
    ['a channel with its providers in order', single('email'), {}, { single: ['p-smtp', 'p-grid'] }],
    ['a channel of one provider as a leaf', single('sms'), {}, 'p-sms'],
    ['channels in order', single('sms', 'email'), {}, { single: ['p-sms', { single: ['p-smtp', 'p-grid'] }] }],
    ['every channel of an `all` routing', all('sms', 'email'), {}, { all: ['p-sms', { single: ['p-smtp', 'p-grid'] }] }],
    ['every provider of push', single('push'), {}, { all: ['p-apn', 'p-fcm'] }],
    [
      'every provider of push although its settings have the method `single`',
      single('push'),
      { channels: { push: { routing_method: 'single' } } },
      { all: ['p-apn', 'p-fcm'] },
    ],
    [
      'every provider of a channel whose settings have the method `all`',
      single('email'),
      { channels: { email: { routing_method: 'all' } } },
      { all: ['p-smtp', 'p-grid'] },
    ],
    [
      'nested routings',
      all('sms', single('push', 'email')),
      {},
      { all: ['p-sms', { single: [{ all: ['p-apn', 'p-fcm'] }, { single: ['p-smtp', 'p-grid'] }] }] },
    ],
    ['a nested routing of one route as that route', all(single(single('sms'))), {}, 'p-sms'],
    ['a provider named by its key', single('sendgrid', 'smtp'), {}, { single: ['p-grid', 'p-smtp'] }],
    ['a provider named by its alias', single('backup'), {}, 'p-grid'],
    ['a provider named by its id', single('p-apn'), {}, 'p-apn'],
    [
      'providers in the order of an allow-list',
      single('email'),
      { channels: { email: { providers: ['sendgrid', 'smtp'] } } },
      { single: ['p-grid', 'p-smtp'] },
    ],
    ['only the providers of an allow-list', single('email'), { channels: { email: { providers: ['backup'] } } }, 'p-grid'],
    [
      'each provider of an allow-list once, also under several names',
      single('email'),
      { channels: { email: { providers: ['backup', 'sendgrid', 'p-grid'] } } },
      'p-grid',
    ],
    [
      'only providers of the own channel of an allow-list',
      single('email'),
      { channels: { email: { providers: ['twilio', 'smtp'] } } },
      'p-smtp',
    ],
    [
      'the allow-list, method and condition of the long form instead of the settings',
      single({ channel: 'email', providers: ['sendgrid', { name: 'smtp' }], method: 'all', if: 'true' }),
      { channels: { email: { providers: ['smtp'], if: 'false' } } },
      { all: ['p-grid', 'p-smtp'] },
    ],
    [
      'providers with empty conditions',
      all({ channel: 'email', providers: [{ name: 'smtp', if: '' }], if: '' }, 'twilio'),
      { channels: { sms: { if: '' } }, providers: { twilio: { if: '' }, smtp: { if: '' } } },
      { all: ['p-smtp', 'p-sms'] },
    ],
    [
      'providers of the long form whose own condition is true',
      single({
        channel: 'email',
        providers: [
          { name: 'backup', if: 'false' },
          { name: 'smtp', if: 'true' },
        ],
      }),
      {},
      'p-smtp',
    ],
    [
      'a provider that is listed twice, where one entry allows it',
      single({ channel: 'email', providers: [{ name: 'sendgrid', if: 'false' }, 'backup'] }),
      {},
      'p-grid',
    ],
    [
      'the next provider where the recipient lacks an address for the first',
      single('email'),
      { lacks: (_channel, { id }) => (id === 'p-smtp' ? NEEDED : undefined) },
      'p-grid',
    ],
    ['no channel without a configured provider', single('inbox', 'sms'), {}, 'p-sms'],
    ['no channel whose condition is false', single('email', 'sms'), { channels: { email: { if: 'false' } } }, 'p-sms'],
    ['no provider whose condition is false', single('email'), { providers: { smtp: { if: 'false' } } }, 'p-grid'],
    [
      'conditions of providers by alias or id',
      all('email'),
      { providers: { backup: { if: 'false' }, 'p-smtp': { if: 'true' } } },
      'p-smtp',
    ],
    [
      'the condition of the channel also for a provider named directly',
      single('smtp', 'sms'),
      { channels: { email: { if: 'false' } } },
      'p-sms',
    ],
    [
      'only channels that the user chose, in the order of the routing',
      single('email', 'sms', 'push'),
      { preferences: { ...PASS, channels: ['push', 'sms'], conditionsApply: false } },
      { single: ['p-sms', { all: ['p-apn', 'p-fcm'] }] },
    ],
    [
      'channels that the user chose, whatever their conditions',
      single('email', 'sms'),
      { preferences: { ...PASS, channels: ['sms'], conditionsApply: false }, channels: { sms: { if: 'false' } } },
      'p-sms',
    ],
    [
      'all channels of a required message whose chosen channels are not in the routing',
      single('email', 'sms'),
      { preferences: { ...PASS, channels: ['inbox'], conditionsApply: false, required: true } },
      { single: [{ single: ['p-smtp', 'p-grid'] }, 'p-sms'] },
    ],
    [
      'all reachable channels of a required message whose chosen channels cannot be reached',
      single('email', 'sms'),
      {
        preferences: { ...PASS, channels: ['sms'], conditionsApply: false, required: true },
        lacks: (channel) => (channel === 'sms' ? NEEDED : undefined),
      },
      { single: ['p-smtp', 'p-grid'] },
    ],
  ])('plans %s', (_rule, routing, facts, expected) => {
    expect(shown(plan(routing, facts))).toEqual(expected);
  });

  it('plans waiting leaves with the time limit of the message', () => {
    expect(plan(single('email'), { since: 42 })).toMatchObject({ states: ['waiting', 'waiting'], startedAt: [null, null], since: 42 });
  });
});

describe('planTree without a route', () => {
  it.each<[string, MessageRouting, Partial<RoutingFacts>, Partial<NoRoute>]>([
    ['an empty routing', single(), {}, { reason: 'NO_CHANNELS', error: 'The routing names no channel' }],
    ['no provider at all', single('email'), { configured: [] }, { reason: 'NO_PROVIDERS', error: 'No providers added' }],
    [
      'no provider of the channels',
      single('inbox', 'webhook'),
      {},
      { reason: 'NO_PROVIDERS', error: 'No provider is configured for inbox, webhook' },
    ],
    ['an unknown name', single('carrier-pigeon'), {}, { reason: 'NO_PROVIDERS', error: 'No provider is configured for carrier-pigeon' }],
    [
      'an allow-list of unknown providers',
      single('email'),
      { channels: { email: { providers: ['mailgun'] } } },
      { reason: 'NO_PROVIDERS', error: 'No provider is configured for email (of its providers mailgun)' },
    ],
    [
      'an empty allow-list',
      single('email'),
      { channels: { email: { providers: [] } } },
      { reason: 'NO_PROVIDERS', error: 'No provider is configured for email (of its providers none)' },
    ],
    [
      'missing addresses of the recipient',
      single('email', 'sms'),
      { lacks: (channel) => ({ ...NEEDED, error: `${channel} needs something` }) },
      { reason: 'NO_PROVIDERS', error: 'No provider can reach this recipient: email needs something, sms needs something' },
    ],
    [
      'missing addresses of the recipient and missing providers',
      single('inbox', 'sms'),
      { lacks: () => ({ ...NEEDED, error: 'sms needs something' }) },
      {
        reason: 'NO_PROVIDERS',
        error: 'No provider can reach this recipient: sms needs something; no provider is configured for inbox',
      },
    ],
    [
      'a condition, before all other reasons',
      single('email', 'sms', 'inbox'),
      { channels: { email: { if: 'false' } }, lacks: (channel) => (channel === 'sms' ? NEEDED : undefined) },
      { reason: 'FILTERED', error: 'The conditions of email are not met' },
    ],
    [
      'several conditions',
      all('email', 'sms'),
      { channels: { email: { if: 'false' }, sms: { if: 'false' } } },
      { reason: 'FILTERED', error: 'The conditions of email, sms are not met' },
    ],
    [
      'a choice of other channels, with each removed channel once',
      all('email', 'sms', 'smtp'),
      { preferences: { ...PASS, channels: ['push'], conditionsApply: false, rule: 'own choice of user ada' } },
      { reason: 'UNSUBSCRIBED', removed: ['email', 'sms'], rule: 'own choice of user ada' },
    ],
    [
      'more names than an error lists',
      single('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      {},
      { error: 'No provider is configured for a, b, c, d, e and 2 more' },
    ],
  ])('gives the reason for %s', (_cause, routing, facts, expected) => {
    expect(plan(routing, facts)).toMatchObject(expected);
  });
});
