import { connectionConfig } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { statement } from '@tidings/persistence/statement';
import { LOCK_CLASS } from '../locks';

/** Where a group of the log in PostgreSQL continues, and where it would have. */
export interface ResetPosition {
  readonly position: string;
  readonly before: string;
}

// SQL because the log has no entities.
const GROUPS = statement(
  'events-groups-of-topic',
  `select groups.id, groups.name from events.groups join events.topics on topics.id = groups.topic_id where topics.name = $1 order by groups.name`,
);
/** The lock of the member that works for the group. It ends with the connection. */
const LOCK = statement('events-group-reset-lock', `select pg_try_advisory_lock(${LOCK_CLASS.place}, $1::int) as locked`);
const RESET = statement(
  'events-group-reset',
  `update events.groups set position = coalesce((
     select min(position) - 1 from events.records where topic_id = groups.topic_id and appended_at >= $2
   ), (select last_value from events.position))
   from (select id, position as before from events.groups where id = $1 for update) earlier
   where groups.id = earlier.id returning groups.position::text as position, earlier.before::text as before`,
);

/**
 * As `resetGroup` over Kafka, in the log in PostgreSQL.
 * @param databaseUrl of a role that may use the group: the owner of the log, or the group's service.
 * @throws Error while the group is active, and where there is none of the name; DatabaseUnavailable
 */
export async function resetPostgresGroup(databaseUrl: string, topic: string, group: string, fromMs: number): Promise<ResetPosition> {
  const connection = await DedicatedConnection.open({
    ...connectionConfig({ databaseUrl, schema: 'events' }),
    application_name: 'tidings-replay',
  });
  try {
    const groups = await connection.query<{ id: number; name: string }>(GROUPS, [topic]);
    const found = groups.find(({ name }) => name === group);
    if (!found) {
      const others = groups.length > 0 ? `; groups of ${topic}: ${groups.map(({ name }) => name).join(', ')}` : '';
      throw new Error(`There is no group ${group} of ${topic} in the log in PostgreSQL, or it belongs to another role${others}`);
    }
    const [lock] = await connection.query<{ locked: boolean }>(LOCK, [found.id]);
    if (!lock!.locked) throw new Error(`Group ${group} is active: a process works for it. Stop it, and run the command again`);
    const [reset] = await connection.query<ResetPosition>(RESET, [found.id, fromMs]);
    return reset!;
  } finally {
    connection.close();
  }
}
