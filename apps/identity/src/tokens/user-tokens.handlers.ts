import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type ReportUserTokens } from '@tidings/contracts/identity/token-reports';
import {
  type GetUserToken,
  type ListUserTokens,
  type PatchUserToken,
  PUSH_TOKENS_PER_USER_MAX,
  type PutUserToken,
  type PutUserTokens,
  type UserToken,
  type UserTokens,
  userTokens,
} from '@tidings/contracts/identity/user-tokens';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { patchToken } from './patch-token';
import { enforceBounds, lockUser, registerTokens } from './register-tokens';
import { applyReports } from './report-tokens';
import { hashOf, TOKEN_COLUMNS, type TokenRow, toStored, toUserToken } from './token.rows';

const LIST = statement(
  'push-tokens-list',
  `select ${TOKEN_COLUMNS} from push_tokens where workspace_id = $1 and user_id = $2
    order by registered_at desc, token_hash limit ${PUSH_TOKENS_PER_USER_MAX}`,
);
const ONE = `select ${TOKEN_COLUMNS}, bytes from push_tokens where workspace_id = $1 and token_hash = $2 and user_id = $3`;
const RETRIEVE = statement('push-tokens-retrieve', ONE);
const LOCK = statement('push-tokens-lock', `${ONE} for update`);
const UPDATE = statement(
  'push-tokens-update',
  `update push_tokens
      set provider_key = $3, device = $4, tracking = $5, properties = $6, expires_at = $7, bytes = $8, status = $9, status_reason = $10,
          failed_at = case when $9 = 'failed' then coalesce(failed_at, now()) end
    where workspace_id = $1 and token_hash = $2`,
);
const REMOVE = statement('push-tokens-remove', 'delete from push_tokens where workspace_id = $1 and token_hash = $2 and user_id = $3');

/** Push tokens. No error message contains one: messages may end in logs, and a holder of a token can pass as its device. */
@Handles(userTokens)
export class UserTokensHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
  ) {}

  async list({ workspaceId }: CallContext, { user_id, ...rest }: ListUserTokens): Promise<UserTokens> {
    rest satisfies Record<string, never>;
    const rows = await this.db.query<TokenRow>(LIST, [workspaceId, user_id]);
    const now = Date.now();
    return { tokens: rows.map((row) => toUserToken(row, now)) };
  }

  async retrieve({ workspaceId }: CallContext, { user_id, token, ...rest }: GetUserToken): Promise<UserToken> {
    rest satisfies Record<string, never>;
    const [row] = await this.db.query<TokenRow>(RETRIEVE, [workspaceId, hashOf(token), user_id]);
    if (!row) throw noToken(user_id);
    return toUserToken(row, Date.now());
  }

  async put(context: CallContext, { user_id, token, body, ...rest }: PutUserToken): Promise<void> {
    rest satisfies Record<string, never>;
    const { token: named, ...fields } = body;
    if (named !== undefined && named !== null && named !== token) {
      throw new ServiceError('invalid_request', 'token in the body must be the one in the path');
    }
    const stored = toStored({ ...fields, token }, '', new Date());
    await this.calls.once(context, (tx) => registerTokens(tx, context.workspaceId, user_id, [stored]));
  }

  /** All or none. Does nothing without tokens: the method of the SDKs has no parameter for them. */
  async putMany(context: CallContext, { user_id, tokens, ...rest }: PutUserTokens): Promise<void> {
    rest satisfies Record<string, never>;
    const now = new Date();
    const last = new Map((tokens ?? []).map((entry, index) => [entry.token, toStored(entry, `tokens[${index}]`, now)]));
    if (last.size === 0) return;
    await this.calls.once(context, (tx) => registerTokens(tx, context.workspaceId, user_id, [...last.values()]));
  }

  async patch(context: CallContext, { user_id, token, patch, ...rest }: PatchUserToken): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await lockUser(tx, workspaceId, user_id);
      const [row] = await tx.query<TokenRow & { bytes: number }>(LOCK, [workspaceId, hashOf(token), user_id]);
      if (!row) throw noToken(user_id);
      const patched = patchToken(row, patch, new Date());
      if (!patched) return;
      const { hash, providerKey, device, tracking, properties, expiresAt, bytes, status, status_reason } = patched;
      const details = [providerKey, device, tracking, properties, expiresAt?.toISOString() ?? null];
      await tx.execute(UPDATE, [workspaceId, hash, ...details, bytes, status, status_reason]);
      if (bytes > row.bytes) await enforceBounds(tx, workspaceId, user_id);
    });
  }

  async remove(context: CallContext, { user_id, token, ...rest }: GetUserToken): Promise<void> {
    rest satisfies Record<string, never>;
    await this.calls.once(context, async (tx) => {
      const removed = await tx.execute(REMOVE, [context.workspaceId, hashOf(token), user_id]);
      if (removed === 0) throw noToken(user_id);
    });
  }

  async report(context: CallContext, { reports, ...rest }: ReportUserTokens): Promise<void> {
    rest satisfies Record<string, never>;
    if (reports.length === 0) return;
    await this.calls.once(context, (tx) => applyReports(tx, reports, Date.now()));
  }
}

function noToken(userId: string): ServiceError {
  return new ServiceError('not_found', `User ${userId} has no such push token`);
}
