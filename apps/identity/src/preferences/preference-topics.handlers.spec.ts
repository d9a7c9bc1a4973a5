import { randomUUID } from 'node:crypto';
import { NESTING_DEPTH_MAX } from '@tidings/contracts/core/text';
import { preferenceSections } from '@tidings/contracts/identity/preference-sections';
import {
  preferenceTopics,
  TOPIC_DATA_BYTES_MAX,
  type TopicFields,
  TOPICS_PER_SECTION_MAX,
  TOPICS_PER_WORKSPACE_MAX,
} from '@tidings/contracts/identity/preference-topics';
import { buildTopic } from '../testing/build-topic';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const ISO = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const FIELDS: TopicFields = {
  name: 'Order updates',
  default_status: 'OPTED_OUT',
  allowed_preferences: ['snooze', 'channel_preferences'],
  description: 'The state of an order',
  include_unsubscribe_header: true,
  routing_options: ['email', 'push'],
  topic_data: { icon: 'box', order: [1, { deep: null }] },
};

async function workspace() {
  const context = contextOf(randomUUID());
  const { id: section_id } = await call(preferenceSections.create, context, { name: 'Orders' });
  return { context, section_id };
}

describe('a topic', () => {
  it('is returned as it was created, by creating, getting and listing', async () => {
    const { context, section_id } = await workspace();

    const made = await call(preferenceTopics.create, context, { section_id, ...FIELDS });

    expect(made).toEqual({
      id: expect.stringMatching(/^tpc_[\w-]{20}$/) as string,
      ...FIELDS,
      created: expect.stringMatching(ISO) as string,
      updated: made.created,
    });
    await expect(call(preferenceTopics.retrieve, context, { section_id, topic_id: made.id })).resolves.toEqual(made);
    await expect(call(preferenceTopics.list, context, { section_id })).resolves.toEqual({ results: [made] });
  });

  it('requires a name and a default only; null counts as absent', async () => {
    const { context, section_id } = await workspace();
    const nothing = {
      allowed_preferences: null,
      description: null,
      include_unsubscribe_header: null,
      routing_options: null,
      topic_data: null,
      digest: null,
    };

    const made = await call(preferenceTopics.create, context, { section_id, name: 'News', default_status: 'REQUIRED', ...nothing });

    expect(made).toMatchObject({ allowed_preferences: [], include_unsubscribe_header: false, routing_options: [], topic_data: {} });
    expect(made).not.toHaveProperty('description');
  });

  it('is replaced as a whole', async () => {
    const { context, section_id } = await workspace();
    const { id: topic_id } = await call(preferenceTopics.create, context, { section_id, ...FIELDS });
    await identity.sql(
      `update preference_topics set created_at = created_at - interval '1 s', updated_at = updated_at - interval '1 s' where topic_id = $1`,
      [topic_id],
    );
    const { created } = await call(preferenceTopics.retrieve, context, { section_id, topic_id });

    const replaced = await call(preferenceTopics.replace, context, { section_id, topic_id, name: 'News', default_status: 'OPTED_IN' });

    expect(replaced).toEqual({
      id: topic_id,
      name: 'News',
      default_status: 'OPTED_IN',
      allowed_preferences: [],
      include_unsubscribe_header: false,
      routing_options: [],
      topic_data: {},
      created,
      updated: replaced.updated,
    });
    expect(replaced.updated > created).toBe(true);
    await expect(call(preferenceTopics.retrieve, context, { section_id, topic_id })).resolves.toEqual(replaced);
  });

  it('is deleted, and then not found', async () => {
    const { context, section_id } = await workspace();
    const { id: topic_id } = await call(preferenceTopics.create, context, { section_id, ...FIELDS });

    await call(preferenceTopics.remove, context, { section_id, topic_id });

    for (const attempt of [
      () => call(preferenceTopics.retrieve, context, { section_id, topic_id }),
      () => call(preferenceTopics.replace, context, { section_id, topic_id, ...FIELDS }),
      () => call(preferenceTopics.remove, context, { section_id, topic_id }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({
        code: 'not_found',
        message: `Topic ${topic_id} does not exist in section ${section_id}`,
      });
    }
  });

  it('is found in its own section alone', async () => {
    const { context } = await workspace();
    const { id: topic_id } = await buildTopic(call, context);
    const elsewhere = (await buildTopic(call, context)).section_id;

    for (const attempt of [
      () => call(preferenceTopics.retrieve, context, { section_id: elsewhere, topic_id }),
      () => call(preferenceTopics.replace, context, { section_id: elsewhere, topic_id, ...FIELDS }),
      () => call(preferenceTopics.remove, context, { section_id: elsewhere, topic_id }),
    ]) {
      await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
    }
  });

  it('requires an existing section', async () => {
    const context = contextOf(randomUUID());
    const missing = { code: 'not_found', message: 'Section sct_missing does not exist' };

    await expect(call(preferenceTopics.list, context, { section_id: 'sct_missing' })).rejects.toMatchObject(missing);
    await expect(call(preferenceTopics.create, context, { section_id: 'sct_missing', ...FIELDS })).rejects.toMatchObject(missing);
  });

  it('is refused with a digest, which is not served', async () => {
    const { context, section_id } = await workspace();

    await expect(call(preferenceTopics.create, context, { section_id, ...FIELDS, digest: { template_id: 't' } })).rejects.toMatchObject({
      code: 'not_served',
      message: 'Digests are not served: leave out digest',
    });
  });

  const nested = (depth: number): Record<string, unknown> => (depth === 0 ? {} : { a: nested(depth - 1) });
  it.each<[string, Partial<TopicFields>]>([
    ['a NUL in its name', { name: 'a\0' }],
    ['a default that does not exist', { default_status: 'MAYBE' as 'OPTED_IN' }],
    ['a preference that does not exist', { allowed_preferences: ['dance' as 'snooze'] }],
    ['a NUL in its data', { topic_data: { a: '\0' } }],
    ['a __proto__ key', { topic_data: JSON.parse('{"__proto__":{"polluted":1}}') as Record<string, unknown> }],
    ['deep nesting', { topic_data: nested(NESTING_DEPTH_MAX + 1) }],
    ['too much data', { topic_data: { a: 'x'.repeat(TOPIC_DATA_BYTES_MAX) } }],
  ])('is refused with %s', async (_, fields) => {
    const { context, section_id } = await workspace();

    await expect(call(preferenceTopics.create, context, { section_id, ...FIELDS, ...fields })).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(call(preferenceTopics.list, context, { section_id })).resolves.toEqual({ results: [] });
  });
});

describe('the bounds of a workspace', () => {
  const fill = (workspaceId: string, section_id: string, count: number) =>
    identity.sql(
      `insert into preference_topics (workspace_id, section_id, topic_id, name, default_status, allowed_preferences,
                                      include_unsubscribe_header, routing_options, topic_data, bytes)
       select $1, $2, $2 || number, 'Topic', 'OPTED_IN', '{}', false, '{}', '{}', 400 from generate_series(1, $3) number`,
      [workspaceId, section_id, count],
    );

  it('limit the number of topics in a section', async () => {
    const { context, section_id } = await workspace();
    await fill(context.workspaceId, section_id, TOPICS_PER_SECTION_MAX - 1);
    await buildTopic(call, context, { section_id });

    await expect(buildTopic(call, context, { section_id })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`at most ${TOPICS_PER_SECTION_MAX} topics in a section`) as string,
    });
  });

  it('limit the number of topics in a workspace', async () => {
    const { context, section_id } = await workspace();
    for (let filled = 0; filled < TOPICS_PER_WORKSPACE_MAX; filled += TOPICS_PER_SECTION_MAX) {
      const { id } = await call(preferenceSections.create, context, { name: 'Full' });
      await fill(context.workspaceId, id, TOPICS_PER_SECTION_MAX);
    }

    await expect(buildTopic(call, context, { section_id })).rejects.toMatchObject({
      message: expect.stringContaining(`at most ${TOPICS_PER_WORKSPACE_MAX} topics in a workspace`) as string,
    });
  });
});

it('creates no topic in a section that is deleted at the same time', async () => {
  const { context, section_id } = await workspace();

  const [made, removed] = await Promise.allSettled([
    buildTopic(call, context, { section_id }),
    call(preferenceSections.remove, context, { section_id }),
  ]);

  expect([made.status, removed.status].sort()).toEqual(['fulfilled', 'rejected']);
});

const made = new Map<string, { section_id: string; topic_id: string }>();
const last = () => [...made.values()].at(-1)!;
describeWorkspaceIsolation('a topic', {
  arrange: async (owner) => {
    const { section_id, id } = await buildTopic(call, owner);
    made.set(owner.workspaceId, { section_id, topic_id: id });
  },
  look: (owner) => call(preferenceTopics.retrieve, owner, made.get(owner.workspaceId)!),
  attempts: {
    retrieve: { attempt: (stranger) => call(preferenceTopics.retrieve, stranger, last()), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(preferenceTopics.list, stranger, { section_id: last().section_id }), refusedWith: 'not_found' },
    create: {
      attempt: (stranger) => call(preferenceTopics.create, stranger, { ...FIELDS, section_id: last().section_id }),
      refusedWith: 'not_found',
    },
    replace: { attempt: (stranger) => call(preferenceTopics.replace, stranger, { ...FIELDS, ...last() }), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => call(preferenceTopics.remove, stranger, last()), refusedWith: 'not_found' },
  },
});
