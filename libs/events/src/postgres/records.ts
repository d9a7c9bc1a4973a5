import { statement } from '@tidings/persistence/statement';
import { traceIn } from './stored-trace';
import { parseRecord, type ReadRecord } from '../consumption';
import type { AnyRecord } from '../event-log';
import type { Session } from './session';

/** Limit of one page in memory; a larger record forms a page of its own. */
const READ_BYTES_MAX = 16 * 1024 * 1024;

// SQL because every consumer reads by it, and the database ends a page at its bytes.
const READ = statement(
  'events-read',
  `SELECT position, appended_at, id, key, payload, sequence, total, trace FROM (
     SELECT position, appended_at, id, key, payload, sequence, trace, sum(size) OVER (ORDER BY position ROWS UNBOUNDED PRECEDING) AS total, size FROM (
       SELECT position, appended_at, id, key, payload, sequence, trace, coalesce(pg_column_size(payload), 0) AS size
       FROM events.records WHERE topic_id = $1 AND position > $2 ORDER BY position LIMIT $3
     ) AS page
   ) AS measured
   WHERE total - size < ${READ_BYTES_MAX}
   ORDER BY position`,
);
type Row = [
  position: string,
  appendedAt: string,
  id: string,
  key: string,
  payload: string | null,
  sequence: string | null,
  total: string,
  trace: string | null,
];

/** Consecutive records of a topic. */
export interface RecordPage {
  records: ReadRecord[];
  /** No record followed these when they were read. */
  complete: boolean;
}

/** The records of a topic that follow `position`, in order. */
export async function readRecords(session: Session, topicId: number, position: number, limit: number): Promise<RecordPage> {
  const rows = await session.query<Row>(READ, [topicId, position, limit]);
  const bytes = Number(rows.at(-1)?.[6] ?? 0);
  return { records: rows.map(toRecord), complete: rows.length < limit && bytes < READ_BYTES_MAX };
}

function toRecord([position, appendedAt, id, key, text, sequence, , trace]: Row) {
  const size = text?.length ?? 0;
  const record: AnyRecord = { id, key, payload: null, position, appendedAt: Number(appendedAt), sequence: sequence ?? undefined, size };
  if (trace !== null) record.trace = traceIn(trace);
  return parseRecord(record, text);
}
