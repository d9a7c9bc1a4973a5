import { Inject } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import { storableObject } from '@tidings/contracts/core/storable-object';
import { acceptBulkMessage } from '@tidings/contracts/messaging/accept-bulk';
import {
  type AddBulkUsers,
  bulk,
  BULK_MESSAGE_BYTES_MAX,
  BULK_USERS_PAGE_SIZE,
  type BulkJobCreated,
  type BulkJobFound,
  type BulkJobRun,
  type BulkUserPage,
  type BulkUsersAdded,
  type CreateBulkJob,
  type ListBulkUsers,
  type NamedBulkJob,
} from '@tidings/contracts/messaging/bulk';
import { assertConfigured, type NamePaths } from '@tidings/contracts/messaging/channel-names';
import { messageIdAt, newMessageId, requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { decodeCursor, PAGE_BYTES_MAX, toItemsPage, toPage } from '@tidings/persistence/page';
import { OverrideSecrets } from '@tidings/persistence/override-secrets';
import { assertTemplatesParse } from '@tidings/rendering/checks/template-check';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { ExpansionRunner } from '../expansion/expansion.runner';
import { ProviderConfigurations } from '../providers/provider-configurations';
import { addedOf, entriesOf, toBeStored } from './entries';
import { assertJob, assertNotRun, startRun, countAdded, createJob, type JobKey, readJob } from './job-store';
import { addUsers, endsEarly, readUsers, toListedUser } from './user-store';

@Handles(bulk)
export class BulkHandlers {
  constructor(
    private readonly database: Database,
    private readonly calls: CallJournal,
    private readonly expansions: ExpansionRunner,
    private readonly secrets: OverrideSecrets,
    private readonly providers: ProviderConfigurations,
    @Inject(Clock) private readonly clock: Clock,
  ) {}

  async create(context: CallContext, { message, ...rest }: CreateBulkJob): Promise<BulkJobCreated> {
    rest satisfies Record<string, never>;
    const { workspaceId, mode } = context;
    const stored = storableObject('message', this.secrets.sealBulk(workspaceId, message), BULK_MESSAGE_BYTES_MAX);
    const now = this.clock.now();
    const jobId = newMessageId(now);
    // A message that could not be run is refused now.
    let names: NamePaths | undefined;
    const onOwnNames = (found: NamePaths) => (names = found);
    acceptBulkMessage(message, { workspaceId, mode, id: jobId, requestedAt: now, checkContent: assertTemplatesParse, onOwnNames });
    if (names) assertConfigured(names, (await this.providers.ofMany([workspaceId], { anew: true })).get(workspaceId)!);
    return this.calls.once(context, async (tx) => {
      await createJob(tx, { workspaceId, uuid: requireMessageUuid(jobId) }, stored);
      return { jobId };
    });
  }

  /** Users and counts are stored in one transaction; a job that is run at the same time has all of these users or none. */
  async add(context: CallContext, { job_id, users, ...rest }: AddBulkUsers): Promise<BulkUsersAdded> {
    rest satisfies Record<string, never>;
    const key = keyOf(context, job_id);
    const entries = await entriesOf(users);
    return this.calls.once(context, async (tx) => {
      await assertNotRun(tx, key);
      const stored = await addUsers(tx, key, toBeStored(entries));
      const { received, failures, ...answer } = addedOf(entries, stored);
      await countAdded(tx, key, { received, failures });
      return answer;
    });
  }

  /** The messages have the mode of this call's API key: a test key simulates them. */
  async run(context: CallContext, { job_id, ...rest }: NamedBulkJob): Promise<BulkJobRun> {
    rest satisfies Record<string, never>;
    const key = keyOf(context, job_id);
    const { workspaceId, mode } = context;
    const now = this.clock.now();
    return this.calls.once(context, async (tx) => {
      const { message, status } = await startRun(tx, key);
      if (status !== 'PROCESSING') return {};
      // Ids, delays and retention of the messages count from the run, not from the creation of the job.
      const request = this.secrets.seal(acceptBulkMessage(message, { workspaceId, mode, id: messageIdAt(job_id, now), requestedAt: now }));
      await this.expansions.openWithin(tx, { ...request, targets: [{ kind: 'job', jobId: job_id }], jobId: job_id, lane: 'bulk' });
      return {};
    });
  }

  async retrieve(context: CallContext, { job_id, ...rest }: NamedBulkJob): Promise<BulkJobFound> {
    rest satisfies Record<string, never>;
    return { job: await readJob(this.database, keyOf(context, job_id)) };
  }

  async users(context: CallContext, { job_id, cursor, ...rest }: ListBulkUsers): Promise<BulkUserPage> {
    rest satisfies Record<string, never>;
    const key = keyOf(context, job_id);
    const tag = `bulk-users ${key.workspaceId} ${key.uuid}`;
    const [after] = cursor === undefined ? ['0'] : decodeCursor(tag, cursor, ['bigint']);
    const limit = BULK_USERS_PAGE_SIZE;
    const range = { after: String(after), limit: limit + 1, bytesMax: PAGE_BYTES_MAX };
    const [, rows] = await Promise.all([assertJob(this.database, key), readUsers(this.database, key, range)]);
    const fitting = endsEarly(rows, PAGE_BYTES_MAX) ? rows.length - 1 : limit;
    return toItemsPage(toPage(rows, { tag, limit: fitting, cursorOf: ({ ordinal }) => [ordinal], toItem: toListedUser }));
  }
}

function keyOf({ workspaceId }: CallContext, jobId: string): JobKey {
  return { workspaceId, uuid: requireMessageUuid(jobId, 'Bulk job') };
}
