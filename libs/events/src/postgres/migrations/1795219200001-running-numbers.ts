import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LOCK_CLASS } from '../../locks';

/** `events.append` with the running numbers of its events; the older one stays for processes that still call it. */
const APPEND = `
  CREATE FUNCTION events.append(
    lock_topics integer[], compacted_topics integer[], topics integer[], ids text[], keys text[], payloads text[], sequences text[], since bigint
  ) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    now_ms bigint;
    last bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS.append}, t) FROM unnest(lock_topics) AS t;
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
    IF since IS NULL THEN
      INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload, sequence)
      SELECT e.topic_id, nextval('events.position'), now_ms, e.topic_id = ANY (compacted_topics), e.id, e.key, e.payload, e.sequence
      FROM unnest(topics, ids, keys, payloads, sequences) AS e (topic_id, id, key, payload, sequence);
      last := currval('events.position');
    ELSE
      INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload, sequence)
      SELECT e.topic_id, nextval('events.position'), now_ms, e.topic_id = ANY (compacted_topics), e.id, e.key, e.payload, e.sequence
      FROM (
        SELECT * FROM unnest(topics, ids, keys, payloads, sequences) WITH ORDINALITY AS n (topic_id, id, key, payload, sequence, place)
        WHERE NOT EXISTS (SELECT FROM events.records r WHERE r.topic_id = n.topic_id AND r.position > since AND r.id = n.id)
        ORDER BY place
      ) AS e;
      SELECT last_value INTO last FROM events.position;
    END IF;
    PERFORM pg_notify('tidings_events_' || t, last::text) FROM unnest(lock_topics) AS t;
    RETURN last;
  END
  $$;
`;

/** Records carry the running number of their key. Those of before have none. */
export class RunningNumbers1795219200001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE events.records ADD COLUMN sequence text');
    await runner.query("COMMENT ON COLUMN events.records.sequence IS 'decimal digits; grows with the records of a key'");
    await runner.query(APPEND);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION events.append(integer[], integer[], integer[], text[], text[], text[], text[], bigint)');
    await runner.query('ALTER TABLE events.records DROP COLUMN sequence');
  }
}
