import { type Database, statement } from '@tidings/persistence/database';
import { shardOf } from '@tidings/persistence/shards';
import { keyOfAudience } from '../audience-events';
import type { Claim } from './rebuild-queue';

/** Unpublished events, approximately, above which a rebuild adds no more. */
const BACKLOG_MAX = 10_000;

// SQL because the outbox has no entity, and only the two ends of its index are read.
/** An upper bound: all shards draw from one sequence. */
const BACKLOG = statement(
  'audience-outbox-backlog',
  'select coalesce(max(sequence) - min(sequence), 0) > $2 as "isBacklogged" from outbox where shard = $1',
);

/**
 * Whether too many events of the audience's shard are unpublished. So a million new members are announced at the rate at which
 * the relay publishes, instead of filling the outbox with a million rows.
 */
export async function isOutboxBacklogged(database: Database, { workspaceId, audienceId }: Claim) {
  const [row] = await database.query<{ isBacklogged: boolean }>(BACKLOG, [shardOf(keyOfAudience(workspaceId, audienceId)), BACKLOG_MAX]);
  return row!.isBacklogged;
}
