import { advisoryClass } from '@tidings/persistence/advisory';
import { columnsOf } from '@tidings/persistence/columns-of';
import type { DataSource } from 'typeorm';
import { groupPrefixOf, TOPIC_ACCESS } from '../topic-access';

const LOCK_CLASS = advisoryClass('event-log', 'grant');

// SQL because the event log's tables have no entities.
const TOPICS = `
  INSERT INTO events.topics (name, compacted, retention_ms)
  SELECT * FROM unnest($1::text[], $2::boolean[], $3::bigint[])
  ON CONFLICT (name) DO UPDATE SET compacted = excluded.compacted, retention_ms = excluded.retention_ms
  WHERE (topics.compacted, topics.retention_ms) IS DISTINCT FROM (excluded.compacted, excluded.retention_ms)`;
/** Roles have the owner's prefix. */
const ACCESS = `
  WITH input AS (
    SELECT left(pg_get_userbyid(n.nspowner), -length('events')) || i.service AS role, t.id AS topic_id, i.may_append, i.may_read, i.group_prefix
    FROM unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[], $5::text[]) AS i (topic, service, may_append, may_read, group_prefix)
    JOIN events.topics t ON t.name = i.topic
    JOIN pg_namespace n ON n.nspname = 'events'
  ), removed AS (
    DELETE FROM events.topic_access a WHERE NOT EXISTS (SELECT FROM input i WHERE i.role = a.role AND i.topic_id = a.topic_id)
  )
  INSERT INTO events.topic_access (role, topic_id, may_append, may_read, group_prefix) SELECT * FROM input
  ON CONFLICT (role, topic_id) DO UPDATE
  SET may_append = excluded.may_append, may_read = excluded.may_read, group_prefix = excluded.group_prefix
  WHERE (topic_access.may_append, topic_access.may_read, topic_access.group_prefix)
    IS DISTINCT FROM (excluded.may_append, excluded.may_read, excluded.group_prefix)`;

/** Creates the topics of `TOPIC_ACCESS`, and gives the services' roles the rights that it names, no others. As the log's owner. */
export async function grantTopics(dataSource: DataSource): Promise<void> {
  const topics = TOPIC_ACCESS.map(({ topic }) => topic);
  const rights = TOPIC_ACCESS.flatMap(({ topic, writers, readers }) =>
    [...new Set([...writers, ...readers])].map((service) => ({
      topic: topic.topic,
      service,
      mayAppend: writers.includes(service),
      mayRead: readers.includes(service),
      groupPrefix: groupPrefixOf(service),
    })),
  );
  await dataSource.transaction(async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock($1, 0)', [LOCK_CLASS]);
    await tx.query(TOPICS, columnsOf(topics, 'topic', 'compacted', 'retentionMs'));
    await tx.query(ACCESS, columnsOf(rights, 'topic', 'service', 'mayAppend', 'mayRead', 'groupPrefix'));
  });
}
