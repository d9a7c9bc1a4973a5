import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsDefined, IsIn, IsInt, IsObject, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { Fits } from '../core/fits';
import { declaredFields, namedFields } from '../core/known-fields';
import { defineOperation } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';
import { RecipientPreferences } from '../core/preferences';
import { type ProfileFields, USER_ID_LENGTH_MAX } from '../identity/profiles';
import { InlineAddresses } from './inline-addresses';
import { PREFERENCE_FIELDS, USER_FIELDS } from './message-fields';
import { Recipient } from './recipient';
import { UnaddressedMessage } from './send';
import { BRAND_NAME_LENGTH_MAX, TEMPLATE_NAME_LENGTH_MAX } from './send-limits';

/** Users of one call; a job takes any number of calls. */
export const BULK_USERS_MAX = 10_000;
export const BULK_USERS_PAGE_SIZE = 100;
/** A job's message as JSON: it is answered whole, beside the counts. */
export const BULK_MESSAGE_BYTES_MAX = 3_000_000;
/** A user of a job as JSON. */
export const BULK_USER_BYTES_MAX = 256 * 1024;

/** Long enough for every job id; longer ones name nothing. */
const JOB_ID_LENGTH_MAX = 512;

/** `CREATED`: users may be added. `ERROR`: it was run, and not one message came of it. */
const BULK_JOB_STATUSES = ['CREATED', 'PROCESSING', 'COMPLETED', 'ERROR'] as const;
export type BulkJobStatus = (typeof BULK_JOB_STATUSES)[number];

/** `ENQUEUED`: there is a message, which tells what becomes of it. `ERROR`: there is none, and will be none. */
const BULK_USER_STATUSES = ['PENDING', 'ENQUEUED', 'ERROR'] as const;
export type BulkUserStatus = (typeof BULK_USER_STATUSES)[number];

/**
 * What every user of a job gets. What is said is named by `event` (a template's id or alias, or an event that is mapped to one),
 * `template` or `content`, here or in `message`; everything else of a send may stand in either place, `message` before this.
 */
export class BulkMessage extends UnaddressedMessage {
  /** Beside `content`: what the messages are listed under, as `metadata.event` of a send. */
  @IsOptional()
  @IsString()
  @Length(1, TEMPLATE_NAME_LENGTH_MAX)
  event?: string | null;

  /** The older name of `brand_id`. */
  @IsOptional()
  @IsString()
  @Length(1, BRAND_NAME_LENGTH_MAX)
  brand?: string | null;

  /** Kept and answered; it changes nothing. */
  @IsOptional()
  @IsObject()
  locale?: Record<string, unknown> | null;

  /** Overrides by provider; under `channel` by channel; `brand` for what an e-mail looks like. */
  @IsOptional()
  @IsObject()
  override?: Record<string, unknown> | null;

  /** A message as a send has it, but for `to`. */
  @IsOptional()
  @Fits(UnaddressedMessage)
  message?: UnaddressedMessage | null;
}

/** One user, or one address, of a job. */
export class BulkUser {
  /** The user's id. Without it and without `to.user_id` the address stands for the user. */
  @IsOptional()
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  recipient?: string | null;

  /** Merged over the stored profile, for this message. */
  @IsOptional()
  @Fits(InlineAddresses)
  profile?: ProfileFields | null;

  /** Merged over the data of the job. */
  @IsOptional()
  @IsObject()
  data?: Record<string, unknown> | null;

  /** Before everything that was said anywhere else. */
  @IsOptional()
  @Fits(RecipientPreferences)
  preferences?: RecipientPreferences | null;

  /** The same as a send names a user: `user_id`, addresses, `tenant_id`, `data`, `preferences`. What stands beside `to` counts before it. */
  @IsOptional()
  @Fits(Recipient)
  to?: Recipient | null;
}

export class CreateBulkJob {
  @IsDefined()
  @Fits(BulkMessage)
  message!: BulkMessage;
}

export class BulkJobCreated {
  @IsString()
  jobId!: string;
}

export class NamedBulkJob {
  @IsString()
  @Length(1, JOB_ID_LENGTH_MAX)
  job_id!: string;
}

export class AddBulkUsers extends NamedBulkJob {
  /** Each a `BulkUser`; one that is not valid is told in `errors` and holds up none of the others. */
  @IsArray()
  @ArrayMaxSize(BULK_USERS_MAX)
  @IsObject({ each: true })
  users!: object[];
}

export class BulkUserError {
  /** As it was sent. */
  @IsObject()
  user!: object;

  @IsString()
  error!: string;
}

export class BulkUsersAdded {
  /** Users this call added, who will be sent to. */
  @IsInt()
  total!: number;

  /** The others, with what is wrong with each. Ends early before the answer passes 4 MB. */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => BulkUserError)
  errors!: BulkUserError[];
}

export class BulkJob {
  /** As it was created; of `config` and `headers` of its overrides the names alone. */
  @IsObject()
  definition!: object;

  /** Users whose message was made. */
  @IsInt()
  enqueued!: number;

  /** Users who get no message. */
  @IsInt()
  failures!: number;

  /** Users of the job, those who failed included. */
  @IsInt()
  received!: number;

  @IsIn(BULK_JOB_STATUSES)
  status!: BulkJobStatus;
}

export class BulkJobFound {
  @IsDefined()
  @ValidateNested()
  @Type(() => BulkJob)
  job!: BulkJob;
}

export class ListBulkUsers extends CursorQuery {
  @IsString()
  @Length(1, JOB_ID_LENGTH_MAX)
  job_id!: string;
}

/** A user as it was added, and what became of it. */
export class ListedBulkUser {
  @IsOptional()
  @IsString()
  recipient?: string | null;

  @IsOptional()
  profile?: unknown;

  @IsOptional()
  data?: unknown;

  @IsOptional()
  preferences?: unknown;

  @IsOptional()
  to?: unknown;

  @IsIn(BULK_USER_STATUSES)
  status!: BulkUserStatus;

  /** Once it is enqueued. */
  @IsOptional()
  @IsString()
  messageId?: string;

  /** Why there is no message. */
  @IsOptional()
  @IsString()
  error?: string;
}

export class BulkUserPage {
  @IsDefined()
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => ListedBulkUser)
  items!: ListedBulkUser[];
}

/** What a run answers: an object without fields, because some clients can read nothing else. */
export class BulkJobRun {
  [field: string]: never;
}

export const bulk = {
  create: defineOperation({
    pattern: 'messaging.bulk.create',
    route: 'POST /bulk',
    status: 201,
    scope: 'write:bulk',
    summary: 'Create a bulk job',
    request: CreateBulkJob,
    // Fields of `message` are told of by the messages of its run.
    knownFields: declaredFields(CreateBulkJob),
    response: BulkJobCreated,
  }),
  add: defineOperation({
    pattern: 'messaging.bulk.add',
    route: 'POST /bulk/:job_id',
    scope: 'write:bulk',
    summary: 'Add users to a bulk job',
    request: AddBulkUsers,
    knownFields: namedFields('users', { users: declaredFields(BulkUser, { preferences: PREFERENCE_FIELDS, to: USER_FIELDS }) }),
    response: BulkUsersAdded,
  }),
  run: defineOperation({
    pattern: 'messaging.bulk.run',
    route: 'POST /bulk/:job_id/run',
    status: 202,
    scope: 'write:bulk',
    summary: 'Run a bulk job, once',
    request: NamedBulkJob,
    response: BulkJobRun,
  }),
  retrieve: defineOperation({
    pattern: 'messaging.bulk.retrieve',
    route: 'GET /bulk/:job_id',
    scope: 'read:bulk',
    summary: 'Get a bulk job with its counts',
    request: NamedBulkJob,
    response: BulkJobFound,
  }),
  users: defineOperation({
    pattern: 'messaging.bulk.users',
    route: 'GET /bulk/:job_id/users',
    scope: 'read:bulk',
    summary: 'List the users of a bulk job',
    request: ListBulkUsers,
    response: BulkUserPage,
  }),
};
