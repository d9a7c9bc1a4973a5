import { Nullable, TextArray, Timestamp } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { KeyMode } from '@tidings/contracts/core/context';
import type { KeySummary } from '@tidings/contracts/identity/keys';

/** SQL: when the key ends without a write: by its rotation or its expiry, the earlier one; null if it does not. */
export const endOf = (key: string) => `least(${key}.valid_until, ${key}.expires_at)`;
/** SQL: the key opens its workspace. */
export const isValid = (key: string) => `(${key}.revoked_at is null and coalesce(${endOf(key)} > now(), true))`;

/** An API key. It is revoked, never deleted. */
@Entity('api_keys')
export class KeyEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  workspaceId: string;

  /** `hashApiKey` of the key. */
  @Column({ type: 'bytea', unique: true })
  hash: Buffer;

  @Column('text')
  mode: KeyMode;

  @TextArray()
  scopes: string[];

  @Timestamp()
  createdAt: Date;

  @Nullable('timestamptz')
  revokedAt: Date | null;

  @Nullable('text')
  name: string | null;

  /** The last characters of the key; null for short and for older keys. */
  @Nullable('text')
  hint: string | null;

  /** When a rotated key ends. */
  @Nullable('timestamptz')
  validUntil: Date | null;

  /** When the key expires. */
  @Nullable('timestamptz')
  expiresAt: Date | null;

  /** The guest list; null if the key may send to any recipient. */
  @Column('text', { array: true, nullable: true })
  recipients: string[] | null;

  /** `10/s`; null: none beside that of the workspace. */
  @Nullable('text')
  rateLimit: string | null;

  /** The last use, to the minute; null before. */
  @Nullable('timestamptz')
  usedAt: Date | null;

  @VirtualColumn({ type: 'boolean', query: isValid })
  readonly valid: boolean;
}

/** @param now in ms since the epoch: decides whether a key has ended. */
export function toKeySummary(row: KeyEntity, now: number): KeySummary {
  const { id, name, mode, scopes, recipients, rateLimit, hint, createdAt, usedAt, validUntil, expiresAt, revokedAt } = row;
  const isPast = (time: Date | null) => time !== null && time.getTime() <= now;
  const ended = revokedAt ?? (isPast(validUntil) ? validUntil : null);
  return {
    key_id: id,
    name: name ?? undefined,
    mode,
    scopes,
    recipients: recipients ?? undefined,
    rate_limit: rateLimit ?? undefined,
    hint: hint ?? undefined,
    status: ended ? 'revoked' : isPast(expiresAt) ? 'expired' : validUntil ? 'ending' : 'active',
    created_at: createdAt.toISOString(),
    last_used_at: usedAt?.toISOString(),
    expires_at: expiresAt?.toISOString(),
    valid_until: validUntil?.toISOString(),
    revoked_at: ended?.toISOString(),
  };
}
