import type { Messaging } from './start-messaging';

/** Names of the tables of the service that contain a text in any column. */
export async function tablesWith(messaging: Messaging, text: string): Promise<string[]> {
  const tables = await messaging.rows<{ name: string }>(
    `select c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'messaging' and c.relkind = 'r'`,
  );
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await messaging.rows(`select from messaging.${name} as one where strpos(lower(one::text), lower($1)) > 0 limit 1`, [text]);
    if (rows.length > 0) found.push(name);
  }
  return found;
}
