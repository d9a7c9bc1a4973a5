import { Client } from 'pg';

/** The rows of all tables that the role of a URL may read, the event log included, as text: what a dump would hold. */
export async function databaseText(connectionString: string): Promise<string> {
  const client = new Client({ connectionString });
  client.on('error', () => undefined); // the next statement rejects with it
  await client.connect();
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema') and has_schema_privilege(schemaname, 'usage')
          and has_table_privilege(format('%I.%I', schemaname, tablename), 'select')`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await client.query<{ text: string }>(`select row::text as text from ${name} row`);
      texts.push(name, ...rows.map(({ text }) => text));
    }
    return texts.join('\n');
  } finally {
    await client.end();
  }
}
