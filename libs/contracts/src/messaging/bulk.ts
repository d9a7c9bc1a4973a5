import { IsIn, IsOptional } from 'class-validator';
import { AnyObject, Int, IsListOf, IsNested, ObjectsOf, OptionalObject, OptionalText, Text, TextOf } from '../core/fields';
import { Fits, OptionalFits } from '../core/fits';
import { declaredFields, namedFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { OptionalUserId, type ProfileFields } from '../identity/profiles';
import { InlineAddresses } from './inline-addresses';
import { PREFERENCE_FIELDS, USER_FIELDS } from './message-fields';
import { Recipient } from './recipient';
import { UnaddressedMessage } from './send';
import { OptionalBrandName, OptionalTemplateName } from './send-limits';

/** Maximum users of one call; a job accepts any number of calls. */
export const BULK_USERS_MAX = 10_000;
export const BULK_USERS_PAGE_SIZE = 100;
/** Size of a job's message as JSON: answers contain all of it beside the counts. */
export const BULK_MESSAGE_BYTES_MAX = 3_000_000;
/** Size of a user of a job as JSON. */
export const BULK_USER_BYTES_MAX = 256 * 1024;

/** Long enough for every job id; longer texts match none. */
const JobId = TextOf(1, 512);

/** `CREATED`: users may be added. `ERROR`: the run produced no message. */
const BULK_JOB_STATUSES = ['CREATED', 'PROCESSING', 'COMPLETED', 'ERROR'] as const;
export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

/** `ENQUEUED`: a message exists, see its status. `ERROR`: no message was made, and none will be. */
const BULK_USER_STATUSES = ['PENDING', 'ENQUEUED', 'ERROR'] as const;
export type BulkUserStatus = (typeof BULK_USER_STATUSES)[number];

/**
 * The message to every user of a job. Its content is named by `event` (a template's id or alias, or an event mapped to one),
 * `template` or `content`, here or in `message`; other fields of a send may be in either, those of `message` win.
 */
export class BulkMessage extends UnaddressedMessage {
  /** With `content`: the event of the messages, as `metadata.event` of a send. */
  @OptionalTemplateName event?: string | null;

  /** The older name of `brand_id`. */
  @OptionalBrandName brand?: string | null;

  /** Stored and returned; it has no effect. */
  @OptionalObject locale?: Record<string, unknown> | null;

  /** Overrides by provider; under `channel` by channel; `brand` for the appearance of e-mails. */
  @OptionalObject override?: Record<string, unknown> | null;

  /** The message of a send, without `to`. */
  @OptionalFits(UnaddressedMessage) message?: UnaddressedMessage | null;
}

/** One user, or one address, of a job. */
export class BulkUser {
  /** The user's id. Without it and without `to.user_id` the address identifies the user. */
  @OptionalUserId recipient?: string | null;

  /** Merged over the stored profile, for this message. */
  @OptionalFits(InlineAddresses) profile?: ProfileFields | null;

  /** Merged over the data of the job. */
  @OptionalObject data?: Record<string, unknown> | null;

  /** They win over all other preferences. */
  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;

  /** The user in the form of a send: `user_id`, addresses, `tenant_id`, `data`, `preferences`. Fields beside `to` win. */
  @OptionalFits(Recipient) to?: Recipient | null;
}

export class CreateBulkJob {
  @Fits(BulkMessage) message: BulkMessage;
}

class BulkJobCreated {
  @Text jobId: string;
}

export class NamedBulkJob {
  @JobId job_id: string;
}

export class AddBulkUsers extends NamedBulkJob {
  /** Each a `BulkUser`; an invalid one is reported in `errors` and does not affect the others. */
  @ObjectsOf(BULK_USERS_MAX) users: object[];
}

export class BulkUserError {
  /** The user as sent. */
  @AnyObject user: object;

  @Text error: string;
}

class BulkUsersAdded {
  /** Users that this call added. */
  @Int total: number;

  /** The refused users with their errors. Ends early before the answer exceeds 4 MB. */
  @IsListOf(BulkUserError) errors: BulkUserError[];
}

export class BulkJob {
  /** The message as created; in `config` and `headers` of its overrides, values are hidden. */
  @AnyObject definition: object;

  /** Users with a message. */
  @Int enqueued: number;

  /** Users without a message because of an error. */
  @Int failures: number;

  /** Users of the job, failed ones included. */
  @Int received: number;

  @IsIn(BULK_JOB_STATUSES) status: BulkJobStatus;
}

class BulkJobFound {
  @IsNested(BulkJob) job: BulkJob;
}

export class ListBulkUsers extends CursorQuery {
  @JobId job_id: string;
}

/** A user as added, with its status. */
export class ListedBulkUser {
  @OptionalText recipient?: string | null;

  @IsOptional() profile?: unknown;

  @IsOptional() data?: unknown;

  @IsOptional() preferences?: unknown;

  @IsOptional() to?: unknown;

  @IsIn(BULK_USER_STATUSES) status: BulkUserStatus;

  /** Id of the message; present once `ENQUEUED`. */
  @OptionalText messageId?: string;

  /** The reason why there is no message. */
  @OptionalText error?: string;
}

class BulkUserPage extends pageOf(ListedBulkUser, 'items') {}

/** The answer of a run: an object without fields, which some clients require. */
class BulkJobRun {
  [field: string]: never;
}

export const bulk = defineOperations('messaging.bulk', 'bulk', {
  create: {
    command: true,
    route: 'POST /bulk',
    status: 201,
    summary: 'Create a bulk job',
    request: CreateBulkJob,
    // Unknown fields of `message` are reported in the history of the messages of its run.
    knownFields: declaredFields(CreateBulkJob),
    response: BulkJobCreated,
  },
  add: {
    command: true,
    route: 'POST /bulk/:job_id',
    summary: 'Add users to a bulk job',
    request: AddBulkUsers,
    knownFields: namedFields('users', { users: declaredFields(BulkUser, { preferences: PREFERENCE_FIELDS, to: USER_FIELDS }) }),
    response: BulkUsersAdded,
  },
  run: {
    command: true,
    route: 'POST /bulk/:job_id/run',
    status: 202,
    summary: 'Run a bulk job, once',
    request: NamedBulkJob,
    response: BulkJobRun,
  },
  retrieve: {
    route: 'GET /bulk/:job_id',
    summary: 'Get a bulk job with its counts',
    request: NamedBulkJob,
    response: BulkJobFound,
  },
  users: {
    route: 'GET /bulk/:job_id/users',
    summary: 'List the users of a bulk job',
    request: ListBulkUsers,
    response: BulkUserPage,
  },
});
