import type { Provider } from '@tidings/contracts/messaging/providers';

/** A row of `provider_configurations`. */
export interface ConfigurationRow {
  workspace_id: string;
  configuration_id: string;
  provider: string;
  channel: string;
  title: string | null;
  alias: string | null;
  /** Settings that are no secrets, in the form that clients gave; includes `rate_limit`. */
  settings: Record<string, unknown>;
  /** JSON of the secrets, sealed with the key that `key_id` names; in the clear where that is `null`. */
  secrets: Buffer;
  key_id: string | null;
  /** Increases with each change. */
  version: number;
  position: number;
  /** Order of creation, among equal positions. */
  ordinal: string;
  created_at: Date;
  updated_at: Date | null;
}

export const CONFIGURATION_COLUMNS =
  'workspace_id, configuration_id, provider, channel, title, alias, settings, secrets, key_id, version, position, place as ordinal, created_at, updated_at';

/** The name that the sealing binds the secrets of a row to, so that they do not open in another row. */
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
