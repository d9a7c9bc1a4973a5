import { Logger } from '@nestjs/common';
import { type Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';

/** Members from which the plan matters. */
const ANALYZED_MEMBERS_MIN = 5_000;

// SQL because it asks PostgreSQL's catalog, and the rebuilds, a queue without an entity.
const LARGE = statement(
  'audience-rebuilds-size',
  'select from audience_rebuilds where workspace_id = $1 and audience_id = $2 and matched_users >= $3',
);
const NEVER_ANALYZED = statement(
  'people-without-statistics',
  `select from pg_class where oid = 'people'::regclass and reltuples = -1 and pg_relation_size(oid) > 0`,
);

const logger = new Logger('Audiences');

/**
 * Runs ANALYZE before a large membership is read in pages. Autovacuum analyzes a minute after a large change; until then PostgreSQL
 * estimates a few rows for a new membership and would sort them for every page.
 */
export async function analyzeMembers(database: Database, { workspaceId, audienceId }: { workspaceId: string; audienceId: string }) {
  const large = await database.query(LARGE, [workspaceId, audienceId, ANALYZED_MEMBERS_MIN]);
  if (large.length > 0) await analyze(database, 'audience_members');
}

/** Runs ANALYZE before the first rebuild, where `people` never was analyzed. */
export async function analyzePeople(database: Database) {
  if ((await database.query(NEVER_ANALYZED)).length > 0) await analyze(database, 'people');
}

/** A failure costs time only; results do not depend on it. */
async function analyze(database: Database, table: string) {
  try {
    await database.execute(`analyze ${table}`);
  } catch (error) {
    logger.warn(`"analyze ${table}" failed; rebuilds may be slow for a minute: ${reasonOf(error)}`);
  }
}
