import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { profiles } from '@tidings/contracts/identity/profiles';
import { type UserTokenEntry, userTokens } from '@tidings/contracts/identity/user-tokens';
import { Database } from '@tidings/persistence/database';
import { Client } from 'pg';
import { contextOf } from '@tidings/testing/context-of';
import { expectIndexed } from '@tidings/testing/explain';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { age } from './token-owner.fixture';
import { usableTokens } from './usable-tokens';

const USERS = 5_000;
const TOKENS_PER_USER = 4;

interface Plan {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Cond'?: string;
  Plans?: Plan[];
}

let identity: RunningIdentity;
let explainer: Client;
const context = contextOf(randomUUID());

/** Tables in which a scan is the worse plan for every statement: one workspace has nearly all rows. */
beforeAll(async () => {
  identity = await startIdentity();
  explainer = new Client({ connectionString: identity.adminUrl });
  await explainer.connect();
  await explainer.query('set search_path to identity');
  await explainer.query(
    `insert into push_tokens (workspace_id, token_hash, token, user_id, provider_key, bytes, expires_at)
     select $1, sha256(('t' || n)::bytea), 't' || n, 'user ' || n / ${TOKENS_PER_USER}, 'apn', 20, now() + n * interval '1 minute'
       from generate_series(1, ${USERS * TOKENS_PER_USER}) n`,
    [context.workspaceId],
  );
  await explainer.query(`insert into profiles select $1, 'user ' || n, '{"n":1}' from generate_series(1, ${USERS}) n`, [
    context.workspaceId,
  ]);
  await explainer.query('analyze push_tokens, profiles');
});
afterAll(async () => {
  await explainer.end();
  await identity.stop();
});

/** The statements that the service sends during `work`, by name; those of repositories, which have none, by number. */
async function statementsOf(work: () => Promise<unknown>): Promise<Map<string, { text: string; values: unknown[] }>> {
  const sent = jest.spyOn(Client.prototype, 'query');
  try {
    await work();
    const unnamed: string[] = [];
    const nameOf = (statement: string): string => {
      if (!unnamed.includes(statement)) unnamed.push(statement);
      return `repository ${unnamed.indexOf(statement) + 1} ${statement.split(' ')[0]!.toLowerCase()}`;
    };
    const named = sent.mock.calls.flatMap(([query, parameters]: unknown[]) => {
      if (typeof query === 'string') {
        if (!/push_tokens|profiles/.test(query)) return [];
        return [[nameOf(query), { text: query, values: (parameters as unknown[] | undefined) ?? [] }] as const];
      }
      const { name, text, values } = query as { name?: string; text?: string; values?: unknown[] };
      return name !== undefined && text !== undefined ? [[name, { text, values: values ?? [] }] as const] : [];
    });
    return new Map(named.filter(([, { text }]) => /\b(push_tokens|profiles)\b/.test(text)));
  } finally {
    sent.mockRestore();
  }
}

/** The scans of the statement's generic plan, which PostgreSQL may choose for a prepared statement. */
async function scannedBy(name: string, { text, values }: { text: string; values: unknown[] }): Promise<string[]> {
  await explainer.query('set plan_cache_mode = force_generic_plan');
  await explainer.query(`prepare "${name}" as ${text}`);
  const { rows } = await explainer.query(`explain (format json) execute "${name}"(${values.map(() => 'null').join(', ')})`);
  return scansIn((rows as { 'QUERY PLAN': { Plan: Plan }[] }[])[0]!['QUERY PLAN'][0]!.Plan);
}

/** Counts an index condition on the workspace alone as a scan. */
function scansIn({ 'Node Type': type, 'Relation Name': table, 'Index Cond': condition = '', Plans = [] }: Plan): string[] {
  const isScan = type === 'Seq Scan' || (/Index/.test(type) && !/token_hash|user_id|expires_at/.test(condition));
  return [...(isScan ? [`${type} ${table ?? condition}`] : []), ...Plans.flatMap(scansIn)];
}

it.each([
  ['push_tokens', 'select token from push_tokens where token = $1', ['t1']],
  ['push_tokens', 'select token from push_tokens where workspace_id = $1 order by workspace_id, token_hash limit 5', [context.workspaceId]],
])('the check detects a scan of %s in %s', async (_, text, values) => {
  expect((await scannedBy(`scan ${text}`.slice(0, 60), { text, values })).length).toBeGreaterThan(0);
});

it('scans no table on any request', async () => {
  const { workspaceId } = context;
  const key = { user_id: 'user 7', token: 't30' };
  const entries = Array.from({ length: 100 }, (_, n): UserTokenEntry => ({ token: `t${n}`, provider_key: 'apn' }));
  const full = Array.from({ length: 1_000 }, (_, n): UserTokenEntry => ({
    token: `f${n}`,
    provider_key: 'apn',
    expiry_date: '2020-01-01',
  }));
  const { call } = identity;

  const statements = await statementsOf(async () => {
    await call(userTokens.list, context, { user_id: key.user_id });
    await call(userTokens.retrieve, context, key);
    await call(userTokens.put, context, { ...key, body: { provider_key: 'apn' } });
    await call(userTokens.putMany, context, { user_id: 'user 9', tokens: entries });
    await call(userTokens.putMany, context, { user_id: 'full', tokens: full });
    await call(userTokens.put, context, { user_id: 'full', token: 'one more', body: { provider_key: 'apn' } });
    await call(userTokens.patch, context, {
      user_id: 'full',
      token: 'one more',
      patch: [{ op: 'replace', path: '/properties', value: { a: 1 } }],
    });
    await call(userTokens.remove, context, { user_id: 'full', token: 'one more' });
    const reports = entries.map(({ token }) => ({ workspace_id: workspaceId, token, outcome: 'revoked' as const, at: Date.now() }));
    await age(identity, context, 1_000); // reports of the millisecond of the registration count for nothing
    await call(userTokens.report, systemContext(randomUUID()), { reports });
    await usableTokens(
      identity.get(Database),
      Array.from({ length: 500 }, (_, n) => ({ workspaceId, userId: `user ${n}` })),
    );
    await call(profiles.replace, context, { user_id: 'user 7', profile: { a: 1 } });
    await call(profiles.merge, context, { user_id: 'user 7', profile: { b: 1 } });
    await call(profiles.patch, context, { user_id: 'user 7', patch: [{ op: 'remove', path: '/b' }] });
    await call(profiles.retrieve, context, { user_id: 'user 7' });
    await call(profiles.remove, context, { user_id: 'user 7' });
  });

  expect([...statements.keys()].sort()).toEqual([
    'profiles-insert-or-lock',
    'profiles-replace',
    'profiles-retrieve',
    'push-tokens-beyond',
    'push-tokens-lock-reported',
    'push-tokens-register',
    'push-tokens-remove-over',
    'push-tokens-sweep',
    'push-tokens-update-reported',
    'push-tokens-usable',
    'repository 1 select',
    'repository 2 select',
    'repository 3 select',
    'repository 4 update',
    'repository 5 delete',
    'repository 6 update',
    'repository 7 select',
    'repository 8 delete',
  ]);
  const scans = new Map<string, string[]>();
  for (const [name, one] of statements) {
    await expectIndexed(identity.sql, { name, text: one.text }, one.values);
    scans.set(name, await scannedBy(name, one));
  }
  expect([...scans].filter(([, tables]) => tables.length > 0)).toEqual([]);
});
