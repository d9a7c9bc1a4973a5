import type { Messaging } from './start-messaging';

/** Makes the database refuse rows for which `condition` (SQL on `new`) is true, until the returned function is called. */
export async function refusing(
  messaging: Messaging,
  { table, on, condition }: { table: string; on: 'insert' | 'update'; condition: string },
): Promise<() => Promise<unknown>> {
  await messaging.rows(
    `create function messaging.refuse() returns trigger language plpgsql as $$ begin raise exception 'refused by the spec'; end $$`,
  );
  await messaging.rows(
    `create trigger refuse before ${on} on messaging.${table} for each row when (${condition}) execute function messaging.refuse()`,
  );
  return () => messaging.rows('drop function messaging.refuse() cascade');
}
