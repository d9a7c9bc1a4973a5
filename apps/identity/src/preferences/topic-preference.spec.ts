import { CHANNEL_CLASSES } from '@tidings/contracts/core/channels';
import { PREFERENCE_STATUSES } from '@tidings/contracts/core/preferences';
import { CHOICES } from '@tidings/contracts/identity/user-preferences';
import { evaluate } from '@tidings/preferences/evaluate';
import fc from 'fast-check';
import type { LoadedTopic, StoredChoice, TenantDefault } from '@tidings/contracts/identity/recipients';
import { isRequired, toTopicPreference } from './topic-preference';

const channels = fc.uniqueArray(fc.constantFrom(...CHANNEL_CLASSES), { minLength: 1 });
const routing = fc.record({ has_custom_routing: fc.boolean(), custom_routing: channels });
const status = fc.constantFrom(...PREFERENCE_STATUSES);
const choice = fc.option(fc.tuple(fc.option(fc.constantFrom(...CHOICES)), routing));
const details = fc.record({ status, channel_preferences: fc.option(channels.map((names) => names.map((channel) => ({ channel })))) });

const scenario = fc.record({
  topicStatus: status,
  tenantId: fc.option(fc.constant('acme')),
  inTenant: choice,
  elsewhere: choice,
  everywhere: choice,
  tenantDefaults: fc.array(fc.tuple(status, routing), { maxLength: 3 }),
  map: fc.option(fc.dictionary(fc.constantFrom('tpc_1', 'sct_1', 'other'), details)),
});

it('shows an opt-out exactly where a send stops, and the channels that a send allows', () => {
  let stopped = 0;
  fc.assert(
    fc.property(scenario, ({ topicStatus, tenantId, inTenant, elsewhere, everywhere, tenantDefaults, map }) => {
      const topic: LoadedTopic = {
        workspace_id: 'w',
        topic_id: 'tpc_1',
        name: 'News',
        default_status: topicStatus,
        include_unsubscribe_header: false,
        section_id: 'sct_1',
        section_name: 'All',
      };
      const stored = (chosen: typeof inTenant, tenant_id: string | null): StoredChoice[] =>
        chosen ? [{ topic_id: 'tpc_1', tenant_id, status: chosen[0], ...chosen[1] }] : [];
      const choices = [...stored(elsewhere, 'elsewhere'), ...stored(everywhere, null), ...stored(inTenant, 'acme')];
      const defaults = tenantId
        ? tenantDefaults.map(([status, channels], level): TenantDefault => ({
            tenant_id: `t${level}`,
            topic_id: 'tpc_1',
            status,
            ...channels,
          }))
        : [];
      const recipient = map && { categories: map };
      const scope = { userId: 'ada', tenantId: tenantId ?? undefined };

      const shown = toTopicPreference(topic, scope, { choices, map: recipient, tenantDefaults: defaults });
      const decision = evaluate({
        now: Date.now(),
        userId: 'ada',
        topic: { id: 'tpc_1', categoryId: 'sct_1', defaultStatus: topicStatus },
        tenant: tenantId ? { id: tenantId } : null,
        choice: everywhere && { status: everywhere[0], ...everywhere[1] },
        choiceInTenant: inTenant && { status: inTenant[0], ...inTenant[1] },
        recipient,
        tenantDefaults: defaults.map(({ tenant_id, ...choice }) => ({ tenant: { id: tenant_id }, ...choice })),
      });

      expect(shown.status === 'OPTED_OUT').toBe(!decision.send);
      expect(shown.default_status === 'REQUIRED').toBe(isRequired(topic, scope, defaults));
      expect(shown.status === 'REQUIRED').toBe(shown.default_status === 'REQUIRED');
      if (decision.send) {
        expect(shown.has_custom_routing).toBe(decision.channels !== undefined);
        expect([...shown.custom_routing].sort()).toEqual([...(decision.channels ?? [])].sort());
      } else {
        stopped += 1;
      }
    }),
    { numRuns: 2_000 },
  );
  expect(stopped).toBeGreaterThan(200); // otherwise too few decisions are compared
});
