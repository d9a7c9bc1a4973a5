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
const tenantDefault = fc.tuple(fc.constantFrom('acme', 'root'), choice).map(([id, said]) => ({ tenant: { id }, ...said }));

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

const holds = (property: (input: PreferenceInput) => void) => fc.assert(fc.property(inputs, property), { numRuns: 500 });

it('decides everything, the same each time, changes nothing, and says why', () => {
  holds((input) => {
    const before = JSON.stringify(input);
    const decision = evaluate(input);
    expect(evaluate(input)).toEqual(decision);
    expect(JSON.stringify(input)).toBe(before);
    expect(decision.rule).toMatch(/^(?!.*undefined).+$/);
  });
});

it('never stops what the topic requires', () => {
  holds((input) => {
    const topic = { id: 'orders', defaultStatus: 'REQUIRED' as const };
    const decision = evaluate({ ...input, userId: 'ada', topic });
    expect(decision.send && decision.required).toBe(true);
    if (!decision.send) return;
    const routed = allowedChannels(decision, ['email', 'push'], (channel) => channel === 'email');
    expect(routed.send && (!routed.channels || routed.channels.includes('email'))).toBe(true);
  });
});

it('stops an opt-out of the send wherever nothing is required', () => {
  holds((input) => {
    const send: RecipientPreferences = { notifications: { shipped: { status: 'OPTED_OUT' } } };
    const decision = evaluate({ ...input, notificationId: 'shipped', send });
    expect(decision.send ? decision.required : decision.reason).toBe(decision.send ? true : 'UNSUBSCRIBED');
  });
});

it('without tenant takes nothing from tenants, without user nothing but the send', () => {
  holds((input) => {
    const bare = { now: NOW, notificationId: input.notificationId, topic: input.topic, send: input.send };
    expect(evaluate({ ...input, userId: null })).toEqual(evaluate(bare));
    expect(evaluate({ ...input, tenant: null })).toEqual(evaluate({ ...input, tenant: null, choiceInTenant: null, tenantDefaults: null }));
  });
});

it('keeps only channels of the routing that were chosen, and conditions exactly where nothing was', () => {
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
