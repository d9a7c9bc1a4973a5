import { Nullable, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { PushProviderKey, PushTokenStatus, TokenDevice, TokenTracking, UserToken } from '@tidings/contracts/identity/user-tokens';
import { isPast } from './token-status';

@Entity('push_tokens')
export class PushTokenEntity extends WorkspaceRow {
  /** `hashOf` the token. */
  @PrimaryColumn('bytea', { name: 'token_hash' })
  hash: Buffer;

  @Column({ type: 'text', collation: 'C' })
  token: string;

  @Column({ type: 'text', collation: 'C' })
  userId: string;

  @Column('text')
  providerKey: PushProviderKey;

  @Nullable('jsonb')
  device: TokenDevice | null;

  @Nullable('jsonb')
  tracking: TokenTracking | null;

  /** Any JSON value. */
  @Nullable('jsonb')
  properties: object | null;

  /** Size of the token with its details in an answer. */
  @Column('integer')
  bytes: number;

  /** Null for never. */
  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  expiresAt: Date | null;

  @Column('text', { default: 'active' })
  status: PushTokenStatus;

  @Nullable('text')
  statusReason: string | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  failedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, nullable: true })
  reportedAt: Date | null;

  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  registeredAt: Date;
}

/**
 * The token as clients receive it at `now` (ms since the epoch): an expired token is revoked. Expiry follows from the date and is not
 * stored as a status: a stored copy could only be late.
 */
export function toUserToken(row: PushTokenEntity, now: number): UserToken {
  const { token, providerKey, device, tracking, properties, expiresAt } = row;
  const isExpired = row.status !== 'revoked' && isPast(expiresAt, now);
  const statusReason = isExpired ? 'expired' : row.statusReason;
  return {
    token,
    provider_key: providerKey,
    ...(device !== null && { device }),
    ...(tracking !== null && { tracking }),
    expiry_date: expiresAt === null ? false : expiresAt.toISOString(),
    ...(properties !== null && { properties }),
    status: isExpired ? 'revoked' : row.status,
    ...(statusReason !== null && { status_reason: statusReason }),
  };
}
