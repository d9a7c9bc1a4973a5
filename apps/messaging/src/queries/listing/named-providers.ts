import { invalidValue } from '@tidings/contracts/core/refusals';
import { type Queryable, statement } from '@tidings/persistence/database';
import { kindOf, PROVIDER_KINDS } from '@tidings/providers/kinds';
import { isConfigurationId } from '../../providers/configuration.entity';
import { DEFAULT_INTEGRATION_ID } from '../../providers/provider-configurations';

/** The providers that a filter names. */
export interface NamedProviders {
  /** Keys of kinds: all messages sent with any configuration of them. */
  readonly kinds: readonly string[];
  /** Ids of configurations. */
  readonly configurations: readonly string[];
  /** Keys of those kinds and of the kinds of those configurations: the indexes contain them. */
  readonly keys: readonly string[];
  /** Ids of those configurations and of all of those kinds: the deliveries of messages in progress contain them. */
  readonly integrations: readonly string[];
}

export const NO_PROVIDERS: NamedProviders = { kinds: [], configurations: [], keys: [], integrations: [] };

const KEYS = PROVIDER_KINDS.map(({ key }) => key);

// SQL because it reads the names of configurations alone, without their settings and secrets.
const CONFIGURATIONS = statement(
  'messaging.list_named_providers',
  `select configuration_id as id, alias, provider from provider_configurations
   where workspace_id = $1 and (configuration_id = any($2) or alias = any($2) or provider = any($3))`,
);

/**
 * What the names mean: each is the key of a kind, or the id or the alias of a configuration, or `default`, the operator's. A configuration
 * may have been removed: its id is known by its form, and its kind is not known.
 * @throws ServiceError `invalid_request` naming one that is none of them.
 */
export async function namedProviders(database: Queryable, workspaceId: string, names: readonly string[]): Promise<NamedProviders> {
  const kinds = names.filter((name) => kindOf(name));
  const others = names.filter((name) => !kindOf(name));
  if (names.length === 0) return NO_PROVIDERS;
  const rows = await database.query<{ id: string; alias: string | null; provider: string }>(CONFIGURATIONS, [workspaceId, others, kinds]);
  const named = rows.filter(({ id, alias }) => others.some((name) => name === id || name === alias));
  const ofAnyKind = others.filter((name) => !named.some(({ id, alias }) => name === id || name === alias));
  const unknown = ofAnyKind.find((name) => name !== DEFAULT_INTEGRATION_ID && !isConfigurationId(name));
  if (unknown !== undefined) {
    throw invalidValue('provider', `a provider of the catalog (${KEYS.join(', ')}), or the id or alias of a configuration`, unknown);
  }
  return {
    kinds,
    configurations: [...named.map(({ id }) => id), ...ofAnyKind],
    keys: [...new Set([...kinds, ...(ofAnyKind.length > 0 ? KEYS : named.map(({ provider }) => provider))])],
    integrations: [...new Set([...rows.map(({ id }) => id), ...ofAnyKind, ...(kinds.length > 0 ? [DEFAULT_INTEGRATION_ID] : [])])],
  };
}
