import { type Database, statement } from '@tidings/persistence/database';
import { shardOf } from '@tidings/persistence/shards';
import { keyOfAudience } from '../audience-events';
import type { Claim } from './rebuild-queue';

/** Events that may wait for being published before a rebuild adds more, about. */
const BACKLOG_MAX = 10_000;

/** At most so many: numbers are drawn for all shards. */
const BACKLOG = statement(
  'audience-outbox-backlog',
  'select coalesce(max(sequence) - min(sequence), 0)::text as backlog from outbox where shard = $1',
);

/**
 * Whether what was told of the audience is still waiting to be published. A million people who come in at once are told of at the
 * pace at which events are published, instead of filling the outbox with a million rows.
 */
export async function isOutboxBacklogged(db: Database, { workspaceId, audienceId }: Claim): Promise<boolean> {
  const [row] = await db.query<{ backlog: string }>(BACKLOG, [shardOf(keyOfAudience(workspaceId, audienceId))]);
  return Number(row!.backlog) > BACKLOG_MAX;
}
