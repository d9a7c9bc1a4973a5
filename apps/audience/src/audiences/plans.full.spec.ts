import { randomUUID } from 'node:crypto';
import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { audiences } from '@tidings/contracts/audience/audiences';
import { Database } from '@tidings/persistence/database';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import { PROFILE, applyPersonChanges, TENANTS } from '../people/people.rows';
import { PeoplePurger } from '../people/people-purger';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';
import { Outbox } from '@tidings/persistence/outbox';
import { statesOf } from './membership-state';
import { updateMemberships } from './person-memberships';
import { announcePage } from './rebuild/announce-page';
import { buildPage, switchVersion } from './rebuild/build-page';
import { removeDiscarded } from './rebuild/discards';
import { claimRebuild } from './rebuild/rebuild-queue';
import { RebuildWorker } from './rebuild/rebuild-worker';
import { lockWorkspaceShared } from './workspace-lock';

const ROWS = 20_000;
const context = contextOf(randomUUID());
const { workspaceId } = context;
const NAMED = { operator: 'EQ', path: 'name', value: 'Ada' };

let instances: AudienceInstances;
let service: AudienceInstance;
const call: AudienceInstance['call'] = (...parameters) => service.call(...parameters);

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
  await service.get(RebuildWorker).beforeApplicationShutdown();
  await fill();
});
afterAll(() => instances.close());

/** A workspace with 20,000 people in one audience, and 20,000 audiences in all workspaces together. */
async function fill(): Promise<void> {
  for (const insert of [
    `insert into people (workspace_id, user_id, profile, profile_sequence, gone_at)
     select $1, 'u' || n, jsonb_build_object('name', 'Ada'), 0, case when n % 1000 = 0 then now() - interval '1 year' end
       from generate_series(1, ${ROWS}) n`,
    `insert into audiences (workspace_id, audience_id, name, description, version, served_version, served_membership)
     select case when n <= 50 then $1::uuid else gen_random_uuid() end, 'a' || n, '', '', 1, 1, n from generate_series(1, ${ROWS}) n`,
    `insert into audience_rebuilds (workspace_id, audience_id, version, membership, due_at)
     select gen_random_uuid(), 'a' || n, 1, n, now() + interval '1 day' from generate_series(1, ${ROWS}) n where $1::uuid is not null`,
    `insert into audience_members (workspace_id, membership, user_id, reason)
     select $1, 1, 'u' || n, 'because' from generate_series(1, ${ROWS}) n`,
    `select setval('audience_memberships', ${ROWS}) where $1::uuid is not null`,
  ]) {
    await instances.sql(service, insert, [workspaceId]);
  }
  await instances.sql(service, 'analyze', []);
}

/** Changes a person's profile and tenants, with the memberships. */
async function change(userId: string, sequence: string): Promise<void> {
  const database = service.get(Database);
  await database.transaction(async (tx) => {
    await lockWorkspaceShared(tx, workspaceId);
    const profile = { workspaceId, userId, sequence, value: { name: `Name ${sequence}` } };
    const changed = await applyPersonChanges(tx, workspaceId, PROFILE, [profile]);
    await applyPersonChanges(tx, workspaceId, TENANTS, [{ workspaceId, userId, sequence, value: ['acme'] }]);
    await updateMemberships(tx, service.get(Outbox), workspaceId, changed);
  });
}

describe.each<[string, () => Promise<unknown>]>([
  ['listing audiences', () => call(audiences.list, context, {})],
  ['getting an audience', () => call(audiences.retrieve, context, { audience_id: 'a1' })],
  ['making an audience', () => call(audiences.put, context, { audience_id: 'new', filter: NAMED })],
  ['changing its filter', () => call(audiences.put, context, { audience_id: 'a1', filter: NAMED })],
  ['renaming it', () => call(audiences.put, context, { audience_id: 'a1', name: 'Renamed' })],
  ['deleting it', () => call(audiences.remove, context, { audience_id: 'a2' })],
  ['listing members', () => call(audiences.members, context, { audience_id: 'a1' })],
  [
    'listing members from the second page on',
    async () => {
      const { paging } = await call(audiences.members, context, { audience_id: 'a1' });
      await call(audiences.members, context, { audience_id: 'a1', cursor: paging.cursor });
    },
  ],
  ['the members for a send', () => call(audienceMembers.ofAudience, context, { audience_id: 'a1', after: 'u5' })],
  ['a change of a person', () => change('u77', '7')],
  ['a new person', () => change('new', '7')],
  ['the audiences of a workspace', () => statesOf(service.get(Database), workspaceId)],
  [
    'a page of each phase of a rebuild',
    async () => {
      const database = service.get(Database);
      await call(audiences.put, context, { audience_id: 'a3', filter: NAMED });
      const claim = (await claimRebuild(database, randomUUID(), 60_000))!;
      await buildPage(database, claim, 500, 60_000);
      await switchVersion(database, claim, 60_000);
      await announcePage(database, service.get(Outbox), { ...claim, phase: 'announcing', checkpoint: '' }, 60_000);
    },
  ],
  ['purging deleted people', () => service.get(PeoplePurger).purge()],
  ['removing discarded memberships', () => removeDiscarded(service.get(Database))],
])('%s', (_, work) => {
  it('scans no whole table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    const sql = <Row extends object>(text: string, values: unknown[]) => instances.sql<Row>(service, text, values);
    for (const [statement, values] of runs) {
      // Few memberships are discarded at a time.
      if (!statement.name.startsWith('audience-discards')) await expectIndexed(sql, statement, values);
    }
  });
});
