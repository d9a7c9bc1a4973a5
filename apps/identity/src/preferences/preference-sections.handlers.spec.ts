import { randomUUID } from 'node:crypto';
import {
  PREFERENCE_PAGE_BYTES_MAX,
  preferenceSections,
  type PublishPreferences,
  SECTIONS_PER_WORKSPACE_MAX,
} from '@tidings/contracts/identity/preference-sections';
import { preferenceTopics } from '@tidings/contracts/identity/preference-topics';
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

describe('a section', () => {
  it('is returned as it was created, by creating, getting and listing', async () => {
    const context = contextOf(randomUUID());

    const made = await call(preferenceSections.create, context, {
      name: 'Orders 🙂',
      description: 'All about orders',
      has_custom_routing: true,
      routing_options: ['push', 'email', 'push'],
    });

    expect(made).toEqual({
      id: expect.stringMatching(/^sct_[\w-]{20}$/) as string,
      name: 'Orders 🙂',
      description: 'All about orders',
      has_custom_routing: true,
      routing_options: ['push', 'email'],
      topics: [],
      created: expect.stringMatching(ISO) as string,
      updated: made.created,
    });
    await expect(call(preferenceSections.retrieve, context, { section_id: made.id })).resolves.toEqual(made);
    await expect(call(preferenceSections.list, context, {})).resolves.toEqual({ results: [made] });
  });

  it('requires a name only; null counts as absent', async () => {
    const context = contextOf(randomUUID());

    const made = await call(preferenceSections.create, context, {
      name: 'Orders',
      description: null,
      has_custom_routing: null,
      routing_options: null,
    });

    expect(made).toMatchObject({ has_custom_routing: false, routing_options: [] });
    expect(made).not.toHaveProperty('description');
  });

  it('is listed with the others, the oldest first, each with its topics', async () => {
    const context = contextOf(randomUUID());
    const first = await buildTopic(call, context, { name: 'First' });
    const second = await buildTopic(call, context, { name: 'Second' });
    await buildTopic(call, context, { name: 'Third', section_id: first.section_id });

    const { results } = await call(preferenceSections.list, context, {});

    expect(results.map(({ id, topics }) => [id, topics.map(({ name }) => name)])).toEqual([
      [first.section_id, ['First', 'Third']],
      [second.section_id, ['Second']],
    ]);
  });

  it('is replaced as a whole; its topics remain', async () => {
    const context = contextOf(randomUUID());
    const { id } = await call(preferenceSections.create, context, { name: 'Orders', description: 'Old', has_custom_routing: true });
    const topic = await buildTopic(call, context, { section_id: id });
    await identity.sql(
      `update preference_sections set created_at = created_at - interval '1 s', updated_at = updated_at - interval '1 s' where section_id = $1`,
      [id],
    );
    const { created } = await call(preferenceSections.retrieve, context, { section_id: id });

    const replaced = await call(preferenceSections.replace, context, { section_id: id, name: 'Purchases' });

    expect(replaced).toMatchObject({ id, name: 'Purchases', has_custom_routing: false, created, topics: [{ id: topic.id }] });
    expect(replaced).not.toHaveProperty('description');
    expect(replaced.updated > created).toBe(true);
    await expect(call(preferenceSections.retrieve, context, { section_id: id })).resolves.toEqual(replaced);
  });

  it('is deleted once it has no topics', async () => {
    const context = contextOf(randomUUID());
    const { section_id, id: topic_id } = await buildTopic(call, context);

    await expect(call(preferenceSections.remove, context, { section_id })).rejects.toMatchObject({
      code: 'conflict',
      message: `Section ${section_id} still has topics, ${topic_id} among them: delete them first`,
    });
    await call(preferenceTopics.remove, context, { section_id, topic_id });
    await call(preferenceSections.remove, context, { section_id });

    await expect(call(preferenceSections.list, context, {})).resolves.toEqual({ results: [] });
  });

  it('is not found when it does not exist', async () => {
    const context = contextOf(randomUUID());
    const section_id = 'sct_missing';
    const missing = { code: 'not_found', message: 'Section sct_missing does not exist' };

    for (const attempt of [
      () => call(preferenceSections.retrieve, context, { section_id }),
      () => call(preferenceSections.replace, context, { section_id, name: 'Orders' }),
      () => call(preferenceSections.remove, context, { section_id }),
    ]) {
      await expect(attempt()).rejects.toMatchObject(missing);
    }
  });

  it.each([
    ['a NUL in the name', { name: 'a\0b' }],
    ['half of a surrogate pair', { name: 'a', description: '\ud800' }],
    ['an empty name', { name: '' }],
    ['a channel that does not exist', { name: 'a', routing_options: ['pigeon'] as unknown as ['push'] }],
  ])('is refused with %s', async (_, fields) => {
    const context = contextOf(randomUUID());

    await expect(call(preferenceSections.create, context, fields)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(call(preferenceSections.list, context, {})).resolves.toEqual({ results: [] });
  });
});

describe('the bounds of a workspace', () => {
  it('limit the number of sections, also for concurrent requests', async () => {
    const context = contextOf(randomUUID());
    const workspaceId = context.workspaceId;
    await identity.sql(
      `insert into preference_sections (workspace_id, section_id, name, has_custom_routing, routing_options, bytes)
       select $1, 'sct_' || number, 'Section', false, '{}', 400 from generate_series(2, $2) number`,
      [workspaceId, SECTIONS_PER_WORKSPACE_MAX],
    );

    const attempts = await Promise.allSettled(
      [1, 2, 3].map((number) => call(preferenceSections.create, context, { name: `New ${number}` })),
    );

    expect(attempts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
    expect(attempts.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: {
        code: 'invalid_request',
        message: `There may be at most ${SECTIONS_PER_WORKSPACE_MAX} sections in a workspace, this would make it ${SECTIONS_PER_WORKSPACE_MAX + 1}`,
      },
    });
  });

  it('limit the list of all sections to one answer', async () => {
    const context = contextOf(randomUUID());
    const topic_data = { text: 'x'.repeat(200_000) };
    const { section_id } = await buildTopic(call, context, { topic_data });
    for (let made = 1; made < Math.floor(PREFERENCE_PAGE_BYTES_MAX / 200_600); made += 1)
      await buildTopic(call, context, { section_id, topic_data });

    await expect(buildTopic(call, context, { section_id, topic_data })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(`at most ${PREFERENCE_PAGE_BYTES_MAX} bytes`) as string,
    });
    const { results } = await call(preferenceSections.list, context, {});
    expect(Buffer.byteLength(JSON.stringify(results))).toBeLessThan(PREFERENCE_PAGE_BYTES_MAX);
  });
});

describe('publishing', () => {
  const workspace = () => {
    const context = contextOf(randomUUID());
    return {
      publish: (request: PublishPreferences = {}) => call(preferenceSections.publish, context, request),
      page: async () =>
        (
          await identity.sql('select brand_id, heading, description from preference_pages where workspace_id = $1', [context.workspaceId])
        )[0],
    };
  };

  it('gives the page a constant id and an increasing version', async () => {
    const { publish } = workspace();

    const first = await publish();
    const second = await publish();

    expect(first).toEqual({
      page_id: expect.stringMatching(/^pge_[\w-]{20}$/) as string,
      published_at: expect.stringMatching(ISO) as string,
      published_version: Date.parse(first.published_at),
    });
    expect(second.page_id).toBe(first.page_id);
    expect(second.published_version).toBeGreaterThan(first.published_version);
  });

  it('does not change absent fields and clears fields that are null', async () => {
    const { publish, page } = workspace();
    await publish({ brand_id: 'default', heading: 'Your choice', description: 'Choose what you want' });

    await publish({ heading: null, description: 'Choose what you need' });

    await expect(page()).resolves.toEqual({ brand_id: 'default', heading: null, description: 'Choose what you need' });
  });

  it('makes twenty versions for twenty concurrent requests', async () => {
    const { publish } = workspace();

    const published = await Promise.all(Array.from({ length: 20 }, () => publish()));

    expect(new Set(published.map(({ published_version }) => published_version)).size).toBe(20);
    expect(new Set(published.map(({ page_id }) => page_id)).size).toBe(1);
  });
});

describe('the last publication', () => {
  it('is null before the first, and has the texts that count', async () => {
    const context = contextOf(randomUUID());
    expect(await call(preferenceSections.publication, context, {})).toEqual({ publication: null, removed: [] });

    await call(preferenceSections.publish, context, { brand_id: 'acme', heading: 'Yours' });
    const published = await call(preferenceSections.publish, context, { heading: null, description: 'Choose' });

    const { publication } = await call(preferenceSections.publication, context, {});
    expect(publication).toEqual({ ...published, brand_id: 'acme', description: 'Choose' });
  });

  it('has what was deleted since, the newest first', async () => {
    const context = { ...contextOf(randomUUID()), actor: { type: 'operator' as const, id: 'alice' } };
    const section = async (): Promise<string> => (await call(preferenceSections.create, context, { name: 'Orders' })).id;
    const [before, after] = [await section(), await section()];
    const topic = await buildTopic(call, context, { section_id: after });
    await call(preferenceSections.remove, context, { section_id: before });
    await call(preferenceSections.publish, context, {});

    await call(preferenceTopics.remove, context, { section_id: after, topic_id: topic.id });
    await call(preferenceSections.remove, context, { section_id: after });

    const { removed } = await call(preferenceSections.publication, context, {});
    expect(removed).toEqual([
      { kind: 'section', id: after, removed: expect.stringMatching(ISO) as string },
      { kind: 'topic', id: topic.id, removed: expect.stringMatching(ISO) as string },
    ]);
  });
});

it('creates one section for a command that is delivered twice', async () => {
  const context = contextOf(randomUUID());
  const redelivered = identity.redelivered();
  const deliver = () => redelivered(preferenceSections.create, context, { name: 'Orders' });

  const first = await deliver();

  await expect(deliver()).resolves.toEqual(first);
  expect((await call(preferenceSections.list, context, {})).results).toHaveLength(1);
});

const ids = new Map<string, string>();
const sectionOf = (): string => [...ids.values()].at(-1)!;
describeWorkspaceIsolation('a section', {
  arrange: async (owner) => void ids.set(owner.workspaceId, (await call(preferenceSections.create, owner, { name: 'Orders' })).id),
  read: (owner) => call(preferenceSections.retrieve, owner, { section_id: ids.get(owner.workspaceId)! }),
  attempts: {
    retrieve: { attempt: (stranger) => call(preferenceSections.retrieve, stranger, { section_id: sectionOf() }), refusedWith: 'not_found' },
    replace: {
      attempt: (stranger) => call(preferenceSections.replace, stranger, { section_id: sectionOf(), name: 'Mine' }),
      refusedWith: 'not_found',
    },
    remove: { attempt: (stranger) => call(preferenceSections.remove, stranger, { section_id: sectionOf() }), refusedWith: 'not_found' },
    list: { attempt: async (stranger) => (await call(preferenceSections.list, stranger, {})).results[0] },
    publish: { attempt: (stranger) => call(preferenceSections.publish, stranger, {}) },
    publication: { attempt: async (stranger) => (await call(preferenceSections.publication, stranger, {})).removed[0] },
  },
});
