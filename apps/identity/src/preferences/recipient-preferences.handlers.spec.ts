import { randomUUID } from 'node:crypto';
import { type PreferenceDetails, RECIPIENT_PREFERENCES_BYTES_MAX } from '@tidings/contracts/core/preferences';
import type { PatchOperation } from '@tidings/contracts/identity/profiles';
import { recipientPreferences, type StoredRecipientPreferences } from '@tidings/contracts/identity/recipient-preferences';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { buildTopic } from '../testing/build-topic';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

function newUser(recipient_id = 'ada') {
  const context = contextOf(randomUUID());
  return {
    context,
    preferences: () => call(recipientPreferences.retrieve, context, { recipient_id }),
    replace: (maps: Partial<StoredRecipientPreferences>) => call(recipientPreferences.replace, context, { recipient_id, ...maps }),
    patch: (...patch: PatchOperation[]) => call(recipientPreferences.patch, context, { recipient_id, patch }),
  };
}

const SUCCESS = { status: 'SUCCESS' };
const OUT: PreferenceDetails = { status: 'OPTED_OUT' };
const IN: PreferenceDetails = { status: 'OPTED_IN' };

it('lists the topics as categories, with the older type names', async () => {
  const { context } = newUser();
  const offered = await buildTopic(call, context, { name: 'Offered', default_status: 'OPTED_OUT' });
  const usual = await buildTopic(call, context, { name: 'Usual', default_status: 'OPTED_IN' });
  const required = await buildTopic(call, context, { name: 'Required', default_status: 'REQUIRED' });

  await expect(call(recipientPreferences.catalogue, context, {})).resolves.toEqual({
    uncategorized: [],
    categories: [
      { id: offered.id, title: 'Offered', config: { type: 'OPT_IN' }, notifications: [] },
      { id: usual.id, title: 'Usual', config: { type: 'OPT_OUT' }, notifications: [] },
      { id: required.id, title: 'Required', config: { type: 'REQUIRED' }, notifications: [] },
    ],
  });
});

describe('the preferences of a recipient', () => {
  it('are empty where none are stored', async () => {
    await expect(newUser().preferences()).resolves.toEqual({ notifications: {}, categories: {} });
  });

  it('are returned as they were put, without unknown fields', async () => {
    const ada = newUser();
    const details: PreferenceDetails = {
      status: 'OPTED_IN',
      channel_preferences: [{ channel: 'push' }],
      rules: [{ type: 'snooze', start: '2026-01-01T00:00:00+02:00', until: '2026-02-01T00:00:00Z' }, { until: '2026-02-01T00:00:00Z' }],
    };

    await expect(ada.replace({ notifications: { 'order shipped': { ...details, colour: 'red' } as PreferenceDetails } })).resolves.toEqual(
      SUCCESS,
    );

    await expect(ada.preferences()).resolves.toEqual({ notifications: { 'order shipped': details }, categories: {} });
  });

  it('are replaced as a whole', async () => {
    const ada = newUser();
    await ada.replace({ notifications: { shipped: OUT }, categories: { news: OUT } });

    await ada.replace({ categories: { orders: IN } });

    await expect(ada.preferences()).resolves.toEqual({ notifications: {}, categories: { orders: IN } });
  });

  it('are patched, also where none are stored', async () => {
    const ada = newUser();

    await expect(ada.patch({ op: 'add', path: '/categories/news', value: OUT })).resolves.toEqual(SUCCESS);
    await ada.patch(
      { op: 'replace', path: '/categories/news/status', value: 'OPTED_IN' },
      { op: 'add', path: '/notifications/n', value: OUT },
    );

    await expect(ada.preferences()).resolves.toEqual({ notifications: { n: OUT }, categories: { news: IN } });
  });

  it('contain all of twenty concurrent patches', async () => {
    const ada = newUser();

    await Promise.all(Array.from({ length: 20 }, (_, n) => ada.patch({ op: 'add', path: `/notifications/n${n}`, value: OUT })));

    expect(Object.keys((await ada.preferences()).notifications)).toHaveLength(20);
  });

  it('do not change when a patch is refused, for its steps or for its result', async () => {
    const ada = newUser();
    await ada.replace({ categories: { news: IN } });
    const status = '/categories/news/status';

    await expect(
      ada.patch({ op: 'replace', path: status, value: 'OPTED_OUT' }, { op: 'remove', path: '/categories/missing' }),
    ).rejects.toMatchObject({ code: 'invalid_request', message: 'patch[1]: remove "/categories/missing": the path does not exist' });
    await expect(ada.patch({ op: 'replace', path: status, value: 'MAYBE' })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/^categories\.news: status must be one of/) as string,
    });
    await expect(ada.patch({ op: 'replace', path: '', value: [] })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(ada.patch({ op: 'replace', path: '/categories', value: 'none' })).rejects.toMatchObject({ code: 'invalid_request' });

    await expect(ada.preferences()).resolves.toEqual({ notifications: {}, categories: { news: IN } });
  });

  it.each<[string, Record<string, unknown>]>([
    ['no object', { news: 'OPTED_IN' }],
    ['no status', { news: {} }],
    ['a rule without an end', { news: { status: 'OPTED_IN', rules: [{ type: 'snooze' }] } }],
    ['a NUL in a key', { 'a\0': IN }],
    ['a __proto__ key', JSON.parse('{"__proto__":{"status":"OPTED_IN"}}') as Record<string, unknown>],
    ['more than is stored', { ['x'.repeat(RECIPIENT_PREFERENCES_BYTES_MAX)]: IN }],
  ])('are refused with %s', async (_, categories) => {
    const ada = newUser();

    await expect(ada.replace({ categories: categories as Record<string, PreferenceDetails> })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(ada.preferences()).resolves.toEqual({ notifications: {}, categories: {} });
  });

  it('are refused with a message that names the entry', async () => {
    const messageOf = (notifications: unknown): Promise<unknown> =>
      newUser()
        .replace({ notifications: notifications as Record<string, PreferenceDetails> })
        .catch((error: Error) => error.message);

    await expect(messageOf({ x: null })).resolves.toBe('notifications.x must be an object (got null)');
    await expect(messageOf({ x: {} })).resolves.toBe('notifications.x: status is required');
    for (const until of ['2030-W18-3', '20300501', '2030-05-01T12', 'tomorrow']) {
      await expect(messageOf({ x: { status: 'OPTED_IN', rules: [{ until }] } })).resolves.toMatch(
        /^notifications\.x: rules\[0\]\.until must be an ISO/,
      );
    }
  });

  it.each(['sections', 'publish', 'logs', 'a\0b'])('are refused for the recipient %j', async (recipient_id) => {
    const { replace, patch, preferences } = newUser(recipient_id);

    for (const attempt of [() => replace({}), () => patch(), () => preferences()]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'invalid_request',
        message: expect.stringContaining('recipient_id') as string,
      });
    }
  });

  it('count in the list by section, below those for the topic', async () => {
    const { context, replace } = newUser();
    const { id: topic_id, section_id } = await buildTopic(call, context);
    const shown = async () => (await call(userPreferences.list, context, { user_id: 'ada' })).items[0]!.status;

    await replace({ categories: { [section_id]: OUT } });
    await expect(shown()).resolves.toBe('OPTED_OUT');

    await replace({ categories: { [section_id]: OUT, [topic_id]: IN } });
    await expect(shown()).resolves.toBe('OPTED_IN');
  });

  it('count in the list by topic, below the choice for the topic itself', async () => {
    const { context, replace } = newUser();
    const { id: topic_id } = await buildTopic(call, context);
    const shown = async () => (await call(userPreferences.retrieve, context, { user_id: 'ada', topic_id })).topic;

    await replace({ categories: { [topic_id]: { status: 'OPTED_OUT', channel_preferences: [{ channel: 'sms' }] } } });
    await expect(shown()).resolves.toMatchObject({ status: 'OPTED_OUT', default_status: 'OPTED_IN', custom_routing: ['sms'] });

    await call(userPreferences.put, context, { user_id: 'ada', topic_id, topic: { status: 'OPTED_IN' } });
    await expect(shown()).resolves.toMatchObject({ status: 'OPTED_IN', custom_routing: ['sms'], has_custom_routing: true });
  });
});

describeWorkspaceIsolation('preferences in the older form', {
  arrange: async (owner) => void (await call(recipientPreferences.replace, owner, { recipient_id: 'ada', categories: { news: OUT } })),
  look: (owner) => call(recipientPreferences.retrieve, owner, { recipient_id: 'ada' }),
  attempts: {
    retrieve: { attempt: (stranger) => call(recipientPreferences.retrieve, stranger, { recipient_id: 'ada' }) },
    replace: { attempt: (stranger) => call(recipientPreferences.replace, stranger, { recipient_id: 'ada', categories: {} }) },
    patch: {
      attempt: (stranger) =>
        call(recipientPreferences.patch, stranger, { recipient_id: 'ada', patch: [{ op: 'remove', path: '/categories/news' }] }),
      refusedWith: 'invalid_request',
    },
  },
});

it('refuses an opt-out of a required topic', async () => {
  const ada = newUser();
  const { id } = await buildTopic(call, ada.context, { default_status: 'REQUIRED' });
  await ada.replace({ categories: { [id]: IN } });

  const refusal = { code: 'invalid_request', message: expect.stringContaining(`topic ${id} is REQUIRED`) as string };
  await expect(ada.replace({ categories: { other: OUT, [id]: OUT } })).rejects.toMatchObject(refusal);
  await expect(ada.patch({ op: 'replace', path: `/categories/${id}/status`, value: 'OPTED_OUT' })).rejects.toMatchObject(refusal);

  await expect(ada.preferences()).resolves.toEqual({ notifications: {}, categories: { [id]: IN } });
});
