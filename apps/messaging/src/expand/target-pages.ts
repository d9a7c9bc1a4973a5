import { audienceMembers } from '@tidings/contracts/audience/audience-members';
import { listMembers, type ListMembersPage } from '@tidings/contracts/audience/list-members';
import { ServiceError } from '@tidings/contracts/core/errors';
import { memberships, tenantMembers } from '@tidings/contracts/identity/tenant-members';
import { acceptBulkUser } from '@tidings/contracts/messaging/accept-bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { MembershipFilter, Target } from '@tidings/contracts/messaging/targets';
import { byKey } from '@tidings/persistence/by-key';
import { type Database, statement, type Transaction } from '@tidings/persistence/database';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { changeProfilesOfUser, endsEarly, readUsers } from './bulk/user-store';
import { callService } from '../service-calls';
import { storable } from '../record/storable';
import { type Derived, type NoRecipients, PAGE_BYTES_MAX, recipientsAtOnce } from './derive';

/** The result for one recipient of a page. */
interface RecipientEnd {
  readonly messageId: string;
  /** Why no message was created. */
  readonly error?: string;
}

/** One page of the recipients of a target. */
export interface TargetPage {
  readonly recipients: readonly Derived[];
  /** Why the page has no recipients; absent where it has some, and for jobs. */
  readonly noRecipients?: NoRecipients;
  /** Stores the results of the recipients, in their order; only bulk jobs have it. */
  readonly settle?: (tx: Transaction, ends: readonly RecipientEnd[], isLast: boolean) => Promise<void>;
  /** Cursor of the next page; absent on the last page. */
  readonly next?: string;
}

type Member = Pick<Derived, 'tenantId' | 'list'> & { userId: string };

/**
 * The page of a target's recipients at `cursor` (undefined: the first). An unknown or deleted target has an empty last page. Rejects with
 * `unavailable` while another service is unavailable.
 */
export async function targetPage(
  client: OperationClient,
  database: Database,
  secrets: ProfileSecrets,
  request: MessageRequested,
  target: Target,
  cursor: string | undefined,
): Promise<TargetPage> {
  if (target.kind === 'job') return jobPage(database, secrets, request, target.jobId, cursor);
  const { data, preferences, tenantId } = target;
  const shared = { data, preferences, tenantId };
  if (target.kind === 'user') {
    const { userId, recipient, profile } = target;
    return { recipients: [{ ...shared, recipient, profile, userId }] };
  }
  const { workspaceId } = request;
  const { found, members, next } = await membersOf(client, workspaceId, target, recipientsAtOnce(request), cursor);
  const matching = await filtered(client, workspaceId, members, 'filters' in target ? target.filters : []);
  const noRecipients = members.length > 0 ? 'filtered' : found ? 'empty' : 'missing';
  return {
    recipients: matching.map((member) => Object.assign({ recipient: member.userId }, shared, member)),
    ...(matching.length === 0 && { noRecipients }),
    next,
  };
}

/** One page of the members of a target, before its filters; `found` is whether the target exists. */
async function membersOf(
  client: OperationClient,
  workspaceId: string,
  target: Exclude<Target, { kind: 'user' | 'job' }>,
  limit: number,
  cursor: string | undefined,
) {
  const paging = { limit, cursor };
  switch (target.kind) {
    case 'list':
      return subscribers(await callService(client, listMembers.ofList, { list_id: target.listId, ...paging }, workspaceId));
    case 'pattern':
      return subscribers(await callService(client, listMembers.ofPattern, { pattern: target.pattern, ...paging }, workspaceId));
    case 'audience': {
      const query = { audience_id: target.audienceId, limit, after: cursor };
      const { found, user_ids, next } = await callService(client, audienceMembers.ofAudience, query, workspaceId);
      return { found, members: user_ids.map((userId) => ({ userId })), next };
    }
    case 'tenant': {
      const query = { tenant_id: target.tenantId, include_children: target.includeChildren, ...paging };
      const { found, members, more, cursor: next } = await callService(client, tenantMembers.load, query, workspaceId);
      return {
        found,
        members: members.map(({ user_id: userId, tenant_id: tenantId }) => ({ userId, tenantId })),
        next: more ? next : undefined,
      };
    }
  }
}

/** The members that currently belong to every tenant of the filters; an unknown tenant has no members. */
async function filtered(
  client: OperationClient,
  workspaceId: string,
  members: readonly Member[],
  filters: readonly MembershipFilter[] = [],
) {
  let remaining = [...members];
  for (const { value: tenant_id } of filters) {
    if (remaining.length === 0) break;
    const query = remaining.map(({ userId: user_id }) => ({ user_id, tenant_id }));
    const { belongs } = await callService(client, memberships.check, { memberships: query }, workspaceId);
    remaining = remaining.filter((_user, index) => belongs[index]);
  }
  return remaining;
}

function subscribers({ found, members, lists, more, cursor }: ListMembersPage) {
  const preferencesOf = new Map(lists.map(({ list_id, preferences }) => [list_id, preferences]));
  const subscribed = members.map(({ user_id: userId, list_id: id, preferences: subscription }) => {
    return { userId, list: { id, preferences: preferencesOf.get(id), subscription } };
  });
  return { found, members: subscribed, next: more ? cursor : undefined };
}

const ERROR_LENGTH_MAX = 1_000;

// SQL because one statement settles a page of users and adds them to the counts of the job.
/** Changes only pending users, so that users and counts agree when a page is repeated. */
const SETTLE = statement(
  'messaging.settle_bulk_users',
  `with input as (
     select * from json_to_recordset($3::json) as row(ordinal bigint, message_id uuid, error text)
     where ${byKey('row.ordinal', 'bigint')}
   ), settled as (
     update bulk_users set status = case when input.error is null then 'ENQUEUED' else 'ERROR' end,
            message_id = case when input.error is null then input.message_id end, error = input.error
     from input
     where workspace_id = $1 and job_id = $2 and bulk_users.ordinal = input.ordinal and status = 'PENDING'
     returning bulk_users.status
   ), moved as (
     select count(*) filter (where status = 'ENQUEUED') as enqueued, count(*) filter (where status = 'ERROR') as failures from settled
   )
   update bulk_jobs set enqueued = bulk_jobs.enqueued + moved.enqueued, failures = bulk_jobs.failures + moved.failures,
          status = case when not $4 then status when bulk_jobs.enqueued + moved.enqueued > 0 then 'COMPLETED' else 'ERROR' end
   from moved where workspace_id = $1 and job_id = $2`,
);

/** The users of job `jobId` after `cursor`, in the order they were added; `request` is the run of the job. */
export async function jobPage(
  database: Database,
  secrets: ProfileSecrets,
  request: MessageRequested,
  jobId: string,
  cursor = '0',
): Promise<TargetPage> {
  const { workspaceId } = request;
  const key = { workspaceId, uuid: requireMessageUuid(jobId, 'Bulk job') };
  const limit = recipientsAtOnce(request);
  const rows = await readUsers(database, key, { after: cursor, limit, bytesMax: PAGE_BYTES_MAX });
  const recipients: Derived[] = [];
  const ordinals: string[] = [];
  const refused: object[] = [];
  for (const { status, ordinal, entry } of rows) {
    if (status !== 'PENDING') continue;
    try {
      const opened = changeProfilesOfUser(entry, (profile) => secrets.open(workspaceId, profile));
      const { kind: _user, profile, ...derived } = acceptBulkUser(opened);
      recipients.push({ ...derived, profile: secrets.seal(workspaceId, profile) });
      ordinals.push(ordinal);
    } catch (error) {
      // Rules may have changed since the user was added.
      if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
      refused.push({ ordinal, error: storableError(error.message) });
    }
  }
  const last = rows.at(-1);
  const isMore = rows.length === limit || endsEarly(rows, PAGE_BYTES_MAX);
  return {
    recipients,
    settle: async (tx, ends, isLast) => {
      const settled = ends.map(({ messageId, error }, index) => ({
        ordinal: ordinals[index],
        message_id: requireMessageUuid(messageId),
        error: error === undefined ? undefined : storableError(error),
      }));
      await tx.execute(SETTLE, [key.workspaceId, key.uuid, JSON.stringify([...refused, ...settled]), isLast]);
    },
    next: isMore ? last?.ordinal : undefined,
  };
}

function storableError(error: string) {
  return storable(error.slice(0, ERROR_LENGTH_MAX));
}
