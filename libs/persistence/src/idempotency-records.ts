import { Logger } from '@nestjs/common';
import { KEY_LEASE_MS, KEY_RETENTION_MS_MIN, type KeyedCall, keyReused, type Outcome } from '@tidings/contracts/core/idempotency';
import type { Database, Queryable } from './database';
import { reasonOf } from './errors';
import { statement } from './statement';

const REMOVE_INTERVAL_MS = 60_000;
/** Rows per statement, and statements per removal: more than the keys created between two removals. */
export const REMOVED_MAX = 1_000;
const REMOVALS_MAX = 200;
/** A record may be removed between the conflict and its reading. */
const RESERVE_ATTEMPTS_MAX = 3;

const RECORD = 'call_id AS "callId", effect, outcome::json AS outcome, body_hash AS "bodyHash", requested_at AS "requestedAt"';

// SQL because one upsert decides between concurrent calls of a key, on the database's clock.
/**
 * Leases go by the database's clock, which all processes share; expiry by `$7`, the process's own. A record without a hash, and a
 * call without one, are of an earlier version: they fit any body.
 */
const RESERVE = statement(
  'idempotency-reserve',
  `INSERT INTO idempotency_keys AS existing (workspace_id, id, call_id, leased_until, expires_at, effect, requested_at, body_hash)
   VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond', $5, $6, $7, $8)
   ON CONFLICT (workspace_id, id) DO UPDATE
     SET call_id = excluded.call_id, leased_until = excluded.leased_until, outcome = NULL,
         effect = CASE WHEN existing.expires_at <= $7 THEN excluded.effect ELSE existing.effect END,
         expires_at = CASE WHEN existing.expires_at <= $7 THEN excluded.expires_at ELSE existing.expires_at END,
         requested_at = CASE WHEN existing.expires_at <= $7 THEN excluded.requested_at ELSE existing.requested_at END,
         body_hash = CASE WHEN existing.expires_at <= $7 THEN excluded.body_hash ELSE existing.body_hash END
     WHERE existing.expires_at <= $7
        OR (existing.outcome IS NULL AND (existing.body_hash = excluded.body_hash) IS NOT FALSE
            AND (existing.leased_until <= clock_timestamp() OR existing.call_id = excluded.call_id))
   RETURNING ${RECORD}`,
);
const FIND = statement(
  'idempotency-find',
  `SELECT ${RECORD} FROM idempotency_keys WHERE workspace_id = $1 AND id = $2 AND expires_at > $3`,
);
const STORE_EFFECT = statement(
  'idempotency-store-effect',
  `UPDATE idempotency_keys SET effect = $4
    WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND effect IS NULL AND outcome IS NULL`,
);
const SETTLE = statement(
  'idempotency-settle',
  `UPDATE idempotency_keys SET outcome = $4, effect = NULL, expires_at = $5
    WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL AND (effect IS NULL OR $6)`,
);
const COMPLETE = statement(
  'idempotency-complete',
  `UPDATE idempotency_keys SET leased_until = '-infinity', expires_at = $4
    WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL AND effect IS NOT NULL`,
);
const END_LEASE = statement(
  'idempotency-end-lease',
  `UPDATE idempotency_keys SET leased_until = '-infinity' WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL`,
);
const REMOVE = statement(
  'idempotency-remove',
  `DELETE FROM idempotency_keys WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL AND (effect IS NULL OR effect = $4)`,
);
const REMOVE_EXPIRED = statement(
  'idempotency-remove-expired',
  `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY (
     SELECT ctid FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${REMOVED_MAX} FOR UPDATE SKIP LOCKED))`,
);

/** The stored record of a key: the effect of a committed call, then its outcome. */
export interface KeyRecord {
  /** The call that has, or had, the lease. */
  readonly callId: string;
  readonly effect: string | null;
  readonly outcome: Outcome | null;
  /** Of the first request, and when it was received; both null in records of earlier versions. */
  readonly bodyHash: string | null;
  readonly requestedAt: Date | null;
}

/**
 * Records of requests with an `Idempotency-Key`, in the schema of the service that answers them. A call reserves a record, stores
 * its effect in the transaction that has it, then the outcome. An unfinished record is retained for a day. Records expire by `now`.
 */
export class IdempotencyRecords {
  private readonly logger = new Logger('Idempotency');
  private readonly removeExpiredPeriodically = oncePerMinute(() => this.removeExpired(), this.logger, 'expired idempotency keys');

  constructor(
    private readonly database: Database,
    private readonly now = Date.now,
    private readonly leaseMs = KEY_LEASE_MS,
  ) {}

  /**
   * Leases the key to a call, unless another one has the lease or has settled it; resolves with the key's record. The call has the
   * lease when that has the call's own id and no outcome; its effect is that of an earlier, unfinished call.
   * @param effect effect of a new record.
   * @throws `keyReused` if the record is that of a request with another body.
   */
  async reserve(call: KeyedCall, effect?: string): Promise<KeyRecord | undefined> {
    this.removeExpiredPeriodically();
    for (let attempt = 1; attempt <= RESERVE_ATTEMPTS_MAX; attempt += 1) {
      const now = this.now();
      const expiresAt = new Date(now + KEY_RETENTION_MS_MIN);
      const values = [...keyOf(call), this.leaseMs, expiresAt, effect ?? null, new Date(now), call.bodyHash ?? null];
      const [reserved] = await this.database.query<KeyRecord>(RESERVE, values);
      const record = reserved ?? (await this.find(call));
      if (!record) continue;
      assertSameBody(call, record);
      return record;
    }
    return undefined;
  }

  /** Stores a command's effect within its transaction; false when the call lost its key, or the key has an effect already. */
  async storeEffect(queryable: Queryable, call: KeyedCall, effect: string): Promise<boolean> {
    return (await queryable.execute(STORE_EFFECT, [...keyOf(call), effect])) > 0;
  }

  /** Stores the outcome until `expiresAt` (ms since the epoch); false when the call lost its key, or lacks the key's effect. */
  async settle(call: KeyedCall, outcome: Outcome, expiresAt: number): Promise<boolean> {
    const values = [...keyOf(call), JSON.stringify(outcome), new Date(expiresAt), call.effect !== undefined];
    return (await this.database.execute(SETTLE, values)) > 0;
  }

  /** Retains only the effect until `expiresAt` (ms since the epoch): each repetition makes the answer from it. */
  async complete(call: KeyedCall, expiresAt: number): Promise<boolean> {
    return (await this.database.execute(COMPLETE, [...keyOf(call), new Date(expiresAt)])) > 0;
  }

  /** Ends the lease: a record without effect, or with this `unused` one, is removed; one with effect is left to the next call. */
  async release(call: KeyedCall, unused?: string): Promise<void> {
    if ((await this.database.execute(REMOVE, [...keyOf(call), unused ?? null])) === 0) await this.database.execute(END_LEASE, keyOf(call));
  }

  /** The record of a key that has not expired. */
  async find({ workspaceId, id }: KeyedCall): Promise<KeyRecord | undefined> {
    const [record] = await this.database.query<KeyRecord>(FIND, [workspaceId, id, new Date(this.now())]);
    return record;
  }

  /** Removes expired records. @returns how many. */
  async removeExpired(): Promise<number> {
    return removeInBatches(() => this.database.execute(REMOVE_EXPIRED, [new Date(this.now())]));
  }
}

/** Runs a deletion of at most `REMOVED_MAX` rows until it finds fewer, a bounded number of times. @returns how many were removed. */
export async function removeInBatches(remove: () => Promise<number>): Promise<number> {
  let removed = 0;
  for (let round = 0; round < REMOVALS_MAX; round += 1) {
    const count = await remove();
    removed += count;
    if (count < REMOVED_MAX) break;
  }
  return removed;
}

/** Removes what is old at most once a minute, when called. Without a timer: while no call arrives there is nothing to remove. */
export function oncePerMinute(remove: () => Promise<number>, logger: Logger, what: string): () => void {
  let removeAt = performance.now() + REMOVE_INTERVAL_MS;
  return () => {
    const now = performance.now();
    if (now < removeAt) return;
    removeAt = now + REMOVE_INTERVAL_MS;
    remove().catch((error: unknown) => logger.warn(`Removing ${what} failed; retrying later: ${reasonOf(error)}`));
  };
}

function assertSameBody({ bodyHash }: KeyedCall, first: KeyRecord) {
  if (bodyHash === undefined || first.bodyHash === null || first.requestedAt === null) return;
  if (bodyHash !== first.bodyHash) throw keyReused(first.requestedAt);
}

function keyOf({ workspaceId, id, callId }: KeyedCall) {
  return [workspaceId, id, callId];
}
