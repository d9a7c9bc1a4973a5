import type { PreferenceStatus, RecipientPreferences } from '@tidings/contracts/core/preferences';
import { evaluate } from './evaluate';
import type { PreferenceInput } from './input';
import { layersOf } from './layers';

const everywhere = (status: PreferenceStatus): RecipientPreferences => ({ notifications: { shipped: { status } } });

/** Every source has a preference. */
const ALL: PreferenceInput = {
  now: 0,
  notificationId: 'shipped',
  topic: { id: 'orders', categoryId: 'shop', defaultStatus: 'OPTED_OUT' },
  userId: 'ada',
  tenant: { id: 'acme' },
  send: everywhere('OPTED_OUT'),
  choiceInTenant: { status: 'OPTED_OUT' },
  choice: { status: 'OPTED_OUT' },
  recipient: everywhere('OPTED_OUT'),
  tenantDefaults: [
    { tenant: { id: 'acme' }, status: 'OPTED_OUT' },
    { tenant: { id: 'root' }, status: 'OPTED_OUT' },
  ],
  list: { id: 'beta', preferences: everywhere('OPTED_OUT') },
  subscription: everywhere('OPTED_OUT'),
};

const sources = (input: PreferenceInput) => layersOf(input).map(({ source, name }) => (name === undefined ? source : `${source} ${name}`));

describe('the sources by precedence', () => {
  it('are all of them for a user in a tenant', () => {
    expect(sources(ALL)).toEqual([
      'send',
      'user-in-tenant acme',
      'user',
      'user',
      'tenant-default acme',
      'tenant-default root',
      'subscription beta',
      'list beta',
      'topic-default orders',
    ]);
  });

  it('have an entry under the alias of the notification', () => {
    const entry = (status: PreferenceStatus, name: string): RecipientPreferences => ({ notifications: { [name]: { status } } });
    const statusOf = (recipient: RecipientPreferences, notificationAlias?: string | null) =>
      layersOf({ ...ALL, notificationAlias, recipient }).find(({ source }) => source === 'user')?.status;
    const both = { notifications: { ...entry('OPTED_IN', 'shipped').notifications, ...entry('REQUIRED', 'ship').notifications } };

    expect(statusOf(entry('REQUIRED', 'ship'), 'ship')).toBe('REQUIRED');
    expect(statusOf(both, 'ship')).toBe('OPTED_IN');
    expect(statusOf({ notifications: { ...both.notifications, shipped: null as never } }, 'ship')).toBe('REQUIRED');
    // Without an entry the choice for the topic is the user's.
    expect(statusOf(entry('REQUIRED', 'ship'), null)).toBe('OPTED_OUT');
    expect(statusOf(entry('REQUIRED', 'ship'), 'toString')).toBe('OPTED_OUT');
  });

  it('do not include the tenant without tenant context', () => {
    expect(sources({ ...ALL, tenant: null })).toEqual(['send', 'user', 'user', 'subscription beta', 'list beta', 'topic-default orders']);
  });

  it('are the send only for an address without user', () => expect(sources({ ...ALL, userId: null })).toEqual(['send']));

  it('are the map forms’ entries for the notification only, without a topic', () => {
    expect(sources({ ...ALL, topic: null })).toEqual(['send', 'user', 'subscription beta', 'list beta']);
  });

  it('count each as soon as those above are absent', () => {
    let input = ALL;
    const rules = [];
    for (const field of ['send', 'choiceInTenant', 'recipient', 'choice', 'tenantDefaults', 'subscription', 'list', 'topic'] as const) {
      rules.push(evaluate(input).rule);
      input = { ...input, [field]: null };
    }
    expect(rules).toEqual([
      'preferences given with the send',
      'own choice of user ada in tenant acme',
      'own choice of user ada',
      'own choice of user ada',
      'default of tenant acme',
      'subscription of user ada to list beta',
      'preferences of list beta',
      'default of topic orders',
    ]);
    expect(evaluate(input).send).toBe(true);
  });
});

describe('the map form', () => {
  const noPreferences: PreferenceInput = { now: 0, notificationId: 'shipped', topic: { id: 'orders', categoryId: 'shop' }, userId: 'ada' };
  const isSent = (recipient: unknown, more?: Partial<PreferenceInput>) =>
    evaluate({ ...noPreferences, recipient: recipient as RecipientPreferences, ...more }).send;
  const IN = { status: 'OPTED_IN' };
  const OUT = { status: 'OPTED_OUT' };

  it('prefers the notification to its topic, the topic to its category', () => {
    expect(isSent({ notifications: { shipped: IN }, categories: { orders: OUT } })).toBe(true);
    expect(isSent({ notifications: { shipped: OUT }, categories: { orders: IN } })).toBe(false);
    expect(isSent({ categories: { orders: IN, shop: OUT } })).toBe(true);
    expect(isSent({ categories: { shop: OUT } })).toBe(false);
  });

  it('ranks its notifications above the choice for the topic, and its categories below', () => {
    expect(isSent({ notifications: { shipped: IN } }, { choice: { status: 'OPTED_OUT' } })).toBe(true);
    expect(isSent({ categories: { orders: OUT } }, { choice: { status: 'OPTED_IN' } })).toBe(true);
  });

  it('does not apply to other notifications and topics', () => {
    expect(isSent({ notifications: { orders: OUT, other: OUT }, categories: { shipped: OUT, other: OUT } })).toBe(true);
  });

  it('has no entries under inherited property names', () => {
    const id = 'constructor';
    expect(isSent({ notifications: {}, categories: {} }, { notificationId: id, topic: { id, categoryId: '__proto__' } })).toBe(true);
  });

  it('ignores unknown and invalid parts', () => {
    const strange = [
      null,
      7,
      'OPTED_OUT',
      [],
      { status: 'no' },
      { status: null, rules: 'x', channel_preferences: {} },
      { rules: [null, 3] },
    ];
    for (const details of strange) expect(isSent({ notifications: { shipped: details }, categories: details })).toBe(true);
    for (const recipient of ['x', 3, [], { notifications: 'shipped' }]) expect(isSent(recipient)).toBe(true);
  });
});
