import { randomUUID } from 'node:crypto';
import { AUDIENCE_COUNTED_MAX, audienceCounts } from '@tidings/contracts/audience/audience-counts';
import type { AudienceFilter } from '@tidings/contracts/audience/audiences';
import { contextOf } from '@tidings/testing/context-of';
import { Database } from '@tidings/persistence/database';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { countMatches } from './count-matches';

const BOSSES = { operator: 'EQ', path: 'title', value: 'boss' } as const;

let instances: AudienceInstances;
let service: AudienceInstance;

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.close());

/** A workspace with `bosses` bosses and as many clerks. */
async function workspaceWith(bosses: number): Promise<string> {
  const workspaceId = randomUUID();
  await instances.sql(
    service,
    `insert into people (workspace_id, user_id, profile, profile_sequence)
     select $1, kind || to_char(n, 'FM00000'), jsonb_build_object('title', kind), 0
       from generate_series(1, $2::integer) n, unnest(array['boss', 'clerk']) kind`,
    [workspaceId, bosses],
  );
  return workspaceId;
}
const count = (workspaceId: string, filter?: AudienceFilter | null, operator?: 'AND' | 'OR') =>
  service.call(audienceCounts.count, contextOf(workspaceId), { filter, operator });

it('counts the users whom a filter matches, and names the first', async () => {
  const workspaceId = await workspaceWith(7);

  expect(await count(workspaceId, BOSSES)).toEqual({
    matched: 7,
    evaluated: 14,
    complete: true,
    users: ['boss00001', 'boss00002', 'boss00003', 'boss00004', 'boss00005'],
  });
  const either = { filters: [BOSSES, { operator: 'ENDS_WITH', path: 'profile.title', value: 'erk' }] };
  expect(await count(workspaceId, either, 'OR')).toMatchObject({ matched: 14 });
  expect(await count(workspaceId, either, 'AND')).toMatchObject({ matched: 0, users: [] });
  expect(await count(randomUUID(), BOSSES)).toMatchObject({ matched: 0, evaluated: 0 });
});

it('counts no one without a filter, and refuses a wrong one', async () => {
  const workspaceId = await workspaceWith(1);

  expect(await count(workspaceId, null)).toEqual({ matched: 0, evaluated: 0, complete: true, users: [] });
  await expect(count(workspaceId, { operator: 'EQ', path: '' })).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('filter.path') as string,
  });
});

it('is for those who read profiles or store audiences: others would learn of profiles by it', async () => {
  const workspaceId = await workspaceWith(1);
  const by = (...scopes: string[]): Promise<unknown> =>
    service.call(audienceCounts.count, { ...contextOf(workspaceId), scopes: ['read:audiences', ...scopes] }, { filter: BOSSES });

  await expect(by()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('read:profiles') as string });
  for (const scope of ['read:profiles', 'write:audiences']) expect(await by(scope)).toMatchObject({ matched: 1 });
});

it(`ends after ${AUDIENCE_COUNTED_MAX} matches, or in time`, async () => {
  const workspaceId = await workspaceWith(AUDIENCE_COUNTED_MAX + 1);

  expect(await count(workspaceId, BOSSES)).toMatchObject({ matched: AUDIENCE_COUNTED_MAX, complete: false });
  const rule = { operator: 'EQ', path: ['title'], values: ['clerk'] } as const;
  expect(await countMatches(service.get(Database), workspaceId, rule, 0)).toEqual({
    matched: 0,
    evaluated: 500,
    complete: false,
    users: [],
  });
  expect(await count(await workspaceWith(AUDIENCE_COUNTED_MAX), BOSSES)).toMatchObject({ matched: AUDIENCE_COUNTED_MAX, complete: true });
});
