import { Logger } from '@nestjs/common';
import { type Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';

/** Smaller memberships are found as fast by any plan. */
const NOTEWORTHY_MEMBERS = 5_000;

const SIZE = statement(
  'audience-rebuilds-size',
  'select matched_users::text as size from audience_rebuilds where workspace_id = $1 and audience_id = $2',
);
const NEVER_LOOKED_AT = statement(
  'people-without-statistics',
  `select from pg_class where oid = 'people'::regclass and reltuples = -1 and pg_relation_size(oid) > 0`,
);

const logger = new Logger('Audiences');

/**
 * PostgreSQL learns of a table's content a minute after a large change, and until then takes a new membership for a few rows, which
 * it would bring into order at every page. Before so many rows are asked for in pages, it is told to look.
 */
export async function lookAtMembers(db: Database, { workspaceId, audienceId }: { workspaceId: string; audienceId: string }): Promise<void> {
  const [rebuild] = await db.query<{ size: string }>(SIZE, [workspaceId, audienceId]);
  if (Number(rebuild?.size ?? 0) >= NOTEWORTHY_MEMBERS) await look(db, 'analyze audience_members');
}

/** The same before the first rebuild after the first people came. */
export async function lookAtPeople(db: Database): Promise<void> {
  if ((await db.query(NEVER_LOOKED_AT)).length > 0) await look(db, 'analyze people');
}

/** Slower without it, and right all the same. */
async function look(db: Database, analyze: string): Promise<void> {
  try {
    await db.execute(analyze);
  } catch (error) {
    logger.warn(`PostgreSQL could not look at a table ("${analyze}"); its pages may take longer for a minute: ${reasonOf(error)}`);
  }
}
