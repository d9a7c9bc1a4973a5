import { Type } from 'class-transformer';
import {
  IsArray,
  IsDefined,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Max,
  MaxLength,
  Min,
  ValidateNested,
} from 'class-validator';
import { defineEvent } from '../core/event';
import { defineOperation, Nothing } from '../core/operation';
import { CursorQuery, Paging } from '../core/paging';

const PROVIDER_ID_LENGTH_MAX = 256;
const PROVIDER_KEY_LENGTH_MAX = 64;
const ALIAS_LENGTH_MAX = 256;
const TITLE_LENGTH_MAX = 512;
const KEYS_LENGTH_MAX = 2_000;
/** Of a configuration's place among those of its workspace. */
const PROVIDER_ORDER_MAX = 1_000_000;
/** Configurations of one workspace. */
export const PROVIDERS_MAX = 100;
/** Most configurations of a page. */
export const PROVIDERS_PAGE_MAX = 100;

/** What of a provider is configured beside its kind. */
export class ProviderFields {
  /** Another name for it, unique in the workspace. */
  @IsOptional()
  @IsString()
  @Length(1, ALIAS_LENGTH_MAX)
  alias?: string | null;

  @IsOptional()
  @IsString()
  @MaxLength(TITLE_LENGTH_MAX)
  title?: string | null;

  /** As the catalog describes them, and `rate_limit`. A secret that is left out stays; `null` removes it. */
  @IsOptional()
  @IsObject()
  settings?: Record<string, unknown> | null;

  /** Of several configurations for a channel the lowest is tried first, of equal ones the oldest. Default 0. */
  @IsOptional()
  @IsInt()
  @Min(-PROVIDER_ORDER_MAX)
  @Max(PROVIDER_ORDER_MAX)
  order?: number | null;
}

/** What is absent or `null` is not kept. */
export class CreateProvider extends ProviderFields {
  /** The kind, as the catalog names it. */
  @IsString()
  @Length(1, PROVIDER_KEY_LENGTH_MAX)
  provider!: string;
}

export class NamedProvider {
  @IsString()
  @Length(1, PROVIDER_ID_LENGTH_MAX)
  id!: string;
}

/** What is absent or `null` is not kept, secrets excepted. */
export class ReplaceProvider extends CreateProvider {
  @IsString()
  @Length(1, PROVIDER_ID_LENGTH_MAX)
  id!: string;
}

/** What is absent stays. Within `settings` as well; there `null` removes. */
export class ChangeProvider extends ProviderFields {
  @IsString()
  @Length(1, PROVIDER_ID_LENGTH_MAX)
  id!: string;

  /** It cannot change. */
  @IsOptional()
  @IsString()
  @Length(1, PROVIDER_KEY_LENGTH_MAX)
  provider?: string | null;
}

/** A configured provider. Its secrets are never among the settings. Times are ms since the epoch. */
export class Provider {
  @IsString()
  id!: string;

  @IsString()
  provider!: string;

  /** Where none was given: the kind, and the alias if there is one, as `http (gateway)`. */
  @IsString()
  title!: string;

  @IsOptional()
  @IsString()
  alias?: string;

  @IsObject()
  settings!: Record<string, unknown>;

  /** Absent where it is 0. */
  @IsOptional()
  @IsInt()
  order?: number;

  @IsInt()
  created!: number;

  @IsOptional()
  @IsInt()
  updated?: number;
}

export class ProviderPage {
  @IsDefined()
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Provider)
  results!: Provider[];
}

export class ListCatalog extends CursorQuery {
  /** Whatever its case. */
  @IsOptional()
  @IsString()
  @MaxLength(PROVIDER_KEY_LENGTH_MAX)
  channel?: string;

  /** Separated by commas. */
  @IsOptional()
  @IsString()
  @MaxLength(KEYS_LENGTH_MAX)
  keys?: string;

  /** Part of the name, whatever its case. */
  @IsOptional()
  @IsString()
  @MaxLength(TITLE_LENGTH_MAX)
  name?: string;
}

/** How one setting is described. */
export interface CatalogSetting {
  type: 'string' | 'number' | 'boolean' | 'enum' | 'object';
  required: boolean;
  /** Of an `enum`. */
  values?: string[];
  /** Never given back. */
  secret?: boolean;
}

/** A provider that can be configured for a channel. */
export class CatalogEntry {
  @IsString()
  provider!: string;

  @IsString()
  name!: string;

  @IsString()
  description!: string;

  @IsString()
  channel!: string;

  @IsObject()
  settings!: Record<string, CatalogSetting>;
}

export class CatalogPage {
  @IsDefined()
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => CatalogEntry)
  results!: CatalogEntry[];
}

export const providers = {
  list: defineOperation({
    pattern: 'messaging.providers.list',
    route: 'GET /providers',
    scope: 'read:providers',
    summary: 'List configured providers, in the order in which they are tried',
    request: CursorQuery,
    response: ProviderPage,
  }),
  create: defineOperation({
    pattern: 'messaging.providers.create',
    route: 'POST /providers',
    status: 201,
    scope: 'write:providers',
    summary: 'Configure a provider',
    request: CreateProvider,
    response: Provider,
    mayConflict: true,
  }),
  catalog: defineOperation({
    pattern: 'messaging.providers.catalog',
    route: 'GET /providers/catalog',
    scope: 'read:providers',
    summary: 'List the providers there are, with their settings',
    request: ListCatalog,
    response: CatalogPage,
  }),
  retrieve: defineOperation({
    pattern: 'messaging.providers.retrieve',
    route: 'GET /providers/:id',
    scope: 'read:providers',
    summary: 'Get a configured provider, without its secrets',
    request: NamedProvider,
    response: Provider,
  }),
  replace: defineOperation({
    pattern: 'messaging.providers.replace',
    route: 'PUT /providers/:id',
    scope: 'write:providers',
    summary: 'Replace the configuration of a provider; what is left out is cleared, secrets excepted',
    request: ReplaceProvider,
    response: Provider,
    mayConflict: true,
  }),
  change: defineOperation({
    pattern: 'messaging.providers.change',
    route: 'PATCH /providers/:id',
    scope: 'write:providers',
    summary: 'Change the configuration of a provider; what is left out stays',
    request: ChangeProvider,
    response: Provider,
    mayConflict: true,
  }),
  remove: defineOperation({
    pattern: 'messaging.providers.remove',
    route: 'DELETE /providers/:id',
    status: 204,
    scope: 'write:providers',
    summary: 'Remove a configured provider; one that messages are on their way with is refused',
    request: NamedProvider,
    response: Nothing,
    mayConflict: true,
  }),
};

/** A workspace's configurations of providers are not what they were: whoever keeps them loads them anew. */
export class ProviderConfigurationChanged {
  @IsUUID()
  workspaceId!: string;

  @IsString()
  id!: string;
}

export const providerConfigurationChanged = defineEvent({
  topic: 'tidings.provider-configuration-changed.v1',
  key: ['workspaceId', 'id'],
  payload: ProviderConfigurationChanged,
  summary: 'A provider was configured, changed or removed',
  from: 'messaging',
  to: ['messaging'],
});
