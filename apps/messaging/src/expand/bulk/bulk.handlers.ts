import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { storableObject } from '@tidings/contracts/core/text';
import { acceptBulkMessage, acceptBulkUser, bulkUserId } from '@tidings/contracts/messaging/accept-bulk';
import {
  type AddBulkUsers,
  bulk,
  BULK_MESSAGE_BYTES_MAX,
  BULK_USER_BYTES_MAX,
  BULK_USERS_PAGE_SIZE,
  type BulkMessage,
  type BulkUserError,
  type BulkUsersAdded,
  type CreateBulkJob,
  type ListBulkUsers,
  type NamedBulkJob,
} from '@tidings/contracts/messaging/bulk';
import { assertConfigured, type NamePaths } from '@tidings/contracts/messaging/channel-names';
import { assertSenderAllowed, type GivenSender } from '@tidings/contracts/messaging/given-sender';
import { areSameLimits, assertTargetWithin, type KeyLimits, limitsOf } from '@tidings/contracts/messaging/key-limits';
import { messageIdAt, newMessageId, requireMessageUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { UserTarget } from '@tidings/contracts/messaging/targets';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { decodeCursor, PAGE_BYTES_MAX, toPage } from '@tidings/persistence/page';
import { type Counted, countForQuota } from '@tidings/persistence/quotas';
import { sentWarnings } from '@tidings/rendering/checks/element-problems';
import { checkSentContent } from '@tidings/rendering/checks/template-check';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { traceToContinue } from '@tidings/tracing/spans';
import { type EntityManager, type ObjectLiteral, Repository } from 'typeorm';
import { ExpansionRunner } from '../expansion.runner';
import { ProviderConfigurations } from '../../providers/provider-configurations';
import { SenderDomains } from '../../providers/sender-domains';
import { BulkJobEntity, type JobKey, toBulkJob } from './bulk-job.entity';
import { keyOf, noJob } from './job-key';
import {
  type AddedUser,
  addUsers,
  changeProfilesOfUser,
  endsEarly,
  type NewUser,
  readUsers,
  toListedUser,
  type UserRow,
} from './user-store';

/** Credentials in the profiles of a call. */
const CREDENTIALS_MAX = 40_000;

/** The checked users of a call. */
interface NewUsers {
  key: JobKey;
  entries: readonly Entry[];
  /** Without those that another entry of the call replaces: it has the same recipient. */
  counted: ReadonlySet<Entry>;
}

@Handles(bulk)
export class BulkHandlers {
  constructor(
    @InjectRepository(BulkJobEntity) private readonly jobs: Repository<BulkJobEntity>,
    private readonly database: Database,
    private readonly expansions: ExpansionRunner,
    private readonly secrets: OverrideSecrets,
    private readonly profileSecrets: ProfileSecrets,
    private readonly configurations: ProviderConfigurations,
    private readonly senders: SenderDomains,
    private readonly clock: Clock,
  ) {}

  /** Loads the providers and parses the templates, so that a message that could not be run is refused now. */
  async prepareCreate(context: CallContext, { message }: CreateBulkJob) {
    const { workspaceId, mode } = context;
    const limits = limitsOf(context);
    const sealed = this.secrets.sealBulk(workspaceId, message);
    storableObject('message', sealed, BULK_MESSAGE_BYTES_MAX);
    const now = this.clock.now();
    const jobId = newMessageId(now);
    let names: NamePaths | undefined;
    const onOwnNames = (found: NamePaths) => (names = found);
    let sender: GivenSender | undefined;
    const onSender = (found: GivenSender) => (sender = found);
    acceptBulkMessage(message, {
      workspaceId,
      mode,
      limits,
      id: jobId,
      requestedAt: now,
      checkContent: checkSentContent,
      onOwnNames,
      onSender,
    });
    if (names) assertConfigured(names, await this.configurations.of(workspaceId, { anew: true }));
    if (sender) assertSenderAllowed(sender, await this.senders.allowedToSends(workspaceId));
    return { jobId, message: sealed, limits };
  }

  /** The message is checked, its secrets are sealed. */
  async create(
    { workspaceId }: CallContext,
    _: CreateBulkJob,
    tx: EntityManager,
    { jobId, message, limits }: { jobId: string; message: BulkMessage; limits?: KeyLimits },
  ) {
    // `ObjectLiteral`: TypeORM's type of values does not accept data of any type.
    await tx.insert<ObjectLiteral>(BulkJobEntity, { workspaceId, uuid: requireMessageUuid(jobId), message, limits });
    return { jobId };
  }

  async prepareAdd(context: CallContext, { job_id, users }: AddBulkUsers) {
    return { key: keyOf(context, job_id), ...(await checkUsers(users, this.sealing(context))) };
  }

  /** Users and counts are stored in one transaction; a job that is run at the same time has all of these users or none. */
  async add(context: CallContext, _request: AddBulkUsers, tx: EntityManager, { key, entries, counted }: NewUsers) {
    const transaction = transactionOf(tx);
    const job = await tx.findOne(BulkJobEntity, { select: { uuid: true, limits: true }, where: { ...key, status: 'CREATED' } });
    if (!job) throw await notOpen(tx, key);
    assertSameLimits(context, key, job);
    const { limits } = job;
    if (limits) for (const { target } of entries) if (target) assertTargetWithin(limits, target);
    const stored = await addUsers(transaction, key, [...counted]);
    const inserted = stored.filter((one) => one.inserted);
    const failed = inserted.filter(({ status }) => status === 'ERROR').length;
    const corrected = stored.filter((one) => !one.inserted && one.status === 'PENDING').length;
    // Last, because a concurrent run waits for the commit.
    const isOpen = (await transaction.execute(COUNT_USERS, [key.workspaceId, key.uuid, inserted.length, failed - corrected])) > 0;
    if (!isOpen) throw await notOpen(tx, key);
    await countForQuota(transaction, context, OPEN_ROWS, inserted.length);
    return addedOf(entries, counted, stored);
  }

  /** The refused users as they were given. */
  presentAdd(context: CallContext, { errors, ...recorded }: BulkUsersAdded) {
    return { ...recorded, errors: errors.map((one) => ({ ...one, user: this.opened(context, one.user, 'a refused user') })) };
  }

  /** The messages have the mode of this call's API key: a test key simulates them. */
  async run(context: CallContext, { job_id }: NamedBulkJob, tx: EntityManager) {
    const { workspaceId, mode } = context;
    const now = this.clock.now();
    const key = keyOf(context, job_id);
    const job = await startRun(tx, key);
    assertSameLimits(context, key, job);
    const { message, status } = job;
    if (status !== 'PROCESSING') return {};
    // Ids, delays and retention of the messages count from the run, not from the creation of the job.
    const limits = job.limits ?? undefined;
    const acceptance = { workspaceId, mode, limits, id: messageIdAt(job_id, now), requestedAt: now, checkContent: sentWarnings };
    const request = this.secrets.seal(acceptBulkMessage(message, acceptance));
    const targets = [{ kind: 'job', jobId: job_id } as const];
    const trace = traceToContinue(context);
    await this.expansions.openWithin(transactionOf(tx), { ...request, targets, jobId: job_id, lane: 'bulk', ...(trace && { trace }) });
    return {};
  }

  async retrieve(context: CallContext, { job_id }: NamedBulkJob) {
    const key = keyOf(context, job_id);
    const row = await this.jobs.findOneBy(key);
    if (!row) throw noJob(key);
    return { job: toBulkJob(row) };
  }

  async users(context: CallContext, { job_id, cursor }: ListBulkUsers) {
    const key = keyOf(context, job_id);
    const tag = `bulk-users ${key.workspaceId} ${key.uuid}`;
    const [after] = cursor === undefined ? ['0'] : decodeCursor(tag, cursor, ['bigint']);
    const limit = BULK_USERS_PAGE_SIZE;
    const range = { after: String(after), limit: limit + 1, bytesMax: PAGE_BYTES_MAX };
    const [exists, rows] = await Promise.all([this.jobs.existsBy(key), readUsers(this.database, key, range)]);
    if (!exists) throw noJob(key);
    const fitting = endsEarly(rows, PAGE_BYTES_MAX) ? rows.length - 1 : limit;
    const of = `a user of bulk job ${job_id}`;
    const toItem = (row: UserRow) => this.opened(context, toListedUser(row), of);
    return toPage(rows, { tag, limit: fitting, cursorOf: ({ ordinal }) => [ordinal], toItem });
  }

  private opened<User extends object>({ workspaceId }: CallContext, user: User, of: string) {
    return changeProfilesOfUser(user, (profile) => this.profileSecrets.openForReader(workspaceId, profile, { path: 'profile', of }));
  }

  /** Seals the credentials of the users of one call, which throws for too many and for a sealed one. */
  private sealing({ workspaceId }: CallContext): SealUser {
    const budget = { left: CREDENTIALS_MAX };
    return (user) =>
      changeProfilesOfUser(user, (profile) => {
        this.profileSecrets.assertGiven(profile, { budget });
        return this.profileSecrets.seal(workspaceId, profile);
      });
  }
}

// SQL because one statement adds to both counts, without reading the job, while it accepts users.
const COUNT_USERS = statement(
  'messaging.count_bulk_users',
  `update bulk_jobs set received = received + $3, failures = failures + $4 where workspace_id = $1 and job_id = $2 and status = 'CREATED'`,
);

/** All users of jobs that are not finished. */
const OPEN_ROWS: Counted = {
  name: 'bulk_rows',
  count: statement(
    'messaging.count_open_bulk_rows',
    `select least(coalesce(sum(received), 0), $2) as count from bulk_jobs where workspace_id = $1 and status in ('CREATED', 'PROCESSING')`,
  ),
};

/** Starts the run, which only one caller can do. Resolves with the job as it is then. @throws as `notOpen`. */
async function startRun(tx: EntityManager, key: JobKey) {
  const job = await tx.findOne(BulkJobEntity, { where: { ...key, status: 'CREATED' }, lock: { mode: 'pessimistic_write' } });
  if (!job) throw await notOpen(tx, key);
  // Users that failed when they were added are sent nothing: without other users the run ends at once.
  job.status = job.received > job.failures ? 'PROCESSING' : job.received > 0 ? 'ERROR' : 'COMPLETED';
  await tx.update(BulkJobEntity, key, { status: job.status, runAt: () => 'now()' });
  return job;
}

/**
 * A key with limits uses only jobs that were created with the same: others may have content and users that it may not send.
 * @throws ServiceError `forbidden`.
 */
function assertSameLimits(context: CallContext, { uuid }: JobKey, { limits }: Pick<BulkJobEntity, 'limits'>) {
  const own = limitsOf(context);
  if (!own || areSameLimits(own, limits)) return;
  throw new ServiceError('forbidden', `Bulk job ${uuidToMessageId(uuid)} was created by an API key with other limits than this one`);
}

/** The refusal of a job that accepts no users and no run: `not_found`, or `invalid_request` where it was run. */
async function notOpen(tx: EntityManager, key: JobKey) {
  if (!(await tx.existsBy(BulkJobEntity, key))) return noJob(key);
  const id = uuidToMessageId(key.uuid);
  return invalid(`Bulk job ${id} was already run: it accepts no more users and runs only once; create another job`);
}

/** One user of a call, the credentials of its profile sealed. */
interface Entry extends NewUser {
  readonly user: object;
  /** Absent if the user is invalid. */
  readonly target?: UserTarget;
}

/** Seals the credentials of a user. */
type SealUser = (user: object) => object;

/** Checks the users of a call. Of several for one recipient the first valid one counts; where none is valid, the first. */
async function checkUsers(users: readonly object[], seal: SealUser) {
  const yielder = new EventLoopYielder();
  const counting = new Map<string | null, Entry>();
  const entries: Entry[] = [];
  for (const user of users) {
    const entry = entryOf(user, seal);
    entries.push(entry);
    const before = counting.get(entry.recipient);
    if (!before || (before.error !== null && entry.error === null)) counting.set(entry.recipient, entry);
    await yielder.yieldIfDue();
  }
  const counted = new Set(entries.filter((entry) => entry.recipient === null || counting.get(entry.recipient) === entry));
  return { entries, counted };
}

/** The answer for the entries, given the stored ones. Users added by earlier calls are duplicates and not counted. */
function addedOf(entries: readonly Entry[], counted: ReadonlySet<Entry>, stored: readonly AddedUser[]) {
  const present = new Set(stored.map(({ recipient }) => recipient));
  const refused = entries.flatMap((entry) => {
    const isAdded = entry.error === null && counted.has(entry) && present.has(entry.recipient);
    return isAdded ? [] : [{ user: entry.user, error: entry.error ?? 'Duplicate user' }];
  });
  let bytes = 0;
  const fits = (one: BulkUserError) => (bytes += Buffer.byteLength(JSON.stringify(one)) + 1) <= PAGE_BYTES_MAX;
  const errors = refused.filter((one) => bytes <= PAGE_BYTES_MAX && fits(one));
  return { total: entries.length - refused.length, errors };
}

function entryOf(given: object, seal: SealUser) {
  const user = seal(given);
  const entry = JSON.stringify(user);
  try {
    const target = acceptBulkUser(given);
    return { user, target, recipient: target.recipient, entry, error: null };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_request') throw error;
    const recipient = bulkUserId(given) ?? null;
    const listable = Buffer.byteLength(JSON.stringify(given)) <= BULK_USER_BYTES_MAX ? entry : JSON.stringify({ recipient });
    return { user, recipient, entry: listable, error: error.message };
  }
}
