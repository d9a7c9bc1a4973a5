import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type QuotaName, QUOTAS } from '@tidings/contracts/core/quotas';
import { LRUCache } from 'lru-cache';
import { type Statement, statement } from './statement';
import type { Transaction } from './transaction';

/** A workspace and its quota, if any. */
export type QuotaOwner = Pick<CallContext, 'workspaceId' | 'quota'>;

/** What a quota counts. */
export interface Counted {
  name: QuotaName;
  /** Answers with `count` for the workspace $1. Counting may end at $2. */
  count: Statement;
}

/** How long a refusal is repeated without counting, in ms: calls of a workspace at its quota must not count all its rows each. */
const REFUSAL_MS = 1_000;
const REFUSALS_MAX = 10_000;

// SQL because one statement changes the count and locks its row.
/** A count is at most a minute old; in between it is maintained. The row's lock lasts until the commit. */
const CHANGE = statement(
  'quota-counts-change',
  `insert into quota_counts as stored (workspace_id, name, count, counted_at) values ($1, $2, 0, '-infinity')
   on conflict (workspace_id, name) do update set count = stored.count + $3
   returning count::float8 as count, counted_at > now() - interval '1 minute' as "isRecent"`,
);
const STORE = statement(
  'quota-counts-store',
  'update quota_counts set count = $3, counted_at = now() where workspace_id = $1 and name = $2',
);

/** When the last refusals end, by `performance.now()`. */
const refusals = new LRUCache<string, number>({ max: REFUSALS_MAX });

/**
 * Counts what the transaction added (before this call) or removed. Does nothing without a quota. Calls of one workspace take turns until
 * their commits, so the quota is never exceeded by them; rows of calls without a quota are found by the next count.
 * @throws ServiceError `forbidden`, naming the quota, if the workspace has more than its quota with what was added.
 */
export async function countForQuota(tx: Transaction, { workspaceId, quota }: QuotaOwner, { name, count }: Counted, change: number) {
  if (quota === undefined || change === 0) return;
  const refusal = `${workspaceId} ${name} ${quota}`;
  const [stored] = await tx.query<{ count: number; isRecent: boolean }>(CHANGE, [workspaceId, name, change]);
  if (change < 0) {
    refusals.delete(refusal);
    return;
  }
  if (stored!.isRecent && stored!.count <= quota) return;
  if ((refusals.get(refusal) ?? 0) > performance.now()) throw exceeded(name, quota);
  const [counted] = await tx.query<{ count: string }>(count, [workspaceId, quota + 1]);
  if (Number(counted!.count) > quota) {
    refusals.set(refusal, performance.now() + REFUSAL_MS);
    throw exceeded(name, quota);
  }
  await tx.execute(STORE, [workspaceId, name, counted!.count]);
}

function exceeded(name: QuotaName, quota: number) {
  return new ServiceError('forbidden', `The quota ${name} of the workspace is ${quota}: it cannot have more ${QUOTAS[name]} than that`);
}
