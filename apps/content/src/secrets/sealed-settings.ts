import type { SettingsByChannel, SettingsByProvider } from '@tidings/contracts/content/routing';
import { type Database, statement } from '@tidings/persistence/database';
import type { OverrideSecrets } from '@tidings/runtime/override-secrets';
import type { ResealTable } from '@tidings/runtime/reseal';

/** Rows of one step; a row with overrides may have half a megabyte. */
const ROWS_MAX = 100;

/** The settings of a row as JSON texts, as they are stored. */
type Texts = [channels: string | null, providers: string | null];

interface Row {
  key: [workspaceId: string, ...ids: string[]];
  /** Null where it has no overrides. */
  settings: Texts | null;
}

/** A table with the columns `channels`, `providers` and `bytes`. */
interface SettingsTable {
  table: string;
  /** The columns of the key after `workspace_id`, with their types. */
  ids: Readonly<Record<string, 'text' | 'integer'>>;
}

/** Seals the secrets in the settings of a table again. Settings that change meanwhile are left: their writer seals them. */
export function sealedSettings(database: Database, secrets: OverrideSecrets, { table, ids }: SettingsTable): ResealTable {
  const types = { workspace_id: 'uuid', ...ids };
  const key = Object.keys(types);
  const values = Object.values(types).map((type, index) => `$${index + 1}::${type}`);
  const parameter = (index: number) => `$${key.length + index}`;
  const settings = 'array[channels::text, providers::text]';
  // SQL because the key has a different number of columns in each table, and most settings need not be transferred.
  const PAGE = statement(
    `sealed-${table}-page`,
    `select array[${key.map((name) => `${name}::text`).join()}] as key,
            case when concat(channels, providers) like '%"override"%' then ${settings} end as settings
       from ${table} where (${key.join()}) > (${values.join()}) order by ${key.join()} limit ${parameter(1)}`,
  );
  const SET = statement(
    `sealed-${table}-set`,
    `update ${table} set channels = ${parameter(1)}::json, providers = ${parameter(2)}::json, bytes = bytes + ${parameter(3)}::integer
      where (${key.join()}) = (${values.join()}) and ${settings} is not distinct from ${parameter(4)}::text[]`,
  );
  const first = ['00000000-0000-0000-0000-000000000000', ...Object.values(ids).map((type) => (type === 'integer' ? '0' : ''))];

  const reseal = async (rowKey: Row['key'], stored: Texts) => {
    const resealed = secrets.resealSettings(rowKey[0], parsed(stored));
    if (!resealed.isChanged) return { ...resealed, isStored: false };
    const texts = textsOf(resealed.settings);
    const isStored = (await database.execute(SET, [...rowKey, ...texts, bytesOf(texts) - bytesOf(stored), stored])) > 0;
    return { ...resealed, isStored };
  };

  return async (after) => {
    const rows = await database.query<Row>(PAGE, [...(after ?? first), ROWS_MAX]);
    const counts = { resealed: 0, unreadable: 0 };
    for (const row of rows) {
      if (!row.settings) continue;
      const { isStored, isUnreadable } = await reseal(row.key, row.settings);
      counts.resealed += Number(isStored);
      counts.unreadable += Number(isUnreadable);
    }
    return { ...counts, next: rows.length === ROWS_MAX ? rows.at(-1)!.key : undefined };
  };
}

interface Settings {
  channels: SettingsByChannel | null;
  providers: SettingsByProvider | null;
}

function parsed([channels, providers]: Texts): Settings {
  return {
    channels: channels === null ? null : (JSON.parse(channels) as SettingsByChannel),
    providers: providers === null ? null : (JSON.parse(providers) as SettingsByProvider),
  };
}

function textsOf({ channels, providers }: Settings): Texts {
  return [channels && JSON.stringify(channels), providers && JSON.stringify(providers)];
}

function bytesOf(texts: Texts) {
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ''), 0);
}
