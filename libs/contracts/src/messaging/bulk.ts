import { IsIn, IsOptional } from 'class-validator';
import { AnyObject, Int, IsListOf, IsNested, ObjectsOf, OptionalObject, OptionalText, Text, TextOf } from '../core/fields';
import { Fits, OptionalFits } from '../core/fits';
import { declaredFields, namedFields } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';
import { PREFERENCE_FIELDS, RecipientPreferences } from '../core/preferences';
import { OptionalUserId, type ProfileFields } from '../identity/profiles';
import { InlineAddresses } from './inline-addresses';
import { USER_FIELDS } from './message-fields';
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

/** Id of the job, as `POST /bulk` returned it. @example "1-69a40ce0-0b6d1f3a9e5c47728812cd34" */
const JobId = TextOf(1, 512);

/** `CREATED`: users may be added. `ERROR`: the run produced no message. */
export const BULK_JOB_STATUSES = ['CREATED', 'PROCESSING', 'COMPLETED', 'ERROR'] as const;
export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

/** `ENQUEUED`: a message exists, see its status. `ERROR`: no message was made, and none will be. */
const BULK_USER_STATUSES = ['PENDING', 'ENQUEUED', 'ERROR'] as const;
export type BulkUserStatus = (typeof BULK_USER_STATUSES)[number];

/**
 * The message to every user of a job. Its content is named by `event` (a template's id or alias, or an event mapped to one),
 * `template` or `content`, here or in `message`; other fields of a send may be in either, those of `message` win.
 */
export class BulkMessage extends UnaddressedMessage {
  /**
   * Template with the content: its id, its alias, or an event mapped to it. Beside `content`: the name under which the messages are listed.
   * @example "invitation"
   */
  @OptionalTemplateName event?: string | null;

  /** The older name of `brand_id`. @example "default" */
  @OptionalBrandName brand?: string | null;

  /** Stored and returned; it has no effect. */
  @OptionalObject locale?: Record<string, unknown> | null;

  /** Settings by provider; in `channel` by channel; in `brand` the appearance of e-mails. @example { "smtp": { "timeouts": 60000 } } */
  @OptionalObject override?: Record<string, unknown> | null;

  /** The message of a send, without `to`. Its fields win over those beside it. */
  @OptionalFits(UnaddressedMessage) message?: UnaddressedMessage | null;
}

/** One user, or one address, of a job. */
export class BulkUser {
  /** Id of the user. Without it and `to.user_id` the address in `profile` or `to` identifies the user. @example "ada" */
  @OptionalUserId recipient?: string | null;

  /** Profile fields of the user for this message, merged over the stored profile. @example { "email": "ada@example.com" } */
  @OptionalFits(InlineAddresses) profile?: ProfileFields | null;

  /** Variables of this user, merged over those of the job. @example { "name": "Ada" } */
  @OptionalObject data?: Record<string, unknown> | null;

  /** Preferences for this message; they win over all others, except `REQUIRED`. */
  @OptionalFits(RecipientPreferences) preferences?: RecipientPreferences | null;

  /** The user in the form of a send: `user_id`, addresses, `tenant_id`, `data`, `preferences`. Fields beside `to` win. */
  @OptionalFits(Recipient) to?: Recipient | null;
}

export class CreateBulkJob {
  /**
   * The message to every user, at most 3 MB as JSON: `event`, `template` or `content`, and any other field of a send but `to`.
   * @example { "event": "invitation", "data": { "city": "Rome" } }
   */
  @Fits(BulkMessage) message: BulkMessage;
}

class BulkJobCreated {
  /** Id of the job. @example "1-69a40ce0-0b6d1f3a9e5c47728812cd34" */
  @Text jobId: string;
}

export class NamedBulkJob {
  @JobId job_id: string;
}

export class AddBulkUsers extends NamedBulkJob {
  /**
   * The users, at most 10,000 in a call and 256 KB each: `{recipient, profile, data, preferences, to}`. An invalid one is reported in
   * `errors` and does not affect the others.
   * @example [{ "recipient": "ada", "data": { "name": "Ada" } }]
   */
  @ObjectsOf(BULK_USERS_MAX) users: object[];
}

export class BulkUserError {
  /** The user as sent. */
  @AnyObject user: object;

  /** Why there will be no message to the user. @example "Duplicate user" */
  @Text error: string;
}

export class BulkUsersAdded {
  /** Number of users that this call added. @example 2 */
  @Int total: number;

  /** The users that were refused, with the reasons; cut before the answer exceeds 4 MB. */
  @IsListOf(BulkUserError) errors: BulkUserError[];
}

export class BulkJob {
  /**
   * The message as created, but values in `config` and `headers` of its overrides are hidden.
   * @example { "event": "invitation", "data": { "city": "Rome" } }
   */
  @AnyObject definition: object;

  /** Number of users with a message. @example 2 */
  @Int enqueued: number;

  /** Number of users without a message because of an error. @example 0 */
  @Int failures: number;

  /** Number of users of the job, failed ones included. @example 2 */
  @Int received: number;

  /**
   * `CREATED`: users may be added. `PROCESSING`: messages are being made. `COMPLETED`: every user has a message or an error. `ERROR`: the
   * run made no message.
   * @example "COMPLETED"
   */
  @IsIn(BULK_JOB_STATUSES) status: BulkJobStatus;
}

class BulkJobFound {
  /** The job with its counts. */
  @IsNested(BulkJob) job: BulkJob;
}

export class ListBulkUsers extends CursorQuery {
  @JobId job_id: string;
}

/** A user as added, with its status. */
export class ListedBulkUser {
  /** Id of the user, as added. @example "ada" */
  @OptionalText recipient?: string | null;

  /** Profile fields, as added. @example { "email": "ada@example.com" } */
  @IsOptional() profile?: unknown;

  /** Variables, as added. @example { "name": "Ada" } */
  @IsOptional() data?: unknown;

  /** Preferences, as added. @example { "categories": { "tpc_7Hd2kQm3xYb5nVwZ4cRt": { "status": "OPTED_IN" } } } */
  @IsOptional() preferences?: unknown;

  /** The user in the form of a send, as added. @example { "user_id": "ada" } */
  @IsOptional() to?: unknown;

  /**
   * `PENDING`: not processed yet. `ENQUEUED`: the message `messageId` exists, with a status of its own. `ERROR`: there is no message, see
   * `error`.
   * @example "ENQUEUED"
   */
  @IsIn(BULK_USER_STATUSES) status: BulkUserStatus;

  /** Id of the message; present once `ENQUEUED`. @example "1-69a40ce0-5f2b9c01d3e84a7766aa10fe" */
  @OptionalText messageId?: string;

  /** The reason why there is no message; present with `ERROR`. @example "Duplicate user" */
  @OptionalText error?: string;
}

/** @property items The users of this page, at most 100, in the order in which they were added. */
class BulkUserPage extends pageOf(ListedBulkUser, 'items') {}

/** The answer of a run: an object without fields, which some clients require. */
class BulkJobRun {
  [field: string]: never;
}

export const bulk = defineOperations('messaging.bulk', 'bulk', {
  /**
   * Nothing is sent yet: add users, then run the job. A message that a send would refuse is refused here.
   * @example { "message": { "event": "invitation", "data": { "city": "Rome" } } }
   */
  create: {
    audit: 'bulk-job:created',
    auditTarget: ['jobId'],
    command: true,
    route: 'POST /bulk',
    status: 201,
    summary: 'Create a bulk job',
    request: CreateBulkJob,
    unknownFields: 'reported', // those of `message` in the history of the messages of its run
    response: BulkJobCreated,
  },
  /**
   * Any number of calls may add users, until the job is run. A user who is in the job already is reported as `Duplicate user`, so a call
   * may be repeated.
   * @example { "users": [{ "recipient": "ada", "data": { "name": "Ada" } }, { "profile": { "email": "bo@example.com" } }] }
   */
  add: {
    command: true,
    route: 'POST /bulk/:job_id',
    quota: 'bulk_rows',
    summary: 'Add users to a bulk job',
    request: AddBulkUsers,
    unknownFields: 'reported',
    knownFields: namedFields('users', { users: declaredFields(BulkUser, { preferences: PREFERENCE_FIELDS, to: USER_FIELDS }) }),
    response: BulkUsersAdded,
  },
  /** Answers 202 before the messages are made; `GET /bulk/:job_id` shows the progress. A job that was run is refused with 400. */
  run: {
    audit: 'bulk-job:run',
    command: true,
    route: 'POST /bulk/:job_id/run',
    status: 202,
    summary: 'Run a bulk job, once',
    request: NamedBulkJob,
    response: BulkJobRun,
  },
  /** The counts are those of the users at this moment. */
  retrieve: {
    route: 'GET /bulk/:job_id',
    summary: 'Get a bulk job with its counts',
    request: NamedBulkJob,
    response: BulkJobFound,
  },
  /** In the order in which they were added, each with its status. */
  users: {
    route: 'GET /bulk/:job_id/users',
    summary: 'List the users of a bulk job',
    request: ListBulkUsers,
    response: BulkUserPage,
  },
});
