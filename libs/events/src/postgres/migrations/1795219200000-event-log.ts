import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LOCK_CLASS } from '../../locks';

/**
 * How long one wait for a place may last, before it is begun anew. A waiting statement keeps vacuum from removing what died
 * since it began, in the whole database, so it must not wait for ever.
 */
const PLACE_WAIT = '5s';

/**
 * Who may use the schema at all may append and read: PUBLIC below means those roles, since nobody else has USAGE on the
 * schema. Nobody but the owner may delete or change records; functions of the owner remove what is past its time.
 */
const TABLES = `
  CREATE TABLE events.topics (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    compacted boolean NOT NULL,
    retention_ms bigint,
    compacted_to bigint NOT NULL DEFAULT 0
  );
  COMMENT ON COLUMN events.topics.retention_ms IS 'null keeps for ever';
  COMMENT ON COLUMN events.topics.compacted_to IS 'up to this position older records of the same key are removed';

  CREATE SEQUENCE events.position;

  CREATE TABLE events.records (
    topic_id integer NOT NULL,
    position bigint NOT NULL,
    appended_at bigint NOT NULL,
    compacted boolean NOT NULL,
    id text NOT NULL,
    key text NOT NULL,
    payload text,
    PRIMARY KEY (topic_id, position)
  ) WITH (toast_tuple_target = 8160, autovacuum_vacuum_insert_scale_factor = 0.5);
  COMMENT ON COLUMN events.records.appended_at IS 'ms since the epoch';
  COMMENT ON COLUMN events.records.payload IS 'JSON text; null is a tombstone';
  -- Compressing costs more than it saves on rows that live for days.
  ALTER TABLE events.records ALTER COLUMN payload SET STORAGE EXTERNAL;
  -- A hash, because keys have no limit and entries of an index do.
  CREATE INDEX records_by_key ON events.records (topic_id, hashtextextended(key, 0), position) WHERE compacted;
  CREATE INDEX records_tombstones ON events.records (topic_id, position) WHERE compacted AND payload IS NULL;

  CREATE TABLE events.groups (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    topic_id integer NOT NULL REFERENCES events.topics,
    name text NOT NULL,
    position bigint NOT NULL DEFAULT 0,
    UNIQUE (topic_id, name)
  ) WITH (fillfactor = 30); -- room for a new place on the same page
  COMMENT ON COLUMN events.groups.position IS 'every record up to this position is handled';

  CREATE TABLE events.maintenance (
    one boolean PRIMARY KEY DEFAULT true CHECK (one),
    done_at bigint NOT NULL DEFAULT 0
  );
  INSERT INTO events.maintenance DEFAULT VALUES;

  GRANT SELECT, INSERT, UPDATE (compacted, retention_ms) ON events.topics TO PUBLIC;
  GRANT SELECT, INSERT ON events.records TO PUBLIC;
  GRANT USAGE, SELECT ON SEQUENCE events.position TO PUBLIC;
  GRANT SELECT, INSERT, UPDATE (position) ON events.groups TO PUBLIC;
  GRANT SELECT, UPDATE (done_at) ON events.maintenance TO PUBLIC;
`;

/**
 * Positions are drawn under the topics' locks, which are held until the commit is visible, so nobody ever sees a position
 * before a lower one of the same topic. Every statement of the function has a snapshot of its own, taken after the locks:
 * "since" sees whatever an earlier attempt left behind.
 */
const APPEND = `
  CREATE FUNCTION events.append(
    lock_topics integer[], compacted_topics integer[], topics integer[], ids text[], keys text[], payloads text[], since bigint
  ) RETURNS bigint LANGUAGE plpgsql AS $$
  DECLARE
    now_ms bigint;
    last bigint;
  BEGIN
    PERFORM pg_advisory_xact_lock(${LOCK_CLASS.append}, t) FROM unnest(lock_topics) AS t;
    now_ms := floor(extract(epoch FROM clock_timestamp()) * 1000);
    IF since IS NULL THEN
      INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload)
      SELECT e.topic_id, nextval('events.position'), now_ms, e.topic_id = ANY (compacted_topics), e.id, e.key, e.payload
      FROM unnest(topics, ids, keys, payloads) AS e (topic_id, id, key, payload);
      last := currval('events.position');
    ELSE
      INSERT INTO events.records (topic_id, position, appended_at, compacted, id, key, payload)
      SELECT e.topic_id, nextval('events.position'), now_ms, e.topic_id = ANY (compacted_topics), e.id, e.key, e.payload
      FROM (
        SELECT * FROM unnest(topics, ids, keys, payloads) WITH ORDINALITY AS n (topic_id, id, key, payload, place)
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

/** Session locks survive the exception's subtransaction. */
const PLACES = `
  CREATE FUNCTION events.await_place(group_id integer) RETURNS boolean LANGUAGE plpgsql SET lock_timeout = '${PLACE_WAIT}' AS $$
  BEGIN
    PERFORM pg_advisory_lock(${LOCK_CLASS.place}, group_id);
    RETURN true;
  EXCEPTION WHEN lock_not_available THEN
    RETURN false;
  END
  $$;
`;

const MAINTENANCE = `
  -- The oldest records of a topic, in chunks; also the position up to which they went.
  CREATE FUNCTION events.remove_expired(topic integer, now_ms bigint, chunk integer, OUT removed bigint, OUT up_to bigint)
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH expired AS (
      SELECT o.position
      FROM (SELECT r.position, r.appended_at FROM events.records r WHERE r.topic_id = topic ORDER BY r.position LIMIT chunk) AS o
      WHERE o.appended_at < now_ms - (SELECT t.retention_ms FROM events.topics t WHERE t.id = topic)
    ), gone AS (
      DELETE FROM events.records r USING expired e WHERE r.topic_id = topic AND r.position = e.position RETURNING r.position
    )
    SELECT count(*), max(position) FROM gone
  $$;

  -- Goes on where the last call ended: each newer record removes the older ones of its key. Returns how many records it went through.
  CREATE FUNCTION events.compact(topic integer, before_ms bigint, chunk integer) RETURNS bigint
  LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
  DECLARE
    since bigint := (SELECT t.compacted_to FROM events.topics t WHERE t.id = topic);
    up_to bigint;
    seen bigint;
  BEGIN
    SELECT count(*), max(f.position) INTO seen, up_to FROM (
      SELECT r.position, r.appended_at FROM events.records r WHERE r.topic_id = topic AND r.position > since ORDER BY r.position LIMIT chunk
    ) AS f WHERE f.appended_at < before_ms;
    IF seen = 0 THEN RETURN 0; END IF;
    DELETE FROM events.records o USING (
      SELECT r.key, max(r.position) AS position FROM events.records r
      WHERE r.topic_id = topic AND r.position > since AND r.position <= up_to GROUP BY r.key
    ) AS n
    WHERE o.topic_id = topic AND o.compacted AND o.position < n.position
      AND hashtextextended(o.key, 0) = hashtextextended(n.key, 0) AND o.key = n.key;
    UPDATE events.topics t SET compacted_to = up_to WHERE t.id = topic;
    RETURN seen;
  END
  $$;

  -- Tombstones that everybody has had time to see and that hide nothing any more.
  CREATE FUNCTION events.remove_tombstones(topic integer, before_ms bigint, chunk integer) RETURNS bigint
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH old AS (
      SELECT r.position FROM events.records r
      WHERE r.topic_id = topic AND r.compacted AND r.payload IS NULL AND r.appended_at < before_ms
        AND r.position <= (SELECT t.compacted_to FROM events.topics t WHERE t.id = topic)
      ORDER BY r.position LIMIT chunk
    ), gone AS (
      DELETE FROM events.records r USING old WHERE r.topic_id = topic AND r.position = old.position RETURNING 1
    )
    SELECT count(*) FROM gone
  $$;

  -- Letters that were put back, and nothing but letters.
  CREATE FUNCTION events.remove_dead(dead_topic text, positions bigint[]) RETURNS void
  LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    DELETE FROM events.records r USING events.topics t
    WHERE t.name = dead_topic AND t.name LIKE '%.dead' AND r.topic_id = t.id AND r.position = ANY (positions)
  $$;
`;

export class EventLog1795219200000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const part of [TABLES, APPEND, PLACES, MAINTENANCE]) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE events.maintenance, events.groups, events.records, events.topics');
    for (const name of ['append', 'await_place', 'remove_expired', 'compact', 'remove_tombstones', 'remove_dead']) {
      await runner.query(`DROP FUNCTION events.${name}`);
    }
    await runner.query('DROP SEQUENCE events.position');
  }
}
