import { Nullable, TextArray, Timestamp } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { KeyMode } from '@tidings/contracts/core/context';
import type { KeySummary } from '@tidings/contracts/identity/keys';

/** SQL: the key opens its workspace. A rotated key ends at `valid_until`, without a write. */
export const isValid = (key: string) => `(${key}.revoked_at is null and (${key}.valid_until is null or ${key}.valid_until > now()))`;

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

  @VirtualColumn({ type: 'boolean', query: isValid })
  readonly valid: boolean;
}

/** @param now in ms since the epoch: decides whether a rotated key has ended. */
export function toKeySummary({ id, name, mode, scopes, hint, createdAt, validUntil, revokedAt }: KeyEntity, now: number): KeySummary {
  const ended = revokedAt ?? (validUntil !== null && validUntil.getTime() <= now ? validUntil : null);
  return {
    key_id: id,
    name: name ?? undefined,
    mode,
    scopes,
    hint: hint ?? undefined,
    status: ended ? 'revoked' : validUntil ? 'ending' : 'active',
    created_at: createdAt.toISOString(),
    valid_until: validUntil?.toISOString(),
    revoked_at: ended?.toISOString(),
  };
}
