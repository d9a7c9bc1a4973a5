import {
  type Audience,
  AUDIENCE_MEMBERS_PAGE_SIZE,
  type AudienceMemberPage,
  type AudiencePage,
  audiences,
  AUDIENCES_PAGE_SIZE,
  type AudienceWritten,
  type ListAudienceMembers,
  type NamedAudience,
  type PutAudience,
} from '@tidings/contracts/audience/audiences';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toItemsPage, toPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { type AudienceRow, isPresent, type MemberRow, MEMBERS, PAGE, RETRIEVE, toAudience, toMember } from './audience.rows';
import { parseFilter } from './filter/parse-filter';
import { RebuildWorker } from './rebuild/rebuild-worker';
import { putAudience, removeAudience } from './store-audience';
import { lockWorkspaceExclusive } from './workspace-lock';

@Handles(audiences)
export class AudiencesHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly rebuilds: RebuildWorker,
  ) {}

  async list({ workspaceId }: CallContext, { cursor, ...rest }: CursorQuery): Promise<AudiencePage> {
    rest satisfies Record<string, never>;
    const tag = `audiences ${workspaceId}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<AudienceRow>(PAGE, [workspaceId, after, AUDIENCES_PAGE_SIZE + 1]);
    const cursorOf = ({ audience_id }: AudienceRow): string[] => [audience_id];
    return toItemsPage(toPage(rows, { tag, limit: AUDIENCES_PAGE_SIZE, cursorOf, toItem: toAudience }));
  }

  async retrieve({ workspaceId }: CallContext, { audience_id, ...rest }: NamedAudience): Promise<Audience> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<AudienceRow>(RETRIEVE, [workspaceId, audience_id]);
    if (!row) throw noAudience(audience_id);
    return toAudience(row);
  }

  async put(context: CallContext, request: PutAudience): Promise<AudienceWritten> {
    // Older clients repeat the id of the path in `id`; the path counts.
    const { audience_id, id: _, name, description, filter, operator, ...rest } = request;
    rest satisfies Record<string, never>;
    if (filter !== undefined) parseFilter({ filter, operator }); // refused before the lock is requested
    const { workspaceId } = context;
    return this.calls.once(context, async (tx) => {
      await lockWorkspaceExclusive(tx, workspaceId);
      const put = { audience_id, name, description, filter, operator };
      const { row, rebuild } = await putAudience(tx, this.outbox, workspaceId, put);
      if (rebuild) tx.afterCommit(() => this.rebuilds.wake());
      return { audience: toAudience(row) };
    });
  }

  async remove(context: CallContext, { audience_id, ...rest }: NamedAudience): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await lockWorkspaceExclusive(tx, workspaceId);
      if (!(await removeAudience(tx, workspaceId, audience_id))) throw noAudience(audience_id);
      tx.afterCommit(() => this.rebuilds.wake());
    });
  }

  async members({ workspaceId }: CallContext, { audience_id, cursor, ...rest }: ListAudienceMembers): Promise<AudienceMemberPage> {
    rest satisfies Record<string, never>;
    const tag = `audience-members ${workspaceId} ${audience_id}`;
    const [after] = cursor === undefined ? [''] : decodeCursor(tag, cursor, ['text']);
    const rows = await this.db.query<MemberRow>(MEMBERS, [workspaceId, audience_id, after, AUDIENCE_MEMBERS_PAGE_SIZE + 1]);
    if (rows.length === 0) throw noAudience(audience_id);
    const present = rows.filter(isPresent);
    const cursorOf = ({ user_id }: { user_id: string }): string[] => [user_id];
    return toItemsPage(toPage(present, { tag, limit: AUDIENCE_MEMBERS_PAGE_SIZE, cursorOf, toItem: toMember(audience_id) }));
  }
}

function noAudience(audienceId: string): ServiceError {
  return new ServiceError('not_found', `Audience ${audienceId} does not exist`);
}
