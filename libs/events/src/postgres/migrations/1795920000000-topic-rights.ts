import type { MigrationInterface, QueryRunner } from 'typeorm';
import { LOCK_CLASS } from '../../locks';

/** Services whose roles may have rights. */
const SERVICES = ['identity', 'audience', 'messaging', 'content', 'gateway'] as const;

const TOPICS_OF_ROLE = (right: string) =>
  `topic_id = ANY (ARRAY(SELECT a.topic_id FROM events.topic_access a WHERE a.role = current_user AND a.${right}))`;

/** The owner is subject to no policy. */
const POLICIES = `
  CREATE TABLE events.topic_access (
    role name NOT NULL,
    topic_id integer NOT NULL REFERENCES events.topics,
    may_append boolean NOT NULL,
    may_read boolean NOT NULL,
    group_prefix text NOT NULL,
    PRIMARY KEY (role, topic_id)
  );
  COMMENT ON TABLE events.topic_access IS 'topics that a role may use; a topic without a row is the owner''s alone';
  COMMENT ON COLUMN events.topic_access.group_prefix IS 'names of the role''s groups begin with it';

  ALTER TABLE events.records ENABLE ROW LEVEL SECURITY;
  CREATE POLICY read ON events.records FOR SELECT USING (${TOPICS_OF_ROLE('may_read')});
  CREATE POLICY append ON events.records FOR INSERT WITH CHECK (${TOPICS_OF_ROLE('may_append')});

  ALTER TABLE events.groups ENABLE ROW LEVEL SECURITY;
  CREATE POLICY own ON events.groups USING (EXISTS (
    SELECT FROM events.topic_access a
    WHERE a.role = current_user AND a.topic_id = groups.topic_id AND a.may_read AND starts_with(groups.name, a.group_prefix)
  ));

  REVOKE ALL ON ALL TABLES IN SCHEMA events FROM PUBLIC;
  REVOKE ALL ON ALL SEQUENCES IN SCHEMA events FROM PUBLIC;
  REVOKE ALL ON ALL FUNCTIONS IN SCHEMA events FROM PUBLIC;
  ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;
`;

/**
 * A writer may not read its topic, but an append that is repeated must find what the one before stored. False for a topic to
 * which the session's role may not append.
 */
const IS_STORED = `
  CREATE FUNCTION events.is_stored(topic integer, event_id text, since bigint) RETURNS boolean
  LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    SELECT (
      pg_has_role(session_user, current_user, 'MEMBER')
      OR EXISTS (SELECT FROM events.topic_access a WHERE a.role = session_user AND a.topic_id = topic AND a.may_append)
    ) AND EXISTS (SELECT FROM events.records r WHERE r.topic_id = topic AND r.position > since AND r.id = event_id)
  $$;
`;

const appendFunction = (isStored: string) => `
  CREATE OR REPLACE FUNCTION events.append(
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
        WHERE NOT ${isStored}
        ORDER BY place
      ) AS e;
      SELECT last_value INTO last FROM events.position;
    END IF;
    PERFORM pg_notify('tidings_events_' || t, last::text) FROM unnest(lock_topics) AS t;
    RETURN last;
  END
  $$;
`;

/** What a role may do at all; the policies limit it to its topics and groups. */
const grantsTo = (role: string) => `
  GRANT SELECT ON events.topics, events.topic_access TO ${role};
  GRANT SELECT, INSERT ON events.records TO ${role};
  GRANT SELECT, INSERT (topic_id, name), UPDATE (position, given_to) ON events.groups TO ${role};
  GRANT USAGE, SELECT ON SEQUENCE events.position TO ${role};
  GRANT EXECUTE ON FUNCTION
    events.append(integer[], integer[], integer[], text[], text[], text[], text[], bigint),
    events.is_stored(integer, text, bigint),
    events.await_place(integer)
  TO ${role};
`;

/** Each role appends to and reads its own topics; maintenance and the removal of records are the owner's. */
export class TopicRights1795920000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(POLICIES);
    await runner.query(IS_STORED);
    await runner.query(appendFunction('events.is_stored(n.topic_id, n.id, since)'));
    const rows = (await runner.query(
      `SELECT quote_ident(left(pg_get_userbyid(nspowner), -length('events')) || s) AS role
       FROM pg_namespace, unnest($1::text[]) AS s WHERE nspname = 'events'`,
      [SERVICES],
    )) as { role: string }[];
    for (const { role } of rows) await runner.query(grantsTo(role));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      appendFunction('EXISTS (SELECT FROM events.records r WHERE r.topic_id = n.topic_id AND r.position > since AND r.id = n.id)'),
    );
    await runner.query('DROP FUNCTION events.is_stored(integer, text, bigint)');
    await runner.query('DROP POLICY own ON events.groups');
    await runner.query('DROP POLICY append ON events.records');
    await runner.query('DROP POLICY read ON events.records');
    await runner.query('ALTER TABLE events.groups DISABLE ROW LEVEL SECURITY');
    await runner.query('ALTER TABLE events.records DISABLE ROW LEVEL SECURITY');
    await runner.query('DROP TABLE events.topic_access');
    await runner.query(EARLIER_GRANTS);
  }
}

const EARLIER_GRANTS = `
  ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC;
  GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA events TO PUBLIC;
  GRANT SELECT, INSERT, UPDATE (compacted, retention_ms) ON events.topics TO PUBLIC;
  GRANT SELECT, INSERT ON events.records TO PUBLIC;
  GRANT USAGE, SELECT ON SEQUENCE events.position TO PUBLIC;
  GRANT SELECT, INSERT, UPDATE (position, given_to) ON events.groups TO PUBLIC;
  GRANT SELECT, UPDATE (done_at) ON events.maintenance TO PUBLIC;
`;
