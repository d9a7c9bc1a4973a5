import type { Provider } from '@tidings/contracts/messaging/providers';

/** A configuration as it is stored. */
export interface ConfigurationRow {
  workspace_id: string;
  configuration_id: string;
  provider: string;
  channel: string;
  title: string | null;
  alias: string | null;
  /** What is no secret, as clients gave it; `rate_limit` among it. */
  settings: Record<string, unknown>;
  /** JSON of what is secret, sealed with the key that `key_id` names; as it is where that is `null`. */
  secrets: Buffer;
  key_id: string | null;
  /** Grows with each change. */
  version: number;
  position: number;
  place: string;
  created_at: Date;
  updated_at: Date | null;
}

export const CONFIGURATION_COLUMNS =
  'workspace_id, configuration_id, provider, channel, title, alias, settings, secrets, key_id, version, position, place, created_at, updated_at';

/** What the secrets of a row are bound to, so that they cannot be put into another row. */
export function secretsNameOf({ workspace_id, configuration_id }: Pick<ConfigurationRow, 'workspace_id' | 'configuration_id'>): string {
  return `provider ${workspace_id} ${configuration_id}`;
}

export function toProvider(row: ConfigurationRow): Provider {
  return {
    id: row.configuration_id,
    provider: row.provider,
    title: row.title ?? (row.alias === null ? row.provider : `${row.provider} (${row.alias})`),
    ...(row.alias !== null && { alias: row.alias }),
    settings: row.settings,
    ...(row.position !== 0 && { order: row.position }),
    created: row.created_at.getTime(),
    ...(row.updated_at && { updated: row.updated_at.getTime() }),
  };
}
