import { randomUUID } from 'node:crypto';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import {
  AUDIENCE_MEMBERS_PAGE_SIZE,
  type AudienceFilter,
  audiences,
  AUDIENCES_PAGE_SIZE,
  type PutAudience,
} from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';

const BOSSES: AudienceFilter = { operator: 'EQ', path: 'title', value: 'boss' };
const CLERKS: AudienceFilter = { operator: 'EQ', path: 'title', value: 'clerk' };

let instances: AudienceInstances;
let service: AudienceInstance;
const call: AudienceInstance['call'] = (...parameters) => service.call(...parameters);

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.close());

let context: CallContext;
beforeEach(() => {
  context = contextOf(randomUUID());
});

const put = (audience_id: string, fields: Omit<PutAudience, 'audience_id'>) => call(audiences.put, context, { audience_id, ...fields });
const membersOf = async (audience_id: string) => (await call(audiences.members, context, { audience_id })).items;
const eventsOf = (audienceId: string) => instances.eventsOf(context.workspaceId, audienceId);

describe('putting an audience', () => {
  it('returns and stores it as it was put', async () => {
    const { audience } = await put('staff', { id: 'staff', name: 'Staff', description: 'All of them', filter: BOSSES });

    expect(audience).toEqual({
      id: 'staff',
      name: 'Staff',
      description: 'All of them',
      filter: BOSSES,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      updated_at: audience.created_at,
    });
    await expect(call(audiences.retrieve, context, { audience_id: 'staff' })).resolves.toEqual(audience);
  });

  it('renames an audience whose filter today’s checks refuse', async () => {
    await put('staff', { filter: BOSSES });
    const rule = JSON.stringify({ operator: 'INCLUDES', path: ['bio'], values: ['a'.repeat(4_000)] });
    const filter = JSON.stringify({ operator: 'INCLUDES', path: 'bio', value: 'a'.repeat(4_000) });
    await instances.sql(service, 'update audiences set filter = $2, rule = $3 where workspace_id = $1', [
      context.workspaceId,
      filter,
      rule,
    ]);

    const { audience } = await put('staff', { name: 'Renamed' });

    expect(audience).toMatchObject({ name: 'Renamed', filter: JSON.parse(filter) as object });
    await expect(put('staff', { filter: JSON.parse(filter) as AudienceFilter })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('refuses an operator that contradicts the stored filter', async () => {
    await put('staff', { filter: { operator: 'OR', filters: [BOSSES, CLERKS] } });

    await expect(put('staff', { operator: 'AND' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(put('staff', { operator: 'OR', name: 'Staff' })).resolves.toMatchObject({ audience: { name: 'Staff', operator: 'OR' } });
  });

  it.each<[string, Omit<PutAudience, 'audience_id'>, object]>([
    ['a single condition', { filter: BOSSES }, { filter: BOSSES }],
    [
      'a group in filters',
      { filter: { operator: 'OR', filters: [BOSSES, CLERKS] } },
      { filter: { operator: 'OR', filters: [BOSSES, CLERKS] }, operator: 'OR' },
    ],
    [
      'a group in rules',
      { filter: { operator: 'AND', rules: [BOSSES, CLERKS] } },
      { filter: { operator: 'AND', rules: [BOSSES, CLERKS] }, operator: 'AND' },
    ],
    [
      'an operator beside the filter',
      { filter: { filters: [BOSSES, CLERKS] }, operator: 'OR' },
      { filter: { filters: [BOSSES, CLERKS] }, operator: 'OR' },
    ],
    ['nothing', {}, { name: '', description: '', filter: null }],
    ['nulls', { name: null, description: null, filter: null, operator: null }, { name: '', description: '', filter: null }],
    ['an unknown field', { filter: { ...BOSSES, note: 'ours' } }, { filter: { ...BOSSES, note: 'ours' } }],
  ])('returns what was put: %s', async (_, fields, echoed) => {
    await put('staff', fields);

    await expect(call(audiences.retrieve, context, { audience_id: 'staff' })).resolves.toMatchObject(echoed);
  });

  it('keeps absent fields and clears those that are null', async () => {
    await put('staff', { name: 'Staff', description: 'All', filter: { filters: [BOSSES, CLERKS] }, operator: 'OR' });

    await expect(put('staff', { name: 'Team' })).resolves.toMatchObject({
      audience: { name: 'Team', description: 'All', filter: { filters: [BOSSES, CLERKS] }, operator: 'OR' },
    });
    await expect(put('staff', { description: null, filter: null })).resolves.toMatchObject({
      audience: { name: 'Team', description: '', filter: null },
    });
  });

  it('makes a new version only when the filter’s meaning changes', async () => {
    await put('staff', { filter: BOSSES });
    await put('staff', { filter: { operator: 'AND', rules: [BOSSES] }, name: 'Spelled otherwise' });
    await put('staff', { filter: CLERKS });
    await instances.waitUntilIdle(service);

    const versions = eventsOf('staff').filter(({ type }) => type === 'audiences:updated');
    expect(versions.map(({ data }) => data)).toEqual([
      { audience_id: 'staff', audience_version: 1, filter: BOSSES },
      { audience_id: 'staff', audience_version: 2, filter: CLERKS },
    ]);
  });

  it('names the path of an error in a filter and changes nothing', async () => {
    await put('staff', { filter: BOSSES });

    const wrong = put('staff', { filter: { operator: 'AND', filters: [BOSSES, { operator: 'eq', path: 'a', value: 'b' }] } });

    await expect(wrong).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('filter.filters[1].operator') as string,
    });
    await expect(call(audiences.retrieve, context, { audience_id: 'staff' })).resolves.toMatchObject({ filter: BOSSES });
  });

  it('is applied once however often a transport delivers it', async () => {
    const redelivered = service.redelivered();
    const deliver = () => redelivered(audiences.put, context, { audience_id: 'staff', filter: BOSSES });

    const first = await deliver();
    await put('staff', { filter: CLERKS });
    const second = await deliver();

    expect(second).toEqual(first);
    await expect(call(audiences.retrieve, context, { audience_id: 'staff' })).resolves.toMatchObject({ filter: CLERKS });
  });

  it('makes one audience of concurrent first puts', async () => {
    await Promise.all(Array.from({ length: 8 }, () => put('staff', { filter: BOSSES })));
    await instances.waitUntilIdle(service);

    expect(eventsOf('staff').filter(({ type }) => type === 'audiences:updated')).toHaveLength(1);
  });

  it('refuses an audience above the limit and still changes existing ones', async () => {
    await instancesSql(
      `insert into audiences (workspace_id, audience_id, name, description, version)
       select $1, 'a' || n, '', '', 1 from generate_series(1, ${AUDIENCES_PER_WORKSPACE_MAX}) n`,
    );

    await expect(put('more', {})).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(put('a7', { name: 'Seven' })).resolves.toMatchObject({ audience: { name: 'Seven' } });
  });
});

describe('deleting an audience', () => {
  it('removes it and its members', async () => {
    await instances.publishProfile(context.workspaceId, 'ada', { title: 'boss' });
    await put('staff', { filter: BOSSES });
    await waitUntil(async () => (await membersOf('staff')).length === 1);

    await call(audiences.remove, context, { audience_id: 'staff' });

    await expect(call(audiences.retrieve, context, { audience_id: 'staff' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(membersOf('staff')).rejects.toMatchObject({ code: 'not_found' });
    await instances.waitUntilIdle(service);
    await expect(instancesSql('select from audience_members where workspace_id = $1')).resolves.toEqual([]);
  });

  it('does not affect a new audience of the same id', async () => {
    await instances.publishProfile(context.workspaceId, 'ada', { title: 'boss' });
    await instances.publishProfile(context.workspaceId, 'grace', { title: 'clerk' });
    await put('staff', { filter: BOSSES });
    await waitUntil(async () => (await membersOf('staff')).length === 1);

    await call(audiences.remove, context, { audience_id: 'staff' });
    await put('staff', { filter: CLERKS });

    await instances.waitUntilIdle(service);
    await expect(membersOf('staff')).resolves.toMatchObject([{ member_id: 'grace', audience_version: 1 }]);
  });

  it('is refused where it does not exist', async () => {
    await expect(call(audiences.remove, context, { audience_id: 'none' })).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('pages', () => {
  it('list every audience once, by id', async () => {
    const ids = Array.from({ length: AUDIENCES_PAGE_SIZE + 3 }, (_, n) => `audience ${String(n).padStart(3, '0')}`);
    for (const id of ids) await put(id, {});

    expect((await call(audiences.list, context, {})).items).toHaveLength(100);
    await expect(allOf((cursor) => call(audiences.list, context, { cursor }))).resolves.toMatchObject(ids.map((id) => ({ id })));
  });

  it('list every member once, by id, with reason and version', async () => {
    const ids = Array.from({ length: AUDIENCE_MEMBERS_PAGE_SIZE + 5 }, (_, n) => `user ${String(n).padStart(3, '0')}`);
    for (const id of ids) await instances.publishProfile(context.workspaceId, id, { title: 'boss' });
    await put('staff', { filter: BOSSES });
    await instances.waitUntilIdle(service);

    expect(await membersOf('staff')).toHaveLength(100);
    const members = await allOf((cursor) => call(audiences.members, context, { audience_id: 'staff', cursor }));

    expect(members).toEqual(
      ids.map((member_id) => ({
        member_id,
        audience_id: 'staff',
        audience_version: 1,
        added_at: expect.stringMatching(/^\d{4}-.*Z$/) as string,
        reason: "EQ('title', 'boss') => true",
      })),
    );
  });

  it('refuse a cursor of another listing', async () => {
    for (let n = 0; n <= AUDIENCES_PAGE_SIZE; n++) await put(`a${n}`, {});
    const { paging } = await call(audiences.list, context, {});

    await expect(call(audiences.members, context, { audience_id: 'a1', cursor: paging.cursor })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

it.each(['NUL \0', 'half \ud800'])('refuses an id that cannot be stored: %j', async (audience_id) => {
  for (const attempt of [
    () => put(audience_id, {}),
    () => call(audiences.retrieve, context, { audience_id }),
    () => call(audiences.remove, context, { audience_id }),
    () => call(audiences.members, context, { audience_id }),
    () => call(audienceMembers.ofAudience, context, { audience_id }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'invalid_request' });
  }
});

describeWorkspaceIsolation('an audience', {
  arrange: async (owner) => {
    await instances.publishProfile(owner.workspaceId, 'ada', { title: 'boss' });
    await call(audiences.put, owner, { audience_id: 'staff', name: 'Ours', filter: BOSSES });
    await instances.waitUntilIdle(service);
  },
  read: async (owner) => [
    await call(audiences.retrieve, owner, { audience_id: 'staff' }),
    await call(audiences.members, owner, { audience_id: 'staff' }),
  ],
  attempts: {
    'getting it': { attempt: (stranger) => call(audiences.retrieve, stranger, { audience_id: 'staff' }), refusedWith: 'not_found' },
    'its members': { attempt: (stranger) => call(audiences.members, stranger, { audience_id: 'staff' }), refusedWith: 'not_found' },
    'deleting it': { attempt: (stranger) => call(audiences.remove, stranger, { audience_id: 'staff' }), refusedWith: 'not_found' },
    'putting it': { attempt: (stranger) => call(audiences.put, stranger, { audience_id: 'staff', filter: CLERKS }) },
    'listing audiences': { attempt: (stranger) => call(audiences.list, stranger, {}) },
    'a send': { attempt: (stranger) => call(audienceMembers.ofAudience, stranger, { audience_id: 'staff' }) },
  },
});

async function allOf<Item>(
  load: (cursor?: string) => Promise<{ items: Item[]; paging: { more: boolean; cursor?: string } }>,
): Promise<Item[]> {
  const all: Item[] = [];
  let cursor: string | undefined;
  do {
    const { items, paging } = await load(cursor);
    all.push(...items);
    cursor = paging.cursor;
  } while (cursor !== undefined);
  return all;
}

function instancesSql(text: string): Promise<object[]> {
  return instances.sql(service, text, [context.workspaceId]);
}
