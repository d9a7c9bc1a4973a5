import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { KEY_RETENTION_MS_MIN, type StoredOutcome, RequestKey, type Work } from '@tidings/contracts/core/idempotency';
import type { QueryRunner } from 'typeorm';
import { CallJournal } from './call-journal';
import type { Database } from './database';
import { insert, type Notebook } from './database.fixture';
import { AddIdempotencyBodies1795917600000, CreateIdempotencyKeys1700000000003 } from './idempotency.migrations';
import { IdempotencyRecords } from './idempotency-records';
import { StoredKeyedCalls } from './keyed-calls';

/** Longer than any test: a lease ends only by `endLease`. */
const LEASE_MS = 600_000;

interface AnswerOptions {
  secret?: boolean;
  retainedMs?: number;
  /** Default: none, as from a gateway of an earlier version. */
  bodyHash?: string;
}

/** A service that writes notes, with records of keyed calls. */
export class KeyedNotebook {
  /** Advances the clock by which records expire, in ms. */
  aheadMs = 0;
  readonly records: IdempotencyRecords;
  readonly calls: CallJournal;
  private readonly keyed: StoredKeyedCalls;

  private constructor(
    readonly notebook: Notebook,
    readonly database: Database,
  ) {
    this.records = new IdempotencyRecords(database, () => this.now(), LEASE_MS);
    this.calls = new CallJournal(database, this.records);
    this.keyed = new StoredKeyedCalls(this.records);
  }

  static async over(notebook: Notebook): Promise<KeyedNotebook> {
    for (const migration of [new CreateIdempotencyKeys1700000000003(), new AddIdempotencyBodies1795917600000()])
      await migration.up(notebook.database as unknown as QueryRunner);
    return new KeyedNotebook(notebook, notebook.database);
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** Answers a call under a key with `work`. */
  answer(context: CallContext, id: string, work: Work, options: AnswerOptions = {}): Promise<StoredOutcome> {
    const { secret = false, retainedMs = KEY_RETENTION_MS_MIN, bodyHash } = options;
    return this.keyed.answer(context, new RequestKey(id, this.now() + retainedMs, bodyHash), { secret }, work);
  }

  /** Answers a call under a key by writing a note in the transaction that stores the effect. */
  write(context: CallContext, id: string, note: string, answer: unknown = { written: note }): Promise<StoredOutcome> {
    return this.answer(context, id, this.writing(note, answer));
  }

  writing(note: string, answer: unknown = { written: note }): Work {
    return (context) =>
      this.calls.once(context, async (tx) => {
        await tx.query(insert, [note]);
        return answer;
      });
  }

  /** How often a note was written: repetitions differ in their suffix after the dot. */
  async count(note: string): Promise<number> {
    return (await this.notebook.notes()).filter((one) => one === note || one.startsWith(`${note}.`)).length;
  }

  /** Ends the lease of a key. */
  async endLease(id: string): Promise<void> {
    const text = `UPDATE idempotency_keys SET leased_until = leased_until - $2 * interval '1 millisecond' WHERE id = $1`;
    await this.database.query(text, [id, LEASE_MS]);
  }

  /** Effect and outcome stored for a key, as text. */
  async stored(id: string): Promise<string> {
    const text = 'SELECT coalesce(effect, $2) || coalesce(outcome, $2) AS stored FROM idempotency_keys WHERE id = $1';
    const [row] = await this.database.query<{ stored: string }>(text, [id, '']);
    return row?.stored ?? '';
  }
}

/** The context of a new call. */
export function request(workspaceId?: string): CallContext {
  return { ...systemContext(randomUUID()), ...(workspaceId !== undefined && { workspaceId }) };
}
