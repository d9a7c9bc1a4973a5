import { evaluate, OPT_IN_REQUIRED_ERROR, OPTED_OUT_ERROR } from './evaluate';
import type { PreferenceInput } from './input';

const NOW = Date.parse('2026-06-01T12:00:00Z');
const TOPIC = { id: 'orders', name: 'Order updates', categoryId: 'shop' };
const ADA: PreferenceInput = { now: NOW, notificationId: 'shipped', topic: TOPIC, userId: 'ada' };
const IN_ACME: PreferenceInput = { ...ADA, tenant: { id: 'acme', name: 'Acme' } };
const ACME = { id: 'acme', name: 'Acme' };
const ROOT = { id: 'root' };

const PASSES = { send: true, conditionsApply: true };
const UNSUBSCRIBED = { send: false, status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED', error: OPTED_OUT_ERROR };
const OPT_IN_REQUIRED = { send: false, status: 'UNDELIVERABLE', reason: 'OPT_IN_REQUIRED', error: OPT_IN_REQUIRED_ERROR };
const OUT = { status: 'OPTED_OUT' } as const;
const IN = { status: 'OPTED_IN' } as const;
const REQUIRED = { status: 'REQUIRED' } as const;
const map = (details: object) => ({ notifications: { shipped: details } }) as NonNullable<PreferenceInput['send']>;
const snooze = (until: unknown, start?: unknown) => map({ rules: [{ type: 'snooze', until, start }] });
const routing = (...custom_routing: string[]) => ({ has_custom_routing: true, custom_routing }) as NonNullable<PreferenceInput['choice']>;
const topicOf = (defaultStatus: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED') => ({ ...TOPIC, defaultStatus });

it('uses the documented text for an opt-out', () => expect(OPTED_OUT_ERROR).toBe('Notification opted out by user'));

describe('the decision for a message', () => {
  const cases: [string, PreferenceInput, object][] = [
    ['no preferences stored: sent', ADA, PASSES],
    ['empty input: sent', { now: NOW }, PASSES],
    ['opted in by default', { ...ADA, topic: topicOf('OPTED_IN') }, PASSES],
    ['opted in by the user against the default', { ...ADA, topic: topicOf('OPTED_OUT'), choice: IN }, PASSES],
    ['required topic: an opt-out does not count', { ...ADA, topic: topicOf('REQUIRED'), choice: OUT }, { ...PASSES, required: true }],
    ['required topic: not even one of the send', { ...ADA, topic: topicOf('REQUIRED'), send: map(OUT) }, PASSES],
    [
      'required topic: not even a tenant default',
      { ...IN_ACME, topic: topicOf('REQUIRED'), tenantDefaults: [{ tenant: ACME, ...OUT }] },
      PASSES,
    ],
    ['required topic: a snooze does not count', { ...ADA, topic: topicOf('REQUIRED'), recipient: snooze('2027-01-01') }, PASSES],
    ['required by the tenant', { ...IN_ACME, choiceInTenant: OUT, tenantDefaults: [{ tenant: ACME, ...REQUIRED }] }, PASSES],
    ['required by its parent', { ...IN_ACME, choice: OUT, tenantDefaults: [{ tenant: ROOT, ...REQUIRED }] }, PASSES],
    [
      'required by the parent, replaced by the child',
      {
        ...IN_ACME,
        choice: OUT,
        tenantDefaults: [
          { tenant: ACME, ...IN },
          { tenant: ROOT, ...REQUIRED },
        ],
      },
      UNSUBSCRIBED,
    ],
    [
      'REQUIRED as the choice of a user is an opt-in',
      { ...ADA, choice: REQUIRED, topic: topicOf('OPTED_OUT') },
      { ...PASSES, required: false },
    ],
    ['… and requires nothing', { ...ADA, choice: REQUIRED, send: map(OUT) }, UNSUBSCRIBED],
    ['opted out by the send', { ...ADA, send: map(OUT) }, { ...UNSUBSCRIBED, rule: 'preferences given with the send' }],
    ['opted out in the tenant', { ...IN_ACME, choiceInTenant: OUT }, { ...UNSUBSCRIBED, rule: 'own choice of user ada in tenant Acme' }],
    ['opted out by the user', { ...ADA, choice: OUT }, { ...UNSUBSCRIBED, rule: 'own choice of user ada' }],
    ['… in the map form', { ...ADA, recipient: map(OUT) }, { ...UNSUBSCRIBED, rule: 'own choice of user ada' }],
    [
      'opted out by the subscription',
      { ...ADA, list: { id: 'beta' }, subscription: map(OUT) },
      { ...UNSUBSCRIBED, rule: 'subscription of user ada to list beta' },
    ],
    ['… of an unnamed list', { ...ADA, subscription: map(OUT) }, { ...UNSUBSCRIBED, rule: 'subscription of user ada' }],
    [
      'opted out by the list',
      { ...ADA, list: { id: 'beta', preferences: map(OUT) } },
      { ...UNSUBSCRIBED, rule: 'preferences of list beta' },
    ],
    [
      'opted out by the tenant default alone',
      { ...IN_ACME, tenantDefaults: [{ tenant: ROOT, ...OUT }] },
      { ...OPT_IN_REQUIRED, rule: 'default of tenant root' },
    ],
    [
      'opted out by the topic default alone',
      { ...ADA, topic: topicOf('OPTED_OUT') },
      { ...OPT_IN_REQUIRED, rule: 'default of topic Order updates' },
    ],
    [
      'snoozed',
      { ...ADA, recipient: snooze('2026-06-02T00:00:00Z') },
      { ...UNSUBSCRIBED, rule: 'own choice of user ada: snoozed until 2026-06-02T00:00:00.000Z' },
    ],
    ['snoozed, though opted in higher up', { ...ADA, send: map(IN), recipient: snooze('2026-06-02') }, UNSUBSCRIBED],
    ['a higher layer without snoozes ends those below', { ...ADA, send: map({ rules: [] }), recipient: snooze('2026-06-02') }, PASSES],
    [
      'channels chosen: conditions do not apply',
      { ...ADA, choice: routing('sms', 'email') },
      { send: true, channels: ['email', 'sms'], conditionsApply: false, required: false, rule: 'own choice of user ada' },
    ],
    ['channels chosen in the map form', { ...ADA, recipient: map({ channel_preferences: [{ channel: 'push' }] }) }, { channels: ['push'] }],
    ['channels of a tenant default', { ...IN_ACME, tenantDefaults: [{ tenant: ACME, ...routing('push') }] }, { channels: ['push'] }],
    [
      'channels and status from different layers',
      { ...ADA, send: map({ channel_preferences: [{ channel: 'push' }] }), choice: OUT },
      UNSUBSCRIBED,
    ],
    [
      'required, with a choice of channels',
      { ...ADA, topic: topicOf('REQUIRED'), choice: routing('push') },
      { channels: ['push'], required: true },
    ],
    ['unknown channels are ignored', { ...ADA, choice: routing('slack', 'inbox') }, { channels: ['inbox'] }],
    ['only unknown channels: none is left', { ...ADA, choice: routing('slack') }, { channels: [] }],
    ['an empty custom_routing allows none', { ...ADA, choice: routing() }, { channels: [] }],
    [
      'the most particular choice of channels counts',
      { ...ADA, send: map({ channel_preferences: [{ channel: 'sms' }] }), choice: routing('push') },
      { channels: ['sms'] },
    ],
  ];

  it.each(cases)('%s', (_, input, outcome) => expect(evaluate(input)).toMatchObject(outcome));

  it.each<[string, PreferenceInput]>([
    ['an empty channel_preferences', { ...ADA, recipient: map({ channel_preferences: [] }) }],
    ['has_custom_routing false', { ...ADA, choice: { ...routing('push'), has_custom_routing: false } }],
    ['has_custom_routing absent', { ...ADA, choice: { custom_routing: ['push'] } }],
    ['has_custom_routing without channels', { ...ADA, choice: { has_custom_routing: true, custom_routing: null } }],
  ])('chooses no channels: %s', (_, input) => {
    expect(evaluate(input)).toMatchObject(PASSES);
    expect(evaluate(input)).not.toHaveProperty('channels');
  });
});

describe('active snoozes', () => {
  it.each([
    ['until a moment after now', '2026-06-01T12:00:00.001Z', undefined, true],
    ['until now: over', '2026-06-01T12:00:00Z', undefined, false],
    ['until a past time', '2026-05-01T00:00:00Z', undefined, false],
    ['from now', '2026-06-02', '2026-06-01T12:00:00Z', true],
    ['from later', '2026-06-02', '2026-06-01T12:00:00.001Z', false],
    ['with an offset', '2026-06-01T15:00:00+03:00', undefined, false],
    ['without an offset: UTC', '2026-06-01T12:00:01', undefined, true],
    ['start null', '2026-06-02', null, true],
    ['an invalid until', 'tomorrow', undefined, false],
    ['no until', undefined, undefined, false],
    ['an invalid start', '2026-06-02', 'now', true],
    ['a start after its end', '2026-06-02', '2026-06-03', false],
  ])('%s', (_, until, start, on) => expect(evaluate({ ...ADA, recipient: snooze(until, start) }).send).toBe(!on));

  it('counts snoozes only, and treats a rule without type as one', () => {
    const rule = { until: '2026-06-02' };
    expect(evaluate({ ...ADA, recipient: map({ rules: [{ ...rule, type: 'status' }] }) }).send).toBe(true);
    expect(evaluate({ ...ADA, recipient: map({ rules: [rule] }) }).send).toBe(false);
  });

  it('names the end of the last of several', () => {
    const rules = ['2026-06-03', '2026-06-05', '2026-06-04'].map((until) => ({ until }));
    expect(evaluate({ ...ADA, recipient: map({ rules }) }).rule).toMatch(/until 2026-06-05/);
  });
});
