import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import {
  type GetUserToken,
  type PatchUserToken,
  PUSH_TOKENS_PER_USER_MAX,
  type PutUserToken,
  type PutUserTokens,
  type ReportUserTokens,
  UserToken,
  userTokens,
} from '@tidings/contracts/identity/user-tokens';
import { transactionOf } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { PushTokenEntity, toUserToken } from './push-token.entity';
import { enforceBounds, lockUser, registerTokens } from './register-tokens';
import { applyReports } from './report-tokens';
import { hashOf, toStored } from './stored-token';
import type { NamedUser, PatchOperation } from '@tidings/contracts/identity/profiles';
import { validate } from '@tidings/contracts/core/validator';
import { deepEqual } from '../json/deep-equal';
import { applyPatch } from '../json/json-patch';
import { isPast } from './token-status';

/** Members that a token may not have; the patch finds them as `null`. */
const NOTHING = { device: null, tracking: null, properties: null, status_reason: null };

/** Push tokens. No error message contains one: messages may end in logs, and a holder of a token can pass as its device. */
@Handles(userTokens)
export class UserTokensHandlers {
  constructor(@InjectRepository(PushTokenEntity) private readonly rows: Repository<PushTokenEntity>) {}

  async list({ workspaceId }: CallContext, { user_id: userId }: NamedUser) {
    const order = { registeredAt: 'DESC', hash: 'ASC' } as const;
    const rows = await this.rows.find({ where: { workspaceId, userId }, order, take: PUSH_TOKENS_PER_USER_MAX });
    const now = Date.now();
    return { tokens: rows.map((row) => toUserToken(row, now)) };
  }

  async retrieve({ workspaceId }: CallContext, { user_id, token }: GetUserToken) {
    const row = await this.rows.findOneBy({ workspaceId, hash: hashOf(token), userId: user_id });
    if (!row) throw noToken(user_id);
    return toUserToken(row, Date.now());
  }

  async put({ workspaceId }: CallContext, { user_id, token, body, ...rest }: PutUserToken, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const { token: named, ...fields } = body;
    if (named !== undefined && named !== null && named !== token) {
      throw invalid('token in the body must be the one in the path');
    }
    const stored = toStored({ ...fields, token }, '', new Date());
    await registerTokens(transactionOf(tx), workspaceId, user_id, [stored]);
  }

  /** All or none. Does nothing without tokens: the method of the SDKs has no parameter for them. */
  async putMany({ workspaceId }: CallContext, { user_id, tokens, ...rest }: PutUserTokens, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const now = new Date();
    const last = new Map((tokens ?? []).map((entry, index) => [entry.token, toStored(entry, `tokens[${index}]`, now)]));
    if (last.size > 0) await registerTokens(transactionOf(tx), workspaceId, user_id, [...last.values()]);
  }

  async patch({ workspaceId }: CallContext, { user_id: userId, token, patch, ...rest }: PatchUserToken, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await lockUser(tx, workspaceId, userId);
    const where = { workspaceId, hash: hashOf(token), userId };
    const row = await tx.findOne(PushTokenEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (!row) throw noToken(userId);
    const patched = patchToken(row, patch, new Date());
    if (!patched) return;
    const failedAt = patched.status === 'failed' ? () => 'coalesce(failed_at, now())' : null;
    await tx.update(PushTokenEntity, where, { ...patched, failedAt });
    if (patched.bytes > row.bytes) await enforceBounds(transactionOf(tx), workspaceId, userId);
  }

  async remove({ workspaceId }: CallContext, { user_id, token }: GetUserToken, tx: EntityManager) {
    const { affected } = await tx.delete(PushTokenEntity, { workspaceId, hash: hashOf(token), userId: user_id });
    if (!affected) throw noToken(user_id);
  }

  async report(_context: CallContext, { reports, ...rest }: ReportUserTokens, tx: EntityManager) {
    rest satisfies Record<string, never>;
    if (reports.length > 0) await applyReports(transactionOf(tx), reports, Date.now());
  }
}

const noToken = (userId: string) => notFound(`User ${userId} has no such push token`);

/**
 * The token after a JSON Patch of its answered form; `undefined` where nothing changes. Everything but the token itself can be
 * changed, to values that a registration accepts. A new status drops the reason, unless the patch sets one. A patch does not renew
 * the registration. Throws `invalid_request` for a patch that cannot be applied, and for a result that is not a token.
 */
function patchToken(row: PushTokenEntity, patch: readonly PatchOperation[], now: Date) {
  const before = { ...NOTHING, ...toUserToken(row, now.getTime()) };
  const patched = applyPatch(before, patch);
  const writes = (target: string) => patch.some(({ op, path }) => path === target && op !== 'test');
  // Revoking an expired token is a change: its status is shown as revoked, but not stored.
  const writesStatus = writes('/status');
  if (!writesStatus && deepEqual(before, patched)) return undefined;
  const after = validate(UserToken, patched);
  if (after.token !== before.token) throw invalid('token cannot be changed: delete it and register the other');

  const { status: read, status_reason, ...entry } = after;
  const stored = toStored(entry, '', now);
  const statusGiven = writesStatus || read !== before.status;
  const status = statusGiven ? read : row.status;
  if (statusGiven && status !== 'revoked' && isPast(stored.expiresAt, now.getTime())) {
    throw invalid(`status cannot be ${status}: the token has expired, change expiry_date as well`);
  }
  // A reason that the patch writes belongs to the new status, even if it is unchanged; one left as it was does not.
  const reasonGiven = status_reason !== before.status_reason || writes('/status_reason') || (statusGiven && writes(''));
  const reasonLeft = status === row.status ? row.statusReason : null;
  return { ...stored, status, statusReason: reasonGiven ? (status_reason ?? null) : reasonLeft };
}
