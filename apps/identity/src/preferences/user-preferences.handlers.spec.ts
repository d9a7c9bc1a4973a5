import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import { preferenceTopics } from '@tidings/contracts/identity/preference-topics';
import { type TopicChoice, userPreferences } from '@tidings/contracts/identity/user-preferences';
import { buildTopic } from '../testing/build-topic';
import { newPreferenceUser } from '../testing/preference-user';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const newUser = (user_id?: string) => newPreferenceUser(identity, user_id);

describe('the preferences of a user', () => {
  it('cover every topic of the workspace, the oldest first', async () => {
    const ada = newUser();
    const section = await call(preferenceSections.create, ada.context, { name: 'Orders' });
    const wanted = await buildTopic(call, ada.context, { name: 'Wanted', section_id: section.id });
    const offered = await buildTopic(call, ada.context, { name: 'Offered', default_status: 'OPTED_OUT', section_id: section.id });
    await ada.put(offered.id, { status: 'OPTED_IN', custom_routing: ['push', 'email'], has_custom_routing: true });

    const where = { section_id: section.id, section_name: 'Orders' };
    const nothing = { has_custom_routing: false, custom_routing: [] };
    await expect(call(userPreferences.list, ada.context, { user_id: 'ada' })).resolves.toEqual({
      items: [
        { topic_id: wanted.id, topic_name: 'Wanted', status: 'OPTED_IN', default_status: 'OPTED_IN', ...nothing, ...where },
        {
          topic_id: offered.id,
          topic_name: 'Offered',
          status: 'OPTED_IN',
          default_status: 'OPTED_OUT',
          has_custom_routing: true,
          custom_routing: ['push', 'email'],
          ...where,
        },
      ],
      paging: { more: false },
    });
  });

  it('are empty without topics', async () => {
    await expect(newUser().list()).resolves.toEqual([]);
  });

  it('are the same alone and in the list, for choices everywhere and in tenants', async () => {
    const ada = newUser();
    const topics = [await ada.topic('OPTED_IN'), await ada.topic('OPTED_OUT'), await ada.topic('REQUIRED')];
    await ada.tenant('acme');
    await ada.tenantDefault('acme', topics[1]!.id, 'OPTED_IN', ['sms']);
    await ada.put(topics[0]!.id, { status: 'OPTED_OUT' });
    await ada.put(topics[2]!.id, { status: 'REQUIRED', custom_routing: ['push'] }, 'acme');

    for (const tenant of [undefined, 'acme', 'nowhere']) {
      const list = await ada.list(tenant);
      expect(list).toHaveLength(3);
      for (const one of list) await expect(ada.shown(one.topic_id, tenant)).resolves.toEqual(one);
    }
  });

  it('are refused with the id of a missing topic', async () => {
    const ada = newUser();
    const missing = { code: 'not_found', message: 'Topic tpc_missing does not exist' };

    for (const attempt of [
      () => ada.shown('tpc_missing'),
      () => ada.put('tpc_missing', { status: 'OPTED_IN' }),
      () => ada.remove('tpc_missing'),
    ]) {
      await expect(attempt()).rejects.toMatchObject(missing);
    }
  });
});

describe('choosing', () => {
  it('replaces what was chosen before', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_IN', custom_routing: ['push'], has_custom_routing: true });

    await expect(ada.put(id, { status: 'OPTED_OUT' })).resolves.toEqual({ message: 'success' });

    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'OPTED_OUT', has_custom_routing: false, custom_routing: [] });
  });

  it('accepts the fields at the top level as well', async () => {
    const ada = newUser();
    const { id: topic_id } = await ada.topic();

    await call(userPreferences.put, ada.context, { user_id: 'ada', topic_id, status: 'OPTED_OUT', custom_routing: ['email'], topic: null });

    await expect(ada.shown(topic_id)).resolves.toMatchObject({ status: 'OPTED_OUT', custom_routing: ['email'] });
  });

  it('requires a status, at the top level or in `topic`', async () => {
    const ada = newUser();
    const { id: topic_id } = await ada.topic();

    await expect(call(userPreferences.put, ada.context, { user_id: 'ada', topic_id })).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'topic.status must be one of OPTED_IN, OPTED_OUT, REQUIRED',
    });
  });

  it.each<[string, Partial<TopicChoice>, object]>([
    ['channels without has_custom_routing', { custom_routing: ['sms'] }, { has_custom_routing: true, custom_routing: ['sms'] }],
    [
      'channels that do not count',
      { custom_routing: ['sms'], has_custom_routing: false },
      { has_custom_routing: false, custom_routing: [] },
    ],
    ['a channel twice', { custom_routing: ['sms', 'sms'] }, { custom_routing: ['sms'] }],
    ['an unknown channel beside a known one', { custom_routing: ['slack', 'inbox'] }, { custom_routing: ['inbox'] }],
    ['an unknown channel alone', { custom_routing: ['slack'] }, { has_custom_routing: false }],
    ['null for all', { custom_routing: null, has_custom_routing: null, digest_schedule_id: null }, { has_custom_routing: false }],
  ])('accepts %s', async (_, channels, shown) => {
    const ada = newUser();
    const { id } = await ada.topic();

    await ada.put(id, { status: 'OPTED_IN', ...channels });

    await expect(ada.shown(id)).resolves.toMatchObject(shown);
  });

  it.each([[[]], [null], [['slack']]])('refuses has_custom_routing with the channels %j', async (custom_routing) => {
    const ada = newUser();
    const { id } = await ada.topic();

    await expect(ada.put(id, { status: 'OPTED_IN', has_custom_routing: true, custom_routing })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('must name at least one of direct_message, email') as string,
    });
  });

  it('refuses a digest, which is not served', async () => {
    const ada = newUser();
    const { id } = await ada.topic();

    await expect(ada.put(id, { status: 'OPTED_IN', digest_schedule_id: 'sch_1' })).rejects.toMatchObject({ code: 'not_served' });
  });

  it('refuses an opt-out of a required topic, but accepts channels for it', async () => {
    const ada = newUser();
    const { id } = await ada.topic('REQUIRED');

    await expect(ada.put(id, { status: 'OPTED_OUT' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: `Topic ${id} is REQUIRED: users cannot opt out of it`,
    });
    await ada.put(id, { status: 'REQUIRED', custom_routing: ['push'] });

    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'REQUIRED', default_status: 'REQUIRED', custom_routing: ['push'] });
  });

  it('cannot make a topic required', async () => {
    const ada = newUser();
    const { id } = await ada.topic();

    await expect(ada.put(id, { status: 'REQUIRED' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('stores no status where only channels were chosen, so the default counts once the topic is no longer required', async () => {
    const ada = newUser();
    const { id: topic_id, section_id } = await ada.topic('REQUIRED');
    await ada.put(topic_id, { status: 'REQUIRED', custom_routing: ['push'] });

    await call(preferenceTopics.replace, ada.context, { section_id, topic_id, name: 'News', default_status: 'OPTED_OUT' });

    await expect(ada.shown(topic_id)).resolves.toMatchObject({ status: 'OPTED_OUT', custom_routing: ['push'] });
  });

  it('does not count once the topic becomes required', async () => {
    const ada = newUser();
    const { id: topic_id, section_id } = await ada.topic();
    await ada.put(topic_id, { status: 'OPTED_OUT' });

    await call(preferenceTopics.replace, ada.context, { section_id, topic_id, name: 'News', default_status: 'REQUIRED' });

    await expect(ada.shown(topic_id)).resolves.toMatchObject({ status: 'REQUIRED' });
  });

  it('is removed once; removing it again changes nothing', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT' });

    await expect(ada.remove(id)).resolves.toBeUndefined();
    await expect(ada.remove(id)).resolves.toBeUndefined();

    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'OPTED_IN' });
  });

  it('does not count once its topic is deleted', async () => {
    const ada = newUser();
    const { id: topic_id, section_id } = await ada.topic();
    await ada.put(topic_id, { status: 'OPTED_OUT' });

    await call(preferenceTopics.remove, ada.context, { section_id, topic_id });

    await expect(ada.list()).resolves.toEqual([]);
    await expect(ada.replace([])).resolves.toEqual({ items: [], deleted: [] });
  });
});

describe('in a tenant', () => {
  it('a choice counts in that tenant only, before the one that counts everywhere', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT', custom_routing: ['sms'] });
    await ada.put(id, { status: 'OPTED_IN' }, 'acme');

    await expect(ada.shown(id, 'acme')).resolves.toMatchObject({ status: 'OPTED_IN', custom_routing: ['sms'] });
    await expect(ada.shown(id, 'other')).resolves.toMatchObject({ status: 'OPTED_OUT' });
    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });

  it('removing the choice leaves the one that counts everywhere', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.put(id, { status: 'OPTED_OUT' });
    await ada.put(id, { status: 'OPTED_IN' }, 'acme');

    await ada.remove(id, 'acme');

    await expect(ada.shown(id, 'acme')).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });

  it('the default of the nearest tenant counts where nothing was chosen', async () => {
    const ada = newUser();
    const { id } = await ada.topic('OPTED_IN');
    await ada.tenant('root');
    await ada.tenant('leaf', 'root');
    await ada.tenantDefault('root', id, 'OPTED_OUT', ['email']);

    await expect(ada.shown(id, 'leaf')).resolves.toMatchObject({
      status: 'OPTED_OUT',
      default_status: 'OPTED_OUT',
      custom_routing: ['email'],
    });
    await ada.tenantDefault('leaf', id, 'OPTED_IN');
    await expect(ada.shown(id, 'leaf')).resolves.toMatchObject({
      status: 'OPTED_IN',
      default_status: 'OPTED_IN',
      custom_routing: ['email'],
    });
    await expect(ada.shown(id, 'root')).resolves.toMatchObject({ status: 'OPTED_OUT' });
    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'OPTED_IN', custom_routing: [] });

    await ada.put(id, { status: 'OPTED_OUT' });
    await expect(ada.shown(id, 'leaf')).resolves.toMatchObject({ status: 'OPTED_OUT', default_status: 'OPTED_IN' });
  });

  it('an opt-out of a topic that the tenant or an ancestor requires is refused', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.tenant('root');
    await ada.tenant('leaf', 'root');
    await ada.tenantDefault('root', id, 'REQUIRED');

    await expect(ada.put(id, { status: 'OPTED_OUT' }, 'leaf')).rejects.toMatchObject({ code: 'invalid_request' });
    await ada.put(id, { status: 'OPTED_OUT' });

    await expect(ada.shown(id, 'leaf')).resolves.toMatchObject({ status: 'REQUIRED', default_status: 'REQUIRED' });
    await expect(ada.shown(id)).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });

  it('defaults are loaded for a bounded number of levels, even in a stored circle', async () => {
    const ada = newUser();
    const { id } = await ada.topic();
    await ada.tenant('a', 'b');
    await ada.tenant('b', 'a');
    await ada.tenantDefault('b', id, 'OPTED_OUT');

    await expect(ada.shown(id, 'a')).resolves.toMatchObject({ status: 'OPTED_OUT' });
  });
});

it.each(['a\0b', 'a\ud800'])('refuses an id that cannot be stored: %j', async (bad) => {
  const ghost = newUser(bad);
  const ada = newUser();
  const { id } = await ada.topic();

  for (const attempt of [
    () => ghost.list(),
    () => ghost.put('t', { status: 'OPTED_IN' }),
    () => ghost.remove('t'),
    () => ghost.replace([]),
    () => ada.list(bad),
    () => ada.shown(bad),
    () => ada.put(id, { status: 'OPTED_IN' }, bad),
    () => ada.upsert([{ topic_id: bad, status: 'OPTED_IN' }]),
    () => ada.put(id, { status: 'OPTED_IN', custom_routing: [bad] }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'invalid_request' });
  }
});

const topics = new Map<string, string>();
const last = () => [...topics.values()].at(-1)!;
const user_id = 'ada';
describeWorkspaceIsolation('a choice', {
  arrange: async (owner) => {
    const { id: topic_id } = await buildTopic(call, owner);
    topics.set(owner.workspaceId, topic_id);
    await call(userPreferences.put, owner, { user_id, topic_id, topic: { status: 'OPTED_OUT' } });
  },
  look: (owner) => call(userPreferences.list, owner, { user_id }),
  attempts: {
    list: { attempt: (stranger) => call(userPreferences.list, stranger, { user_id }) },
    retrieve: { attempt: (stranger) => call(userPreferences.retrieve, stranger, { user_id, topic_id: last() }), refusedWith: 'not_found' },
    put: {
      attempt: (stranger) => call(userPreferences.put, stranger, { user_id, topic_id: last(), topic: { status: 'OPTED_IN' } }),
      refusedWith: 'not_found',
    },
    remove: { attempt: (stranger) => call(userPreferences.remove, stranger, { user_id, topic_id: last() }), refusedWith: 'not_found' },
    replace: { attempt: (stranger) => call(userPreferences.replace, stranger, { user_id, topics: [] }) },
    upsert: {
      attempt: (stranger) => call(userPreferences.upsert, stranger, { user_id, topics: [{ topic_id: last(), status: 'OPTED_IN' }] }),
    },
  },
});

it('refuses a digest in bulk', async () => {
  const { context } = newUser();
  const { id } = await buildTopic(call, context);
  const request = { user_id: 'ada', topics: [{ topic_id: id, status: 'OPTED_IN' as const, digest_schedule_id: 'daily' }] };

  await expect(call(userPreferences.replace, context, request)).rejects.toMatchObject({ code: 'not_served' });
  await expect(call(userPreferences.upsert, context, request)).rejects.toMatchObject({ code: 'not_served' });
});
