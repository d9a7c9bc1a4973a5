import type { PutAudience } from '@tidings/contracts/audience/audiences';
import { ServiceError } from '@tidings/contracts/core/errors';
import { statement, type Transaction } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import { publishAudienceEvent } from './audience-events';
import { AUDIENCES_PER_WORKSPACE_MAX } from './audience-limits';
import type { AudienceRow } from './audience.rows';
import { type Filter, sameFilter } from './filter/filter';
import { type ParsedFilter, parseFilter } from './filter/parse-filter';
import { requestRebuild, discard, endRebuild } from './rebuild/rebuild-queue';

interface StoredAudience extends AudienceRow {
  version: number;
  served_membership: string | null;
  rule: Filter | null;
}

const COLUMNS = 'audience_id, name, description, filter, operator, created_at, updated_at, version, served_membership, rule';

const LOCK = statement('audiences-lock', `select ${COLUMNS} from audiences where workspace_id = $1 and audience_id = $2 for update`);

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

/** The outcome of a put. */
interface PutOutcome {
  row: AudienceRow;
  /** Whether the members must be recomputed. */
  rebuild: boolean;
}

/**
 * Creates an audience or changes its given fields: absent ones stay, `null` clears. A filter of another meaning makes a new
 * version, another spelling of the same one does not. Needs the workspace's exclusive lock.
 * @throws ServiceError `invalid_request` for a wrong filter, or for an audience above the limit.
 */
export async function putAudience(tx: Transaction, outbox: Outbox, workspaceId: string, put: PutAudience): Promise<PutOutcome> {
  const { audience_id: audienceId } = put;
  const [stored] = await tx.query<StoredAudience>(LOCK, [workspaceId, audienceId]);
  const { filter: rule, echo } = stored ? filterAfter(put, stored) : parseFilter(put);
  const name = put.name === undefined ? (stored?.name ?? '') : (put.name ?? '');
  const description = put.description === undefined ? (stored?.description ?? '') : (put.description ?? '');
  const texts = [name, description, textOf(echo.filter), echo.operator ?? null, textOf(rule)];
  if (stored && sameFilter(stored.rule, rule)) {
    const [row] = await tx.query<StoredAudience>(UPDATE, [workspaceId, audienceId, ...texts, 0]);
    return { row: row!, rebuild: false };
  }
  if (!stored) await assertBelowLimit(tx, workspaceId, audienceId);
  const [row] = stored
    ? await tx.query<StoredAudience>(UPDATE, [workspaceId, audienceId, ...texts, 1])
    : await tx.query<StoredAudience>(INSERT, [workspaceId, audienceId, ...texts]);
  await rebuildMembers(tx, workspaceId, audienceId);
  await publishAudienceEvent(tx, outbox, workspaceId, 'audiences:updated', {
    audience_id: audienceId,
    audience_version: row!.version,
    filter: echo.filter,
  });
  return { row: row!, rebuild: true };
}

/** Deletes an audience with its members; false where it does not exist. Needs the workspace's exclusive lock. */
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
 * The filter after the put. The operator belongs to the filter: a new filter brings its own or none. An absent filter stays,
 * even where today's checks would refuse it.
 */
function filterAfter({ filter, operator }: PutAudience, stored: StoredAudience): ParsedFilter {
  if (filter !== undefined) return parseFilter({ filter, operator });
  if (operator !== undefined) return parseFilter({ filter: stored.filter, operator });
  return { filter: stored.rule, echo: { filter: stored.filter, ...(stored.operator !== null && { operator: stored.operator }) } };
}

/** Requests a rebuild, replacing one that is building. An announcing one finishes first and then requests the next. */
async function rebuildMembers(tx: Transaction, workspaceId: string, audienceId: string): Promise<void> {
  const rebuild = await rebuildOf(tx, workspaceId, audienceId);
  if (rebuild?.phase === 'announcing') return;
  if (rebuild) await discard(tx, workspaceId, [rebuild.membership]);
  await requestRebuild(tx, workspaceId, audienceId);
}

interface RebuildRow {
  phase: 'building' | 'announcing';
  membership: string;
  previous_membership: string | null;
}

async function rebuildOf(tx: Transaction, workspaceId: string, audienceId: string): Promise<RebuildRow | undefined> {
  return (await tx.query<RebuildRow>(REBUILD, [workspaceId, audienceId]))[0];
}

async function assertBelowLimit(tx: Transaction, workspaceId: string, audienceId: string): Promise<void> {
  const existing = await tx.query(SOME, [workspaceId, AUDIENCES_PER_WORKSPACE_MAX]);
  if (existing.length < AUDIENCES_PER_WORKSPACE_MAX) return;
  throw new ServiceError(
    'invalid_request',
    `Audience ${audienceId} would be one too many: a workspace has at most ${AUDIENCES_PER_WORKSPACE_MAX}; delete one first`,
  );
}

const textOf = (value: object | null): string | null => value && JSON.stringify(value);
