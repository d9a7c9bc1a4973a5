import { CHANNEL_CLASSES } from '@tidings/contracts/core/channels';
import { PREFERENCE_STATUSES, type RecipientPreferences } from '@tidings/contracts/core/preferences';
import * as fc from 'fast-check';
import { allowedChannels } from './allowed-channels';
import { evaluate } from './evaluate';
import type { PreferenceInput } from './input';

const NOW = Date.parse('2026-06-01T12:00:00Z');

const status = fc.constantFrom(...PREFERENCE_STATUSES);
const channels = fc.subarray([...CHANNEL_CLASSES, 'slack']);
const date = fc.constantFrom('2026-05-01', '2026-06-01T12:00:00Z', '2026-07-01', 'never', null, 7);
const rule = fc.record({ type: fc.constantFrom('snooze', 'status'), until: date, start: date }, { requiredKeys: [] });
const details = fc.record(
  { status, channel_preferences: channels.map((names) => names.map((channel) => ({ channel }))), rules: fc.array(rule, { maxLength: 3 }) },
  { requiredKeys: [] },
);
const entries = fc.dictionary(fc.constantFrom('shipped', 'orders', 'shop'), fc.oneof({ weight: 5, arbitrary: details }, fc.jsonValue()));
const map = fc.record({ notifications: entries, categories: entries }, { requiredKeys: [] });
const choice = fc.record({ status, has_custom_routing: fc.boolean(), custom_routing: channels }, { requiredKeys: [] });
const tenantDefault = fc.tuple(fc.constantFrom('acme', 'root'), choice).map(([id, choice]) => ({ tenant: { id }, ...choice }));

const inputs = fc.record(
  {
    now: fc.constant(NOW),
    notificationId: fc.constant('shipped'),
    topic: fc.record({ id: fc.constant('orders'), categoryId: fc.constant('shop'), defaultStatus: status }, { requiredKeys: ['id'] }),
    userId: fc.constant('ada'),
    tenant: fc.constant({ id: 'acme' }),
    send: map,
    choiceInTenant: choice,
    choice,
    recipient: map,
    tenantDefaults: fc.array(tenantDefault, { maxLength: 3 }),
    list: fc.record({ id: fc.constant('beta'), preferences: map }, { requiredKeys: ['id'] }),
    subscription: map,
  },
  { requiredKeys: ['now'] },
) as fc.Arbitrary<unknown> as fc.Arbitrary<PreferenceInput>;

const forAllInputs = (property: (input: PreferenceInput) => void) => fc.assert(fc.property(inputs, property), { numRuns: 500 });

it('decides every input deterministically, without changing it, and with a rule', () => {
  forAllInputs((input) => {
    const before = JSON.stringify(input);
    const decision = evaluate(input);
    expect(evaluate(input)).toEqual(decision);
    expect(JSON.stringify(input)).toBe(before);
    expect(decision.rule).toMatch(/^(?!.*undefined).+$/);
  });
});

it('never stops a message of a required topic', () => {
  forAllInputs((input) => {
    const topic = { id: 'orders', defaultStatus: 'REQUIRED' as const };
    const decision = evaluate({ ...input, userId: 'ada', topic });
    expect(decision.send && decision.required).toBe(true);
    if (!decision.send) return;
    const routed = allowedChannels(decision, ['email', 'push'], (channel) => channel === 'email');
    expect(routed.send && (!routed.channels || routed.channels.includes('email'))).toBe(true);
  });
});

it('stops for an opt-out of the send unless the message is required', () => {
  forAllInputs((input) => {
    const send: RecipientPreferences = { notifications: { shipped: { status: 'OPTED_OUT' } } };
    const decision = evaluate({ ...input, notificationId: 'shipped', send });
    expect(decision.send ? decision.required : decision.reason).toBe(decision.send ? true : 'UNSUBSCRIBED');
  });
});

it('ignores tenant preferences without a tenant, and all but the send without a user', () => {
  forAllInputs((input) => {
    const bare = { now: NOW, notificationId: input.notificationId, topic: input.topic, send: input.send };
    expect(evaluate({ ...input, userId: null })).toEqual(evaluate(bare));
    expect(evaluate({ ...input, tenant: null })).toEqual(evaluate({ ...input, tenant: null, choiceInTenant: null, tenantDefaults: null }));
  });
});

it('allows only chosen channels of the routing, and applies conditions exactly without a choice', () => {
  fc.assert(
    fc.property(inputs, fc.array(fc.constantFrom(...CHANNEL_CLASSES)), fc.func(fc.boolean()), (input, leaves, isRoutable) => {
      const decision = evaluate(input);
      if (!decision.send) return;
      const routed = allowedChannels(decision, leaves, isRoutable);
      if (!routed.send) return expect(routed.removed).toEqual([...new Set(leaves)]);
      expect(routed.conditionsApply).toBe(routed.channels === undefined);
      for (const channel of routed.channels ?? []) {
        expect(leaves).toContain(channel);
        expect(decision.channels).toContain(channel);
      }
    }),
    { numRuns: 500 },
  );
});
