import { connectionConfig } from '@tidings/persistence/connection';
import { DedicatedConnection } from '@tidings/persistence/dedicated-connection';
import { statement } from '@tidings/persistence/statement';
import type { InspectedPage, LogInspection } from '../inspection';

const PAGE_RECORDS = 500;

// SQL because the log has no entities.
const EXISTS = statement('events-inspection-exists', `select to_regclass('events.records') is not null as exists`);
const BEGIN = statement(
  'events-inspection-begin',
  `select topics.id, (select last_value from events.position)::text as last,
          coalesce((select position from events.groups where topic_id = topics.id and name = $2), 0)::text as handled
     from events.topics where topics.name = $1`,
);
const PAGE = statement(
  'events-inspection-page',
  `select key, payload, appended_at::float8 as "appendedAt", position::text as position, position <= $4 as "isHandled"
     from events.records where topic_id = $1 and position > $2 and position <= $3 order by position limit ${PAGE_RECORDS}`,
);

interface Row {
  key: string;
  payload: string | null;
  appendedAt: number;
  position: string;
  isHandled: boolean;
}

/** An inspection of a topic of the log in PostgreSQL. */
export class PostgresInspection implements LogInspection {
  private constructor(
    private readonly connection: DedicatedConnection,
    private readonly topic: string,
    private readonly group: string,
  ) {}

  /**
   * @param databaseUrl of a role that may read the topic. Resolves with undefined where the database has no log.
   * @throws DatabaseUnavailable
   */
  static async open(databaseUrl: string, topic: string, group: string): Promise<PostgresInspection | undefined> {
    const connection = await DedicatedConnection.open({
      ...connectionConfig({ databaseUrl, schema: 'events' }),
      application_name: 'tidings-check',
    });
    const [row] = await connection.query<{ exists: boolean }>(EXISTS);
    if (row!.exists) return new PostgresInspection(connection, topic, group);
    connection.close();
    return undefined;
  }

  /** The cursor is a position. */
  async *pages(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<InspectedPage> {
    const [begin] = await this.connection.query<{ id: number; last: string; handled: string }>(BEGIN, [this.topic, this.group]);
    if (!begin) return;
    for (let after = cursor ?? '0'; ;) {
      signal.throwIfAborted();
      const rows = await this.connection.query<Row>(PAGE, [begin.id, after, begin.last, begin.handled]);
      const last = rows.at(-1);
      if (!last) return;
      after = last.position;
      yield { records: rows, cursor: after };
    }
  }

  async close() {
    this.connection.close();
  }
}
