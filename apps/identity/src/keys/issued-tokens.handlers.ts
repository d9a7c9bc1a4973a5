import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { invalid } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { parseDuration } from '@tidings/contracts/core/duration';
import { ServiceError } from '@tidings/contracts/core/errors';
import {
  issuedTokens,
  type RotateSigningKey,
  type SignToken,
  type TokenClaims,
  TOKEN_ISSUER,
  TOKEN_LIFE_MAX,
  TOKEN_LIFE_MIN,
  TOKEN_SCOPE_LENGTH_MAX,
} from '@tidings/contracts/identity/issued-tokens';
import { firstNotGranted, parseTokenScopes } from '@tidings/contracts/scopes';
import { CallJournal } from '@tidings/persistence/call-journal';
import { transactionOf } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { addAuditEventToAll, operatorOf } from '../audit/audit-log';
import { publishKeyChange } from './key-store';
import { KeyEntity } from './key.entity';
import { SigningKeys } from './signing-keys';

const SECOND_MS = 1_000;

@Handles(issuedTokens)
export class IssuedTokensHandlers {
  private readonly logger = new Logger('IssuedTokens');

  constructor(
    @InjectRepository(KeyEntity) private readonly keys: Repository<KeyEntity>,
    private readonly journal: CallJournal,
    private readonly outbox: Outbox,
    private readonly signingKeys: SigningKeys,
  ) {}

  /**
   * Tokens are not stored: they contain their claims, and become invalid with their API key. Under an `Idempotency-Key` the claims
   * are stored and signed again: the same key gives the same claims the same signature.
   */
  async sign(context: CallContext, { key_id, scope, expires_in }: SignToken) {
    const lifeMs = parseDuration(expires_in, 'expires_in', { min: TOKEN_LIFE_MIN, max: TOKEN_LIFE_MAX });
    const scopes = parseTokenScopes(scope);
    const granted = scopes.join(' ');
    if (Buffer.byteLength(granted) > TOKEN_SCOPE_LENGTH_MAX) {
      throw invalid(`scope must not have more than ${TOKEN_SCOPE_LENGTH_MAX} bytes: the token would fit into no header`);
    }
    const { workspaceId } = context;
    const issuer = await this.keys.findOneBy({ workspaceId, id: key_id });
    if (!issuer?.valid) throw new ServiceError('unauthenticated', 'The API key is unknown, has expired or was revoked');
    const missing = firstNotGranted(scopes, issuer.scopes);
    if (missing !== undefined) throw new ServiceError('forbidden', `The API key lacks the scope ${missing}, so it cannot grant it`);

    const now = Date.now();
    const claims = await this.journal.drawOnce<TokenClaims>(context, () => ({
      iss: TOKEN_ISSUER,
      jti: randomUUID(),
      workspace_id: workspaceId,
      key_id,
      mode: issuer.mode,
      scope: granted,
      iat: Math.floor(now / SECOND_MS),
      exp: Math.ceil((now + lifeMs) / SECOND_MS),
    }));
    return { token: await this.signingKeys.sign(claims) };
  }

  async verificationKeys() {
    return { keys: await this.signingKeys.valid() };
  }

  async rotateKey(context: CallContext, { revoke_issued }: RotateSigningKey, tx: EntityManager) {
    const revokeIssued = revoke_issued ?? false;
    const { id, removedIds } = await this.signingKeys.rotate(tx, revokeIssued);
    for (const keyId of [id, ...removedIds]) await publishKeyChange(tx, this.outbox, SYSTEM_WORKSPACE_ID, keyId);
    const event = { actor: operatorOf(context), target: { id }, operation: issuedTokens.rotateKey.pattern };
    await addAuditEventToAll(tx, { ...event, type: 'signing-key:rotated' });
    if (revokeIssued) await addAuditEventToAll(tx, { ...event, type: 'issued-tokens:revoked' });
    transactionOf(tx).afterCommit(() =>
      this.logger.log(`Tokens are signed with key ${id} from now on${revokeIssued ? '; all issued tokens are refused' : ''}`),
    );
    return { key_id: id };
  }
}
