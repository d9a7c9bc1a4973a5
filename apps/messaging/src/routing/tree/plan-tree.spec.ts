import type { MessageRouting } from '@tidings/contracts/content/routing';
import type { PreferencesPass } from '@tidings/preferences/evaluate';
import { type NoRoute, planTree, type RoutableProvider, type RoutingFacts } from './plan-tree';
import type { RoutingTree } from './routing-tree';

const SMTP: RoutableProvider = { id: 'p-smtp', provider: 'smtp', channel: 'email' };
const SENDGRID: RoutableProvider = { id: 'p-grid', provider: 'sendgrid', alias: 'backup', channel: 'email' };
const TWILIO: RoutableProvider = { id: 'p-sms', provider: 'twilio', channel: 'sms' };
const APN: RoutableProvider = { id: 'p-apn', provider: 'apn', channel: 'push' };
const FCM: RoutableProvider = { id: 'p-fcm', provider: 'firebase-fcm', channel: 'push' };
const ALL_PROVIDERS = [SMTP, SENDGRID, TWILIO, APN, FCM];

const PASS: PreferencesPass = { send: true, conditionsApply: true, required: false, rule: 'no preference stands against it' };
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
    holds: (condition) => condition === 'true',
    lacks: () => undefined,
    ...facts,
  });

/** A tree in words: providers by id in the shape of its nodes. */
function shown(tree: RoutingTree | NoRoute): unknown {
  if ('reason' in tree) return tree;
  const node = (one: RoutingTree['root']): unknown =>
    typeof one === 'number' ? tree.leaves[one]!.integration : { [one.method]: one.of.map(node) };
  return node(tree.root);
}

describe('the ways of a routing', () => {
  it.each<[string, MessageRouting, Partial<RoutingFacts>, unknown]>([
    ['a channel is its providers in their order', single('email'), {}, { single: ['p-smtp', 'p-grid'] }],
    ['a channel of one provider is a leaf', single('sms'), {}, 'p-sms'],
    ['channels follow each other', single('sms', 'email'), {}, { single: ['p-sms', { single: ['p-smtp', 'p-grid'] }] }],
    ['of `all` each is taken', all('sms', 'email'), {}, { all: ['p-sms', { single: ['p-smtp', 'p-grid'] }] }],
    ['push is every provider', single('push'), {}, { all: ['p-apn', 'p-fcm'] }],
    [
      'push is every provider also where its settings say otherwise',
      single('push'),
      { channels: { push: { routing_method: 'single' } } },
      { all: ['p-apn', 'p-fcm'] },
    ],
    [
      'settings make a channel all of its providers',
      single('email'),
      { channels: { email: { routing_method: 'all' } } },
      { all: ['p-smtp', 'p-grid'] },
    ],
    [
      'routings stand in each other',
      all('sms', single('push', 'email')),
      {},
      { all: ['p-sms', { single: [{ all: ['p-apn', 'p-fcm'] }, { single: ['p-smtp', 'p-grid'] }] }] },
    ],
    ['an inner routing of one way is that way', all(single(single('sms'))), {}, 'p-sms'],
    ['a provider is called by its key', single('sendgrid', 'smtp'), {}, { single: ['p-grid', 'p-smtp'] }],
    ['a provider is called by its alias', single('backup'), {}, 'p-grid'],
    ['a provider is called by its id', single('p-apn'), {}, 'p-apn'],
    [
      'an allow-list is an order',
      single('email'),
      { channels: { email: { providers: ['sendgrid', 'smtp'] } } },
      { single: ['p-grid', 'p-smtp'] },
    ],
    ['an allow-list leaves out the others', single('email'), { channels: { email: { providers: ['backup'] } } }, 'p-grid'],
    [
      'an allow-list counts each provider once, whatever it is called',
      single('email'),
      { channels: { email: { providers: ['backup', 'sendgrid', 'p-grid'] } } },
      'p-grid',
    ],
    [
      'an allow-list names providers of its own channel alone',
      single('email'),
      { channels: { email: { providers: ['twilio', 'smtp'] } } },
      'p-smtp',
    ],
    [
      'the long form has an allow-list, a method and a condition of its own',
      single({ channel: 'email', providers: ['sendgrid', { name: 'smtp' }], method: 'all', if: 'true' }),
      { channels: { email: { providers: ['smtp'], if: 'false' } } },
      { all: ['p-grid', 'p-smtp'] },
    ],
    [
      'empty conditions are none',
      all({ channel: 'email', providers: [{ name: 'smtp', if: '' }], if: '' }, 'twilio'),
      { channels: { sms: { if: '' } }, providers: { twilio: { if: '' }, smtp: { if: '' } } },
      { all: ['p-smtp', 'p-sms'] },
    ],
    [
      'a provider of the long form may have a condition of its own',
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
      'a provider that is listed twice is there where one of them lets it',
      single({ channel: 'email', providers: [{ name: 'sendgrid', if: 'false' }, 'backup'] }),
      {},
      'p-grid',
    ],
    [
      'who lacks what one provider needs takes the next',
      single('email'),
      { lacks: (_channel, { id }) => (id === 'p-smtp' ? 'x' : undefined) },
      'p-grid',
    ],
    ['a channel nobody is configured for is passed over', single('inbox', 'sms'), {}, 'p-sms'],
    ['a condition on a channel takes it away', single('email', 'sms'), { channels: { email: { if: 'false' } } }, 'p-sms'],
    ['a condition on a provider takes it away', single('email'), { providers: { smtp: { if: 'false' } } }, 'p-grid'],
    [
      'a condition may stand under alias or id',
      all('email'),
      { providers: { backup: { if: 'false' }, 'p-smtp': { if: 'true' } } },
      'p-smtp',
    ],
    [
      'a condition of the channel counts for a provider called by name',
      single('smtp', 'sms'),
      { channels: { email: { if: 'false' } } },
      'p-sms',
    ],
    [
      'chosen channels alone are taken, in the order of the routing',
      single('email', 'sms', 'push'),
      { preferences: { ...PASS, channels: ['push', 'sms'], conditionsApply: false } },
      { single: ['p-sms', { all: ['p-apn', 'p-fcm'] }] },
    ],
    [
      'conditions do not count where somebody chose',
      single('email', 'sms'),
      { preferences: { ...PASS, channels: ['sms'], conditionsApply: false }, channels: { sms: { if: 'false' } } },
      'p-sms',
    ],
    [
      'a required message ignores a choice that leaves nothing',
      single('email', 'sms'),
      { preferences: { ...PASS, channels: ['inbox'], conditionsApply: false, required: true } },
      { single: [{ single: ['p-smtp', 'p-grid'] }, 'p-sms'] },
    ],
    [
      'a required message ignores a choice that cannot be reached',
      single('email', 'sms'),
      {
        preferences: { ...PASS, channels: ['sms'], conditionsApply: false, required: true },
        lacks: (channel) => (channel === 'sms' ? 'x' : undefined),
      },
      { single: ['p-smtp', 'p-grid'] },
    ],
  ])('%s', (_rule, routing, facts, expected) => {
    expect(shown(plan(routing, facts))).toEqual(expected);
  });

  it('all wait at first, and their time begins when the message’s does', () => {
    expect(plan(single('email'), { since: 42 })).toMatchObject({ states: ['waiting', 'waiting'], startedAt: [null, null], since: 42 });
  });
});

describe('no way', () => {
  it.each<[string, MessageRouting, Partial<RoutingFacts>, Partial<NoRoute>]>([
    ['an empty routing', single(), {}, { reason: 'NO_CHANNELS', error: 'The routing names no channel' }],
    ['no provider at all', single('email'), { configured: [] }, { reason: 'NO_PROVIDERS', error: 'No providers added' }],
    [
      'no provider of the channels',
      single('inbox', 'webhook'),
      {},
      { reason: 'NO_PROVIDERS', error: 'No provider is configured for inbox, webhook' },
    ],
    ['a name nobody has', single('carrier-pigeon'), {}, { reason: 'NO_PROVIDERS', error: 'No provider is configured for carrier-pigeon' }],
    [
      'an allow-list of strangers',
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
      'what the recipient lacks',
      single('email', 'sms'),
      { lacks: (channel) => `${channel} needs something` },
      { reason: 'NO_PROVIDERS', error: 'No provider can reach this recipient: email needs something, sms needs something' },
    ],
    [
      'what the recipient lacks, and what is not configured',
      single('inbox', 'sms'),
      { lacks: () => 'sms needs something' },
      {
        reason: 'NO_PROVIDERS',
        error: 'No provider can reach this recipient: sms needs something; no provider is configured for inbox',
      },
    ],
    [
      'a condition before all others',
      single('email', 'sms', 'inbox'),
      { channels: { email: { if: 'false' } }, lacks: (channel) => (channel === 'sms' ? 'x' : undefined) },
      { reason: 'FILTERED', error: 'The conditions of email are not met' },
    ],
    [
      'every condition',
      all('email', 'sms'),
      { channels: { email: { if: 'false' }, sms: { if: 'false' } } },
      { reason: 'FILTERED', error: 'The conditions of email, sms are not met' },
    ],
    [
      'a choice of none of the channels, each of which is told of once',
      all('email', 'sms', 'smtp'),
      { preferences: { ...PASS, channels: ['push'], conditionsApply: false, rule: 'own choice of user ada' } },
      { reason: 'UNSUBSCRIBED', removed: ['email', 'sms'], rule: 'own choice of user ada' },
    ],
    [
      'more than a sentence holds',
      single('a', 'b', 'c', 'd', 'e', 'f', 'g'),
      {},
      { error: 'No provider is configured for a, b, c, d, e and 2 more' },
    ],
  ])('because of %s', (_cause, routing, facts, expected) => {
    expect(plan(routing, facts)).toMatchObject(expected);
  });
});
