import { SERVICES } from '@tidings/contracts/identity/profile-credentials';
import type { ProfileFields } from '@tidings/contracts/identity/profiles';
import { type Database, statement, type Transaction } from '@tidings/persistence/database';
import type { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import type { ResealTable } from '@tidings/runtime/reseal';

/** Rows of one step. */
const ROWS_MAX = 1_000;

interface Row {
  key: [workspaceId: string, ...ids: string[]];
  /** Null where it has no field that may have credentials. */
  profile: ProfileFields | null;
}

/** The column of a table with profiles. */
export interface ProfileColumn {
  table: string;
  /** The columns of the key after `workspace_id`. */
  ids: readonly string[];
  column: string;
}

/** Called within the transaction that sealed a profile which had a credential in clear. */
export type OnSealed = (tx: Transaction, key: Row['key'], profile: ProfileFields) => Promise<void>;

/** Seals the credentials in the profiles of a table again. A profile that changes meanwhile is left: its writer seals it. */
export function sealedProfiles(
  database: Database,
  secrets: ProfileSecrets,
  { table, ids, column }: ProfileColumn,
  onSealed: OnSealed = async () => {},
): ResealTable {
  const key = ['workspace_id', ...ids];
  const values = key.map((_, index) => (index === 0 ? '$1::uuid' : `$${index + 1}::text`));
  const [fields, limit] = [key.length + 1, key.length + 2].map((index) => `$${index}`);
  // SQL because the key has a different number of columns in each table, and most profiles need not be transferred.
  const PAGE = statement(
    `sealed-${table}-page`,
    `select array[${key.map((name) => `${name}::text`).join()}] as key, case when ${column} ?| ${fields}::text[] then ${column} end as profile
       from ${table} where (${key.join()}) > (${values.join()}) order by ${key.join()} limit ${limit}`,
  );
  const SET = statement(
    `sealed-${table}-set`,
    `update ${table} set ${column} = ${fields}::jsonb where (${key.join()}) = (${values.join()}) and ${column} = ${limit}::jsonb`,
  );
  const first = ['00000000-0000-0000-0000-000000000000', ...ids.map(() => '')];

  const reseal = (row: Row, profile: ProfileFields) => {
    const resealed = secrets.reseal(row.key[0], profile);
    if (!resealed.isChanged) return { ...resealed, isStored: false };
    return database.transaction(async (tx) => {
      const isStored = (await tx.execute(SET, [...row.key, JSON.stringify(resealed.profile), JSON.stringify(profile)])) > 0;
      if (isStored && resealed.wasInClear) await onSealed(tx, row.key, resealed.profile);
      return { ...resealed, isStored };
    });
  };

  return async (after) => {
    const rows = await database.query<Row>(PAGE, [...(after ?? first), SERVICES, ROWS_MAX]);
    const counts = { resealed: 0, unreadable: 0 };
    for (const row of rows) {
      if (!row.profile) continue;
      const { isStored, isUnreadable } = await reseal(row, row.profile);
      counts.resealed += Number(isStored);
      counts.unreadable += Number(isUnreadable);
    }
    return { ...counts, next: rows.length === ROWS_MAX ? rows.at(-1)!.key : undefined };
  };
}
