import type { PutAudience } from '@tidings/contracts/audience/audiences';
import { ServiceError } from '@tidings/contracts/core/errors';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import { publishAudienceEvent } from './audience-events';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';
import type { AudienceRow } from './audience.rows';
import { type Filter, sameFilter } from './filter/filter';
import { type ParsedFilter, parseFilter } from './filter/parse-filter';
import { askForRebuild, discard, endRebuild } from './rebuild/rebuild-queue';

interface StoredAudience extends AudienceRow {
  version: number;
  served_membership: string | null;
  rule: Filter | null;
}

const COLUMNS = 'audience_id, name, description, filter, operator, created_at, updated_at, version, served_membership, rule';

const HOLD = statement('audiences-hold', `select ${COLUMNS} from audiences where workspace_id = $1 and audience_id = $2 for update`);

const INSERT = statement(
  'audiences-insert',
  `insert into audiences (workspace_id, audience_id, name, description, filter, operator, rule, version)
   values ($1, $2, $3, $4, $5, $6, $7, 1) returning ${COLUMNS}`,
);

const UPDATE = statement(
  'audiences-update',
  `update audiences set name = $3, description = $4, filter = $5, operator = $6, rule = $7, version = version + $8, updated_at = now()
    where workspace_id = $1 and audience_id = $2 returning ${COLUMNS}`,
);

const REMOVE = statement(
  'audiences-remove',
  'delete from audiences where workspace_id = $1 and audience_id = $2 returning served_membership',
);

const REBUILD = statement(
  'audience-rebuilds-of-audience',
  'select phase, membership, previous_membership from audience_rebuilds where workspace_id = $1 and audience_id = $2',
);

const SOME = statement('audiences-some', 'select audience_id from audiences where workspace_id = $1 limit $2');

/** What a put changed. */
interface PutOutcome {
  row: AudienceRow;
  /** Members are to be determined anew. */
  rebuild: boolean;
}

/**
 * Makes an audience, or changes what the put names of it: what is absent stays, `null` clears. A filter that says something
 * else makes a new version; the same one, however it is spelled, does not. With the gate closed.
 * @throws ServiceError `invalid_request` for a wrong filter, or one audience too many.
 */
export async function putAudience(tx: Transaction, outbox: Outbox, workspaceId: string, put: PutAudience): Promise<PutOutcome> {
  const { audience_id: audienceId } = put;
  const [stored] = await tx.query<StoredAudience>(HOLD, [workspaceId, audienceId]);
  const { filter: rule, echo } = stored ? filterAfter(put, stored) : parseFilter(put);
  const name = put.name === undefined ? (stored?.name ?? '') : (put.name ?? '');
  const description = put.description === undefined ? (stored?.description ?? '') : (put.description ?? '');
  const texts = [name, description, textOf(echo.filter), echo.operator ?? null, textOf(rule)];
  if (stored && sameFilter(stored.rule, rule)) {
    const [row] = await tx.query<StoredAudience>(UPDATE, [workspaceId, audienceId, ...texts, 0]);
    return { row: row!, rebuild: false };
  }
  if (!stored) await assertRoom(tx, workspaceId, audienceId);
  const [row] = stored
    ? await tx.query<StoredAudience>(UPDATE, [workspaceId, audienceId, ...texts, 1])
    : await tx.query<StoredAudience>(INSERT, [workspaceId, audienceId, ...texts]);
  await renewMembers(tx, workspaceId, audienceId);
  await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:updated', {
    audience_id: audienceId,
    audience_version: row!.version,
    filter: echo.filter,
  });
  return { row: row!, rebuild: true };
}

/** Deletes an audience with its members. False when there is none. With the gate closed. */
export async function removeAudience(tx: Transaction, workspaceId: string, audienceId: string): Promise<boolean> {
  const [removed] = await tx.query<{ served_membership: string | null }>(REMOVE, [workspaceId, audienceId]);
  if (!removed) return false;
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  await endRebuild(tx, workspaceId, audienceId);
  const memberships = [removed.served_membership, rebuild?.membership ?? null, rebuild?.previous_membership ?? null];
  await discard(tx, workspaceId, memberships);
  return true;
}

/**
 * The operator belongs to the filter: a new filter comes with its own, or with none. One that nobody names stays as it is, also
 * where it would be refused today.
 */
function filterAfter({ filter, operator }: PutAudience, stored: StoredAudience): ParsedFilter {
  if (filter !== undefined) return parseFilter({ filter, operator });
  if (operator !== undefined) return parseFilter({ filter: stored.filter, operator });
  return { filter: stored.rule, echo: { filter: stored.filter, ...(stored.operator !== null && { operator: stored.operator }) } };
}

/** A version that is being told of is told of to the end, and then the newest one has its turn; one that is being built is given up. */
async function renewMembers(tx: Transaction, workspaceId: string, audienceId: string): Promise<void> {
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  if (rebuild?.phase === 'announcing') return;
  if (rebuild) await discard(tx, workspaceId, [rebuild.membership]);
  await askForRebuild(tx, workspaceId, audienceId);
}

interface RebuildRow {
  phase: 'building' | 'announcing';
  membership: string;
  previous_membership: string | null;
}

async function rebuildOf(tx: Transaction, workspaceId: string, audienceId: string): Promise<RebuildRow | undefined> {
  return (await tx.query<RebuildRow>(REBUILD, [workspaceId, audienceId]))[0];
}

async function assertRoom(tx: Transaction, workspaceId: string, audienceId: string): Promise<void> {
  const present = await tx.query(SOME, [workspaceId, AUDIENCES_PER_WORKSPACE_MAX]);
  if (present.length < AUDIENCES_PER_WORKSPACE_MAX) return;
  throw new ServiceError(
    'invalid_request',
    `Audience ${audienceId} would be one too many: a workspace has at most ${AUDIENCES_PER_WORKSPACE_MAX}; delete one first`,
  );
}

const textOf = (value: object | null): string | null => value && JSON.stringify(value);
