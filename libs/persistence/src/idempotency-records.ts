import { Logger } from '@nestjs/common';
import { KEY_KEPT_MS_MIN, type KeyedCall, type Outcome } from '@tidings/contracts/core/idempotency';
import type { Database, Queryable } from './database';
import { reasonOf } from './errors';
import { statement } from './statement';

/**
 * How long a call holds its key without a word. When its process dies the key is free afterwards; when it is only slow another call
 * may begin beside it, of which one commits its effect.
 */
const KEY_LEASE_MS = 5_000;
const FORGET_INTERVAL_MS = 60_000;
/** Rows that one statement removes, and statements in a row: above what keys are made between two removals. */
const FORGOTTEN_MAX = 1_000;
const FORGETS_MAX = 200;
/** A record may be removed between being met and being read. */
const RESERVE_ATTEMPTS_MAX = 3;

/** Leases go by the database's clock, which all processes share; expiry by `$7`, the process's own. */
const RESERVE = statement(
  'idempotency-reserve',
  `INSERT INTO idempotency_keys AS known (workspace_id, id, call_id, leased_until, expires_at, effect)
   VALUES ($1, $2, $3, clock_timestamp() + $4 * interval '1 millisecond', $5, $6)
   ON CONFLICT (workspace_id, id) DO UPDATE
     SET call_id = excluded.call_id, leased_until = excluded.leased_until, outcome = NULL,
         effect = CASE WHEN known.expires_at <= $7 THEN excluded.effect ELSE known.effect END,
         expires_at = CASE WHEN known.expires_at <= $7 THEN excluded.expires_at ELSE known.expires_at END
     WHERE known.expires_at <= $7
        OR (known.outcome IS NULL AND (known.leased_until <= clock_timestamp() OR known.call_id = excluded.call_id))
   RETURNING effect`,
);
const LOOK = statement(
  'idempotency-look',
  'SELECT call_id, effect, outcome FROM idempotency_keys WHERE workspace_id = $1 AND id = $2 AND expires_at > $3',
);
const KEEP_EFFECT = statement(
  'idempotency-keep-effect',
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
const LET_GO = statement(
  'idempotency-let-go',
  `UPDATE idempotency_keys SET leased_until = '-infinity' WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL`,
);
const REMOVE = statement(
  'idempotency-remove',
  `DELETE FROM idempotency_keys WHERE workspace_id = $1 AND id = $2 AND call_id = $3 AND outcome IS NULL AND effect IS NULL`,
);
const FORGET = statement(
  'idempotency-forget',
  `DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY (
     SELECT ctid FROM idempotency_keys WHERE expires_at <= $1 ORDER BY expires_at LIMIT ${FORGOTTEN_MAX} FOR UPDATE SKIP LOCKED))`,
);

/** What a call finds under its key. */
type Reservation =
  /** The key is this call's; `effect` is that of an earlier call, which did not come to its end. */
  | { readonly state: 'held'; readonly effect?: string }
  | { readonly state: 'in_flight' }
  | { readonly state: 'settled'; readonly outcome: Outcome; readonly callId: string };

export interface KeyRecord {
  readonly callId: string;
  readonly effect?: string;
  readonly outcome?: Outcome;
}

interface Row {
  call_id: string;
  effect: string | null;
  outcome: string | null;
}

interface IdempotencyRecordsOptions {
  /** The time by which records expire, ms since the epoch. */
  now?: () => number;
  leaseMs?: number;
}

/**
 * What is kept of requests with an `Idempotency-Key`, in the schema of the service that answers them. A record is reserved by a call,
 * takes the effect in the transaction that has it, then the outcome; what is reserved and never ends is kept for a day.
 */
export class IdempotencyRecords {
  private readonly logger = new Logger('Idempotency');
  private readonly now: () => number;
  private readonly leaseMs: number;
  private forgetAt = performance.now() + FORGET_INTERVAL_MS;

  constructor(
    private readonly database: Database,
    { now = Date.now, leaseMs = KEY_LEASE_MS }: IdempotencyRecordsOptions = {},
  ) {
    this.now = now;
    this.leaseMs = leaseMs;
  }

  /** Takes the key for a call, unless another one holds or has settled it. @param effect what a new record begins with. */
  async reserve(call: KeyedCall, effect?: string): Promise<Reservation> {
    this.forgetSometimes();
    for (let attempt = 1; attempt <= RESERVE_ATTEMPTS_MAX; attempt += 1) {
      const now = this.now();
      const expiresAt = new Date(now + KEY_KEPT_MS_MIN);
      const values = [...keyOf(call), this.leaseMs, expiresAt, effect ?? null, new Date(now)];
      const [held] = await this.database.query<Pick<Row, 'effect'>>(RESERVE, values);
      if (held) return { state: 'held', ...(held.effect !== null && { effect: held.effect }) };

      const record = await this.look(call);
      if (record?.outcome) return { state: 'settled', outcome: record.outcome, callId: record.callId };
      if (record) return { state: 'in_flight' };
    }
    return { state: 'in_flight' };
  }

  /** Keeps what a command did, as part of its transaction; false when the key is not this call's any more, or has an effect already. */
  async keepEffect(queryable: Queryable, call: KeyedCall, effect: string): Promise<boolean> {
    return (await queryable.execute(KEEP_EFFECT, [...keyOf(call), effect])) > 0;
  }

  /** Keeps the outcome until `expiresAt` (ms since the epoch); false when the key is not this call's any more, or has an effect of which `call` knows nothing. */
  async settle(call: KeyedCall, outcome: Outcome, expiresAt: number): Promise<boolean> {
    const values = [...keyOf(call), JSON.stringify(outcome), new Date(expiresAt), call.effect !== undefined];
    return (await this.database.execute(SETTLE, values)) > 0;
  }

  /** Keeps the effect alone until `expiresAt`: the answer is made of it whenever it is asked for. */
  async complete(call: KeyedCall, expiresAt: number): Promise<boolean> {
    return (await this.database.execute(COMPLETE, [...keyOf(call), new Date(expiresAt)])) > 0;
  }

  /** Gives the key back: what had no effect is forgotten; an effect is left to whoever asks next. */
  async release(call: KeyedCall): Promise<void> {
    if ((await this.database.execute(REMOVE, keyOf(call))) === 0) await this.database.execute(LET_GO, keyOf(call));
  }

  async look({ workspaceId, id }: KeyedCall): Promise<KeyRecord | undefined> {
    const [row] = await this.database.query<Row>(LOOK, [workspaceId, id, new Date(this.now())]);
    if (!row) return undefined;
    const { call_id: callId, effect, outcome } = row;
    return { callId, ...(effect !== null && { effect }), ...(outcome !== null && { outcome: JSON.parse(outcome) as Outcome }) };
  }

  /** Removes what has expired. @returns how many records. */
  async forget(): Promise<number> {
    let removed = 0;
    for (let round = 0; round < FORGETS_MAX; round += 1) {
      const count = await this.database.execute(FORGET, [new Date(this.now())]);
      removed += count;
      if (count < FORGOTTEN_MAX) break;
    }
    return removed;
  }

  /** No timer: where nobody sends keys there is nothing to forget. */
  private forgetSometimes(): void {
    const now = performance.now();
    if (now < this.forgetAt) return;
    this.forgetAt = now + FORGET_INTERVAL_MS;
    this.forget().catch((error: unknown) => this.logger.warn(`Expired idempotency keys could not be removed: ${reasonOf(error)}`));
  }
}

function keyOf({ workspaceId, id, callId }: KeyedCall): string[] {
  return [workspaceId, id, callId];
}
