import { randomUUID } from 'node:crypto';
import { type ListPreferenceLogs, preferenceLogs } from '@tidings/contracts/identity/preference-logs';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { buildTopic } from '../testing/build-topic';
import { newPreferenceUser } from '../testing/preference-user';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { PreferenceLogRetention } from './preference-log-retention';

let identity: RunningIdentity;
beforeAll(async () => {
  identity = await sharedIdentity();
});

type User = ReturnType<typeof newPreferenceUser>;
const page = (context: User['context'], request: ListPreferenceLogs = {}) => identity.call(preferenceLogs.list, context, request);
const logs = async ({ context }: Pick<User, 'context'>, request: ListPreferenceLogs = {}) => (await page(context, request)).items;

describe('the log of preferences', () => {
  it('has each change by a client, the newest first, with the choice before', async () => {
    const ada = newPreferenceUser(identity);
    const topic = await ada.topic('OPTED_IN', 'News');
    await ada.put(topic.id, { status: 'OPTED_OUT' });
    await ada.put(topic.id, { status: 'OPTED_IN', custom_routing: ['sms'] }, 'acme');
    await ada.put(topic.id, { status: 'OPTED_IN' });
    await ada.remove(topic.id);

    const common = { id: expect.any(String) as string, user_id: 'ada', topic_id: topic.id, topic_name: 'News', source: 'api' };
    const timestamp = expect.stringMatching(/^\d{4}-.*Z$/) as string;
    const any = { has_custom_routing: false, custom_routing: [] };
    expect(await logs(ada)).toEqual([
      { ...common, timestamp, status: 'OPTED_IN', ...any, previous: { status: 'OPTED_IN', ...any } },
      { ...common, timestamp, status: 'OPTED_IN', ...any, previous: { status: 'OPTED_OUT', ...any } },
      { ...common, timestamp, status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['sms'], tenant_id: 'acme' },
      { ...common, timestamp, status: 'OPTED_OUT', ...any },
    ]);
  });

  it('has nothing of writes that change nothing, are refused, or remove nothing', async () => {
    const ada = newPreferenceUser(identity);
    const [topic, required] = [await ada.topic(), await ada.topic('REQUIRED')];
    await ada.put(topic.id, { status: 'OPTED_OUT' });
    await ada.put(topic.id, { status: 'OPTED_OUT' });
    await ada.remove(required.id);
    await ada.upsert([{ topic_id: topic.id, status: 'OPTED_OUT' }]);
    await expect(ada.put(required.id, { status: 'OPTED_OUT' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.replace([{ topic_id: required.id, status: 'OPTED_OUT' }])).rejects.toMatchObject({ code: 'invalid_request' });

    expect(await logs(ada)).toHaveLength(1);
  });

  it('has what a replacement stores and what it deletes', async () => {
    const ada = newPreferenceUser(identity);
    const [first, second] = [await ada.topic('OPTED_OUT', 'First'), await ada.topic('OPTED_IN', 'Second')];
    await ada.put(first.id, { status: 'OPTED_IN' });
    await ada.replace([{ topic_id: second.id, status: 'OPTED_OUT' }]);

    expect((await logs(ada)).map(({ topic_name, status, previous }) => [topic_name, status, previous?.status])).toEqual([
      ['Second', 'OPTED_OUT', undefined],
      ['First', 'OPTED_OUT', 'OPTED_IN'],
      ['First', 'OPTED_IN', undefined],
    ]);
  });

  it('is filtered by user, tenant and time', async () => {
    const ada = newPreferenceUser(identity);
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT' });
    await ada.put(id, { status: 'OPTED_OUT' }, 'acme');
    const [inAcme, general] = await logs(ada);

    expect(await logs(ada, { user_id: 'ada' })).toHaveLength(2);
    expect(await logs(ada, { user_id: 'bob' })).toEqual([]);
    expect(await logs(ada, { user_id: 'ada', tenant_id: 'acme' })).toEqual([inAcme]);
    expect(await logs(ada, { since: general!.timestamp })).toHaveLength(2);
    expect(await logs(ada, { since: '2999-01-01' })).toEqual([]);
    await expect(page(ada.context, { tenant_id: 'acme' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is paged without a loss or a repetition, 25 on a page', async () => {
    const context = contextOf(randomUUID());
    await identity.sql(
      `insert into identity.preference_changes (workspace_id, change_id, at, user_id, tenant_id, topic_id, topic_name, source, status,
                                                has_custom_routing, custom_routing)
       select $1, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + (n / 20) * interval '1 microsecond', 'u' || n, '', 't', 'T', 'api',
              'OPTED_IN', false, '{}'
         from generate_series(1, 60) n`,
      [context.workspaceId],
    );

    const users: string[] = [];
    const sizes: number[] = [];
    for (let cursor: string | undefined; sizes.length === 0 || cursor;) {
      const { items, paging } = await page(context, { cursor });
      users.push(...items.map(({ user_id }) => user_id));
      sizes.push(items.length);
      cursor = paging.cursor;
    }

    expect(sizes).toEqual([25, 25, 10]);
    expect(new Set(users).size).toBe(60);
    expect((await page(context, { limit: 7 })).items).toHaveLength(7);
  });

  it('loses changes when their retention ends', async () => {
    const ada = newPreferenceUser(identity);
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT' });
    await ada.put(id, { status: 'OPTED_IN' });
    const [recent, old] = await logs(ada);
    await identity.sql(`update identity.preference_changes set at = now() - interval '367 days' where change_id = $1`, [old!.id]);

    await identity.get<PreferenceLogRetention>(PreferenceLogRetention).sweep();

    expect(await logs(ada)).toEqual([recent]);
  });
});

describeWorkspaceIsolation('the log of preferences', {
  arrange: async (owner) => {
    const { id: topic_id } = await buildTopic(identity.call, owner);
    await identity.call(userPreferences.put, owner, { user_id: 'ada', topic_id, topic: { status: 'OPTED_OUT' } });
  },
  read: (owner) => logs({ context: owner }),
  attempts: { list: { attempt: (stranger) => logs({ context: stranger }) } },
});
