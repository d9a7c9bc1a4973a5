import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { type AuditEvent, auditEvents } from '@tidings/contracts/identity/audit-events';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { keys } from '@tidings/contracts/identity/keys';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { contextOf } from '@tidings/testing/context-of';
import { buildWorkspace, createKey, ensureWorkspace, rotateKey, type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const list = async (workspaceId: string): Promise<AuditEvent[]> =>
  (await identity.call(auditEvents.list, contextOf(workspaceId), {})).results;

describe('audit events', () => {
  it('name the actor and the target of each change of access, newest first', async () => {
    const request = { name: `audited ${randomUUID()}`, account_email: 'ops@example.com' };
    const { workspace_id: id } = await identity.call(workspaces.create, systemContext(randomUUID()), request);
    const first = await createKey(identity, contextOf(id), { mode: 'production' });
    const second = await rotateKey(identity, contextOf(id), { key_id: first.key_id });
    await identity.call(keys.revoke, contextOf(id), { key_id: first.key_id });
    await identity.call(keys.revoke, contextOf(id), { key_id: first.key_id }); // changes nothing

    const events = await list(id);

    const operator = { id: 'operator' };
    expect(events).toMatchObject([
      { type: 'api-key:revoked', actor: operator, target: { id: first.key_id } },
      { type: 'api-key:created', actor: operator, target: { id: second.key_id } },
      { type: 'api-key:rotated', actor: operator, target: { id: first.key_id } },
      { type: 'api-key:created', actor: operator, target: { id: first.key_id } },
      { type: 'workspace:created', actor: operator, target: { id, email: 'ops@example.com' } },
    ]);
    for (const event of events) {
      expect(event).toMatchObject({ source: 'tidings', timestamp: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) as string });
    }
    expect(JSON.stringify(events)).not.toContain(first.key);
  });

  it('record what the start of a process created, once, even if it starts again', async () => {
    const built = await buildWorkspace(identity);
    const { name, key, mode, workspace_id } = built;
    const again = { name, key, mode, account_email: built.account_email };
    await ensureWorkspace(identity, again);
    const moved = { ...again, account_email: 'new@example.com' };
    await Promise.all([1, 2, 3].map(() => ensureWorkspace(identity, moved)));

    expect(await list(workspace_id)).toMatchObject([
      { type: 'workspace:email-changed', actor: { id: 'system' }, target: { id: workspace_id, email: 'new@example.com' } },
      { type: 'api-key:created', actor: { id: 'system' }, target: { id: built.key_id } },
      { type: 'workspace:created', actor: { id: 'system' }, target: { id: workspace_id } },
    ]);
  });

  it('record in every workspace that the signing key was rotated and that the tokens issued before are refused', async () => {
    const [one, other] = [await buildWorkspace(identity), await buildWorkspace(identity)];
    const rotated = await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), {});
    const revoked = await identity.call(issuedTokens.rotateKey, systemContext(randomUUID()), { revoke_issued: true });

    const operator = { id: 'operator' };
    for (const { workspace_id } of [one, other]) {
      expect((await list(workspace_id)).slice(0, 4)).toMatchObject([
        { type: 'issued-tokens:revoked', actor: operator, target: { id: revoked.key_id } },
        { type: 'signing-key:rotated', actor: operator, target: { id: revoked.key_id } },
        { type: 'signing-key:rotated', actor: operator, target: { id: rotated.key_id } },
        { type: 'api-key:created' },
      ]);
    }
  });

  it('are not recorded for refused requests', async () => {
    const { workspace_id, key_id } = await buildWorkspace(identity);
    const before = await list(workspace_id);

    await expect(rotateKey(identity, contextOf(workspace_id), { key_id, overlap: 'long' })).rejects.toThrow();
    await expect(identity.call(keys.revoke, contextOf(workspace_id), { key_id: randomUUID() })).rejects.toThrow();

    expect(await list(workspace_id)).toEqual(before);
  });

  it('are paged without a loss or a repetition, also for events of the same time', async () => {
    const workspaceId = randomUUID();
    await identity.sql(
      `insert into identity.audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id)
       select $1, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + (n / 50) * interval '1 microsecond', 'api-key:created', 'operator', n::text
         from generate_series(1, 250) n`,
      [workspaceId],
    );

    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await identity.call(auditEvents.list, contextOf(workspaceId), { cursor });
      seen.push(...page.results.map(({ target }) => target.id!));
      expect(page.paging.more).toBe(page.paging.cursor !== undefined);
      cursor = page.paging.cursor;
    } while (cursor !== undefined);

    expect(seen.map(Number).sort((one, other) => one - other)).toEqual(Array.from({ length: 250 }, (_, index) => index + 1));
    expect(Number(seen[0])).toBeGreaterThanOrEqual(250);
  });

  it('are found by type, resource, actor, target and time', async () => {
    const workspaceId = randomUUID();
    await identity.sql(
      `insert into identity.audit_events (workspace_id, audit_event_id, at, type, actor_id, target_id)
       select $1, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + n * interval '1 hour', type, actor, target
         from (values (1, 'api-key:created', 'alice', 'k1'), (2, 'brand:replaced', 'bob', 'b1'),
                      (3, 'api-key:revoked', 'bob', 'k1')) event (n, type, actor, target)`,
      [workspaceId],
    );
    const typesOf = async (filter: object): Promise<string[]> =>
      (await identity.call(auditEvents.list, contextOf(workspaceId), filter)).results.map(({ type }) => type);

    expect(await typesOf({ type: 'api-key' })).toEqual(['api-key:revoked', 'api-key:created']);
    expect(await typesOf({ type: 'api-key:created' })).toEqual(['api-key:created']);
    expect(await typesOf({ actor: 'bob' })).toEqual(['api-key:revoked', 'brand:replaced']);
    expect(await typesOf({ actor: 'bob', target: 'k1' })).toEqual(['api-key:revoked']);
    expect(await typesOf({ before: '2026-01-01T02:00:00Z' })).toEqual(['api-key:created']);
    await expect(typesOf({ type: 'api' })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('of a filter are looked for in 20,000 a page', async () => {
    const workspaceId = randomUUID();
    await identity.sql(
      `insert into identity.audit_events (workspace_id, audit_event_id, at, type, actor_id)
       select $1, gen_random_uuid(), timestamptz '2026-01-01T00:00:00Z' + (n / 3) * interval '1 microsecond', 'api-key:created',
              case when n < 3 then 'alice' else 'bob' end
         from generate_series(1, 40001) n`,
      [workspaceId],
    );
    const pages: number[] = [];
    let cursor: string | undefined;
    do {
      const page = await identity.call(auditEvents.list, contextOf(workspaceId), { actor: 'alice', cursor });
      pages.push(page.results.length);
      cursor = page.paging.cursor;
    } while (cursor !== undefined);

    expect(pages).toEqual([0, 1, 1]);
  });

  it('can be retrieved one by one', async () => {
    const { workspace_id } = await buildWorkspace(identity);
    const [event] = await list(workspace_id);

    await expect(identity.call(auditEvents.retrieve, contextOf(workspace_id), { audit_event_id: event!.auditEventId })).resolves.toEqual(
      event,
    );
  });

  it.each([randomUUID(), 'unknown'])('are not found by the id %j', async (audit_event_id) => {
    await expect(identity.call(auditEvents.retrieve, contextOf(randomUUID()), { audit_event_id })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('refuse the cursor of another listing', async () => {
    const { workspace_id } = await buildWorkspace(identity);

    await expect(identity.call(auditEvents.list, contextOf(workspace_id), { cursor: 'made-up' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

let event: AuditEvent;
let owner: string;
describeWorkspaceIsolation('an audit event', {
  arrange: async () => {
    owner = (await buildWorkspace(identity)).workspace_id;
    [event] = (await list(owner)) as [AuditEvent];
  },
  read: () => list(owner),
  attempts: {
    retrieve: {
      attempt: (stranger) => identity.call(auditEvents.retrieve, stranger, { audit_event_id: event.auditEventId }),
      refusedWith: 'not_found',
    },
    list: { attempt: (stranger) => list(stranger.workspaceId) },
  },
});
