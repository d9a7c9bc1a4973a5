import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { brotliCompressSync, brotliDecompressSync, constants } from 'node:zlib';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { Client } from 'pg';

/** Commit before the redesign of messaging; `write-fixture.ts` ran it. */
export const EARLIER_COMMIT = '0069ccfde272bd5837c0989743488c51c096b643';

const FILE = path.join(__dirname, `data-of-${EARLIER_COMMIT.slice(0, 8)}.json.br`);
/** Time from the restore to the first delayed message: longer than a start, so that they are not due before. */
const DUE_IN_SECONDS = 20;

/** A send that was answered with 202. */
export interface AcceptedSend {
  id: string;
  email: string;
}

/** A complete mail that the mail server got before the kill. */
export interface EarlierMail {
  to: string;
  messageId: string;
  /** Answered with 451; else accepted, also when the answer did not arrive. */
  deferred: boolean;
}

/** What an earlier version left when it was killed. */
export interface EarlierData {
  commit: string;
  /** `delayed` to later; `waiting` for a retry; `unanswered` by the mail server; `recent`: accepted up to the kill. */
  sends: Record<'delayed' | 'waiting' | 'unanswered' | 'recent', AcceptedSend[]>;
  /** A send to the list, half of it expanded. Members are `member-0001`, … with addresses at example.com. */
  list: { id: string; requestId: string; members: number; expanded: number };
  /** A running bulk job for `worker-0001`, …. */
  job: { id: string; users: number; enqueued: number };
  openAttempts: number;
  mails: EarlierMail[];
  /** All schemas with their data, as `pg_dump` writes them. */
  sql: string;
}

/** `member-0001` and so on, in order. */
export function numbered(name: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${name}-${String(index + 1).padStart(4, '0')}`);
}

export function readEarlierData(): EarlierData {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as EarlierData;
}

/** Writes the fixture; returns its size in bytes. */
export function writeEarlierData(data: EarlierData): number {
  const text = Buffer.from(JSON.stringify(data));
  const compressed = brotliCompressSync(text, {
    params: { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS, [constants.BROTLI_PARAM_SIZE_HINT]: text.length },
  });
  writeFileSync(FILE, compressed);
  return compressed.length;
}

/**
 * Moves times of unfinished work, as if this start came shortly before the first delayed message is due: independent of the day,
 * no retry window and no retention has ended. Ids and histories stay.
 */
const MOVE = `
  create temporary table moved as
    select clock_timestamp() + interval '${DUE_IN_SECONDS} s' - min(due_at) as by from messaging.open_messages where stage = 'delayed';
  update messaging.open_messages set due_at = due_at + moved.by from moved;
  update messaging.expansions set due_at = due_at + moved.by from moved;
  update messaging.deliveries set due_at = due_at + moved.by, since_ms = since_ms + (1000 * extract(epoch from moved.by))::bigint from moved;
  update events.records set appended_at = appended_at + (1000 * extract(epoch from moved.by))::bigint from moved;
  update events.maintenance set done_at = done_at + (1000 * extract(epoch from moved.by))::bigint from moved`;

const FIRST_DUE = `select floor(1000 * extract(epoch from min(due_at)))::float8 as ms from messaging.open_messages where stage = 'delayed'`;

/** Restores the data to a new embedded PostgreSQL. Resolves with the time at which the first delayed message is due, in ms since the epoch. */
export async function restoreEarlierData({ sql }: EarlierData, dataDirectory: string): Promise<number> {
  const postgres = await EmbeddedPostgres.start({ directory: path.join(dataDirectory, 'postgres'), durable: false });
  try {
    const client = new Client({ connectionString: postgres.adminUrl });
    await client.connect();
    try {
      await client.query(sql);
      await client.query(MOVE);
      return (await client.query<{ ms: number }>(FIRST_DUE)).rows[0]!.ms;
    } finally {
      await client.end();
    }
  } finally {
    await postgres.stop();
  }
}
