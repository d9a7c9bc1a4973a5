import { Max, Min } from 'class-validator';
import { defineEvent } from '../core/event';
import { AnyObject, Int, Optional, OptionalInt, OptionalObject, OptionalText, OptionalTextOf, Text, TextOf, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

const ProviderId = TextOf(1, 256);
const PROVIDER_KEY_LENGTH_MAX = 64;
const TITLE_LENGTH_MAX = 512;
/** Bound of a configuration's `order`, positive and negative. */
const PROVIDER_ORDER_MAX = 1_000_000;
/** Maximum configurations of one workspace. */
export const PROVIDERS_MAX = 100;
/** Maximum configurations of a page. */
export const PROVIDERS_PAGE_MAX = 100;

/** The configuration of a provider, without its kind. */
export class ProviderFields {
  /** Another name of the configuration, unique in the workspace. */
  @OptionalTextOf(1, 256) alias?: string | null;

  @OptionalTextOf(TITLE_LENGTH_MAX) title?: string | null;

  /** The settings in the catalog, and `rate_limit`. An omitted secret stays; `null` removes it. */
  @OptionalObject settings?: Record<string, unknown> | null;

  /** Configurations of a channel are tried in this order, lowest first, equal ones by age, oldest first. Default 0. */
  @Optional(Int, Min(-PROVIDER_ORDER_MAX), Max(PROVIDER_ORDER_MAX)) order?: number | null;
}

/** Absent or `null` fields are not stored. */
export class CreateProvider extends ProviderFields {
  /** The kind, by its key in the catalog. */
  @TextOf(1, PROVIDER_KEY_LENGTH_MAX) provider: string;
}

export class NamedProvider {
  @ProviderId id: string;
}

/** Absent or `null` fields are removed, except secrets. */
export class ReplaceProvider extends CreateProvider {
  @ProviderId id: string;
}

/** Absent fields stay, also within `settings`, where `null` removes a setting. */
export class ChangeProvider extends ProviderFields {
  @ProviderId id: string;

  /** The kind; it cannot change. */
  @OptionalTextOf(1, PROVIDER_KEY_LENGTH_MAX) provider?: string | null;
}

/** A configured provider. Its settings never contain secrets. Times are ms since the epoch. */
export class Provider {
  @Text id: string;

  @Text provider: string;

  /** Default: the kind with the alias, if any, as `http (gateway)`. */
  @Text title: string;

  @OptionalText alias?: string;

  @AnyObject settings: Record<string, unknown>;

  /** Absent if 0. */
  @OptionalInt order?: number;

  @Int created: number;

  @OptionalInt updated?: number;
}

class ProviderPage extends pageOf(Provider) {}

export class ListCatalog extends CursorQuery {
  /** Case-insensitive. */
  @OptionalTextOf(PROVIDER_KEY_LENGTH_MAX) channel?: string;

  /** Separated by commas. */
  @OptionalTextOf(2_000) keys?: string;

  /** Part of the name, case-insensitive. */
  @OptionalTextOf(TITLE_LENGTH_MAX) name?: string;
}

/** The description of one setting. */
export interface CatalogSetting {
  type: 'string' | 'number' | 'boolean' | 'enum' | 'object';
  required: boolean;
  /** Values of an `enum`. */
  values?: string[];
  /** Never returned in answers. */
  secret?: boolean;
}

/** A provider that can be configured for a channel. */
export class CatalogEntry {
  @Text provider: string;

  @Text name: string;

  @Text description: string;

  @Text channel: string;

  @AnyObject settings: Record<string, CatalogSetting>;
}

class CatalogPage extends pageOf(CatalogEntry) {}

export const providers = defineOperations('messaging.providers', 'providers', {
  list: {
    route: 'GET /providers',
    summary: 'List configured providers, in the order in which they are tried',
    request: CursorQuery,
    response: ProviderPage,
  },
  create: {
    command: true,
    route: 'POST /providers',
    status: 201,
    summary: 'Configure a provider',
    request: CreateProvider,
    response: Provider,
    mayConflict: true,
  },
  catalog: {
    route: 'GET /providers/catalog',
    summary: 'List the available providers, with their settings',
    request: ListCatalog,
    response: CatalogPage,
  },
  retrieve: {
    route: 'GET /providers/:id',
    summary: 'Get a configured provider, without its secrets',
    request: NamedProvider,
    response: Provider,
  },
  replace: {
    command: true,
    route: 'PUT /providers/:id',
    summary: 'Replace the configuration of a provider; omitted fields are cleared, except secrets',
    request: ReplaceProvider,
    response: Provider,
    mayConflict: true,
  },
  change: {
    command: true,
    route: 'PATCH /providers/:id',
    generation: 'python',
    summary: 'Change the configuration of a provider; omitted fields stay',
    request: ChangeProvider,
    response: Provider,
    mayConflict: true,
  },
  remove: {
    command: true,
    route: 'DELETE /providers/:id',
    summary: 'Remove a configured provider; refused while it has messages in flight',
    request: NamedProvider,
    mayConflict: true,
  },
});

/** A change of a workspace's provider configurations: consumers reload their cached copy. */
export class ProviderConfigurationChanged {
  @Uuid workspaceId: string;

  @Text id: string;
}

export const providerConfigurationChanged = defineEvent({
  topic: 'tidings.provider-configuration-changed.v1',
  key: ['workspaceId', 'id'],
  payload: ProviderConfigurationChanged,
  summary: 'A provider was configured, changed or removed',
  from: 'messaging',
  to: ['messaging'],
});
