import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LOCK_CLASS } from '../../locks';

/** Services whose roles append. */
const SERVICES = ['identity', 'audience', 'messaging', 'content', 'gateway'];

/** `events.append` with the traces of the records. Processes that do not trace call `events.append`, whose records have none. */
const APPEND_TRACED = `
  CREATE FUNCTION events.append_traced(
    lock_topics integer[], compacted_topics integer[], topics integer[], ids text[], keys text[], payloads text[], sequences text[],
    since bigint, traces text[]
  ) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    now_ms bigint;
    last bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS.append}, t) FROM unnest(lock_topics) AS t;
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
    INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload, sequence, trace)
    SELECT e.topic_id, nextval('events.position'), now_ms, e.topic_id = ANY (compacted_topics), e.id, e.key, e.payload, e.sequence, e.trace
    FROM (
      SELECT * FROM unnest(topics, ids, keys, payloads, sequences, traces) WITH ORDINALITY
        AS n (topic_id, id, key, payload, sequence, trace, place)
      WHERE since IS NULL OR NOT events.is_stored(n.topic_id, n.id, since)
      ORDER BY place
    ) AS e;
    SELECT last_value INTO last FROM events.position;
    PERFORM pg_notify('tidings_events_' || t, last::text) FROM unnest(lock_topics) AS t;
    RETURN last;
  END
  $$;
`;

/** Records carry the trace of their append, if it belongs to one. */
export class RecordTraces1795996800000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events.records ADD COLUMN trace text');
    await runner.query("COMMENT ON COLUMN events.records.trace IS 'W3C traceparent, and after a blank tracestate; null: of no trace'");
    await runner.query(APPEND_TRACED);
    const rows = (await runner.query(
      `SELECT quote_ident(left(pg_get_userbyid(nspowner), -length('events')) || s) AS role
       FROM pg_namespace, unnest($1::text[]) AS s WHERE nspname = 'events'`,
      [SERVICES],
    )) as { role: string }[];
    for (const { role } of rows) await runner.query(`GRANT EXECUTE ON FUNCTION events.append_traced TO ${role}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION events.append_traced');
    await runner.query('ALTER TABLE events.records DROP COLUMN trace');
  }
}
