import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { acceptBulkUser } from '@tidings/contracts/messaging/accept-bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { Database, type Queryable, statement } from '@tidings/persistence/database';
import type { Derived } from '../expansion/derive';
import { PAGE_BYTES_MAX, recipientsAtOnce } from '../expansion/page-size';
import type { RecipientEnd, TargetPage } from '../expansion/target-pages';
import { byKey } from '../store/sql';
import { storable } from '../store/storable';
import { endsEarly, readUsers, type UserRow } from './user-store';

const ERROR_LENGTH_MAX = 1_000;

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

/** The result for a user, as `SETTLE` reads it. */
interface Settled {
  ordinal: string;
  message_id?: string;
  error?: string;
}

/** The users of a running job, page by page, in the order they were added. */
@Injectable()
export class JobPages {
  constructor(private readonly database: Database) {}

  /** The page after `cursor` of job `jobId`; `request` is the run of the job. */
  async page(request: MessageRequested, jobId: string, cursor: string | undefined): Promise<TargetPage> {
    const key = { workspaceId: request.workspaceId, uuid: requireMessageUuid(jobId, 'Bulk job') };
    const limit = recipientsAtOnce(request);
    const rows = await readUsers(this.database, key, { after: cursor ?? '0', limit, bytesMax: PAGE_BYTES_MAX });
    const recipients: Derived[] = [];
    const ordinals: string[] = [];
    const refused: Settled[] = [];
    for (const row of rows.filter(({ status }) => status === 'PENDING')) {
      const derived = derivedOf(row);
      if (typeof derived === 'string') refused.push({ ordinal: row.ordinal, error: derived });
      else {
        recipients.push(derived);
        ordinals.push(row.ordinal);
      }
    }
    const settle = async (tx: Queryable, ends: readonly RecipientEnd[], isLast: boolean) => {
      const settled = ends.map(({ messageId, error }, index): Settled => {
        const ordinal = ordinals[index]!;
        return error === undefined ? { ordinal, message_id: requireMessageUuid(messageId) } : { ordinal, error: storableError(error) };
      });
      await tx.execute(SETTLE, [key.workspaceId, key.uuid, JSON.stringify([...refused, ...settled]), isLast]);
    };
    const last = rows.at(-1);
    const isMore = rows.length === limit || endsEarly(rows, PAGE_BYTES_MAX);
    return { recipients, settle, next: isMore ? last?.ordinal : undefined };
  }
}

/** The recipient of a row, or the error: rules may have changed since the user was added. */
function derivedOf({ entry }: UserRow): Derived | string {
  try {
    const { kind: _user, ...derived } = acceptBulkUser(entry);
    return derived;
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'invalid_request') return storableError(error.message);
    throw error;
  }
}

function storableError(error: string): string {
  return storable(error.slice(0, ERROR_LENGTH_MAX));
}
