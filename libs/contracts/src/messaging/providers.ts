import { Max, Min } from 'class-validator';
import { defineEvent } from '../core/event';
import {
  AnyObject,
  Flag,
  Int,
  Optional,
  OptionalFlag,
  OptionalInt,
  OptionalObject,
  OptionalText,
  OptionalTextOf,
  Text,
  TextOf,
  Uuid,
} from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { CursorQuery, pageOf } from '../core/paging';

/** Id of the configuration, generated when it was created. @example "prv_3Xo0aB1dQkS9fT2uVw5z" */
const ProviderId = TextOf(1, 256);
const PROVIDER_KEY_LENGTH_MAX = 64;
const TITLE_LENGTH_MAX = 512;
/** Bound of a configuration's `order`, positive and negative. */
const PROVIDER_ORDER_MAX = 1_000_000;
/** Maximum configurations of one workspace. */
export const PROVIDERS_MAX = 100;
/** Maximum configurations of a page. */
export const PROVIDERS_PAGE_MAX = 100;
/** How long the test of a provider may take, in ms. */
export const TEST_MS_MAX = 15_000;
/** More than `TEST_MS_MAX`: the configuration is loaded and the answer recorded. */
const TEST_DEADLINE_MS = 20_000;

/** The configuration of a provider, without its kind. */
export class ProviderFields {
  /** Another name of the configuration, unique in the workspace; not the name of a kind or a channel. @example "office" */
  @OptionalTextOf(1, 256) alias?: string | null;

  /** Name for people. Default: the kind and the alias, as `http (gateway)`. @example "Mail server of the office" */
  @OptionalTextOf(TITLE_LENGTH_MAX) title?: string | null;

  /**
   * The settings that the catalog lists for the kind, and `rate_limit`, `{rate, period}`. A secret that is left out stays; `null` removes
   * it.
   * @example { "host": "mail.example.com", "from_address": "shop@example.com" }
   */
  @OptionalObject settings?: Record<string, unknown> | null;

  /** Configurations of a channel are tried in this order, the lowest first, of equal ones the oldest. Default 0. @example 10 */
  @Optional(Int, Min(-PROVIDER_ORDER_MAX), Max(PROVIDER_ORDER_MAX)) order?: number | null;

  /** Whether messages are sent with it. Default `true`; an update without it, or with `null`, leaves it as it is. @example true */
  @OptionalFlag enabled?: boolean | null;
}

/** Absent or `null` fields are not stored. */
export class CreateProvider extends ProviderFields {
  /** The kind, by its key in the catalog. @example "smtp" */
  @TextOf(1, PROVIDER_KEY_LENGTH_MAX) provider: string;
}

export class NamedProvider {
  @ProviderId id: string;
}

export class RemoveProvider extends NamedProvider {
  /** Whether messages that wait for it are sent by their next route, or end, instead of preventing the removal. Default `false`. */
  @OptionalFlag force?: boolean;
}

/** Absent or `null` fields are removed, except secrets and `enabled`. */
@FieldsOfAnswer(() => Provider)
export class ReplaceProvider extends CreateProvider {
  @ProviderId id: string;
}

/** Absent fields stay, also within `settings`, where `null` removes a setting. */
@FieldsOfAnswer(() => Provider)
export class ChangeProvider extends ProviderFields {
  @ProviderId id: string;

  /** The kind; another one than the present is refused. @example "smtp" */
  @OptionalTextOf(1, PROVIDER_KEY_LENGTH_MAX) provider?: string | null;
}

/** A configured provider. Its settings never contain secrets. Times are ms since the epoch. */
export class Provider {
  /** Id of the configuration, generated when it was created. @example "prv_3Xo0aB1dQkS9fT2uVw5z" */
  @Text id: string;

  /** The kind, by its key in the catalog. @example "smtp" */
  @Text provider: string;

  /** Name for people. @example "smtp (office)" */
  @Text title: string;

  /** Another name of the configuration; absent if it has none. @example "office" */
  @OptionalText alias?: string;

  /** Its settings, without those that are secret. @example { "host": "mail.example.com", "from_address": "shop@example.com" } */
  @AnyObject settings: Record<string, unknown>;

  /** Configurations of a channel are tried in this order, the lowest first; absent if 0. @example 10 */
  @OptionalInt order?: number;

  /** Whether messages are sent with it. @example true */
  @Flag enabled: boolean;

  /**
   * Address to which the vendor reports what became of messages: it has a secret, so give it to the vendor alone. Only in the answer of
   * `GET /providers/:id`; absent for kinds that report nothing, and where `TIDINGS_PUBLIC_URL` is not set.
   * @example "https://notify.example.com/providers/callback/sendgrid/prv_3Xo0aB1dQkS9fT2uVw5z/c2VjcmV0IG9mIHRoZSBhZGRyZXNz"
   */
  @OptionalText callback_url?: string;

  /** When it was created, ms since the epoch. @example 1772359200000 */
  @Int created: number;

  /** When it was last changed, ms since the epoch; absent before. @example 1772359200000 */
  @OptionalInt updated?: number;
}

/** The deliveries of a provider that were waiting for their next attempt. */
export class RetriedProvider {
  /** How many become due, within a minute. @example 12 */
  @Int deliveries: number;
}

/** Whether a provider accepts its credentials. */
export class ProviderTest {
  /** True: it does. @example false */
  @Flag ok: boolean;

  /** Why it does not, or why that is unknown; absent if it does. @example "SendGrid answered 401: The provided authorization grant is invalid" */
  @OptionalText message?: string;

  /** The status of the provider's answer, if there was one. @example 401 */
  @OptionalInt status?: number;
}

/** @property results The configurations of this page, at most 100, in the order in which they are tried. */
class ProviderPage extends pageOf(Provider) {}

export class ListCatalog extends CursorQuery {
  /** Only kinds for this channel, in any case. @example "email" */
  @OptionalTextOf(PROVIDER_KEY_LENGTH_MAX) channel?: string;

  /** Only these kinds, separated by commas. @example "smtp,http" */
  @OptionalTextOf(2_000) keys?: string;

  /** Only kinds whose name contains this text, in any case. @example "smtp" */
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
  /** The settings of an `object`, where they are fixed by the kind. */
  fields?: Record<string, CatalogSetting>;
}

/** A provider that can be configured for a channel. */
export class CatalogEntry {
  /** Key of the kind, for `provider` of a configuration. @example "smtp" */
  @Text provider: string;

  /** Name for people. @example "SMTP" */
  @Text name: string;

  /** What it connects to, in one sentence. @example "Sends e-mail through a mail server" */
  @Text description: string;

  /** The channel; a kind for several channels has an entry for each. @example "email" */
  @Text channel: string;

  /**
   * Its settings by name: `type`, whether `required`, the `values` of an `enum`, whether `secret`, the `fields` of an `object`.
   * @example { "host": { "type": "string", "required": true } }
   */
  @AnyObject settings: Record<string, CatalogSetting>;
}

/** @property results The kinds of this page. */
class CatalogPage extends pageOf(CatalogEntry) {}

export const providers = defineOperations('messaging.providers', 'providers', {
  /** A provider that operators configured for all workspaces is not listed. */
  list: {
    route: 'GET /providers',
    summary: 'List configured providers, in the order in which they are tried',
    request: CursorQuery,
    response: ProviderPage,
  },
  /**
   * It is used within a second. A workspace has at most 100. Answers 409 for an alias in use.
   * @example { "provider": "smtp", "alias": "office", "settings": { "host": "mail.example.com", "from_address": "shop@example.com" } }
   */
  create: {
    audit: 'provider:created',
    auditTarget: ['id'],
    command: true,
    route: 'POST /providers',
    status: 201,
    summary: 'Configure a provider',
    request: CreateProvider,
    response: Provider,
    mayConflict: true,
  },
  /** One entry for each channel of each kind, with every setting. */
  catalog: {
    route: 'GET /providers/catalog',
    summary: 'List the available providers, with their settings',
    request: ListCatalog,
    response: CatalogPage,
  },
  /** Secrets are never returned, except the one in `callback_url`. */
  retrieve: {
    route: 'GET /providers/:id',
    summary: 'Get a configured provider, without its secrets',
    request: NamedProvider,
    response: Provider,
  },
  /**
   * The kind cannot change. A new destination needs the secrets again.
   * @example { "provider": "smtp", "alias": "office", "settings": { "host": "mail.example.com", "from_address": "shop@example.com" } }
   */
  replace: {
    audit: 'provider:replaced',
    command: true,
    route: 'PUT /providers/:id',
    summary: 'Replace the configuration of a provider; omitted fields are cleared, except secrets',
    request: ReplaceProvider,
    response: Provider,
    mayConflict: true,
  },
  /**
   * Also within `settings`, where `null` removes a setting. A new destination needs the secrets again.
   * @example { "settings": { "port": 465 } }
   */
  change: {
    audit: 'provider:changed',
    command: true,
    route: 'PATCH /providers/:id',
    generation: 'python',
    summary: 'Change the configuration of a provider; omitted fields stay',
    request: ChangeProvider,
    response: Provider,
    mayConflict: true,
  },
  /** Answers 409 while messages wait for it, with their number and how long, unless `force` is set. */
  remove: {
    audit: 'provider:deleted',
    command: true,
    route: 'DELETE /providers/:id',
    summary: 'Remove a configured provider; refused while messages wait for it, unless forced',
    request: RemoveProvider,
    mayConflict: true,
  },
  /**
   * Connects with the stored settings and logs in, or requests what needs the credentials; sends no message. The answer is 200 also for
   * credentials that are refused, and comes within 15 s. A disabled provider is tested as well, a paused one is not called. With `default`
   * it concerns the operator's provider. A workspace may test 20 times a minute.
   */
  test: {
    audit: 'provider:tested',
    route: 'POST /providers/:id/test',
    generation: 'own',
    summary: 'Test the credentials of a provider without sending a message',
    request: NamedProvider,
    response: ProviderTest,
    waits: true,
    deadlineMs: TEST_DEADLINE_MS,
  },
  /**
   * Closes its breaker in every process. The answer is 202 with the number of deliveries; they become due within a minute after it. Every
   * change of the configuration does the same. With `default` it concerns what waits for the operator's provider.
   */
  retryNow: {
    audit: 'provider:retried',
    command: true,
    route: 'POST /providers/:id/retry-now',
    generation: 'own',
    status: 202,
    summary: 'Retry the messages that wait for a provider now',
    request: NamedProvider,
    response: RetriedProvider,
  },
  /**
   * `GET /providers/:id` shows the new address. The address before it is accepted for 24 hours more: give the vendor the new one within
   * them. A configuration from before there were such addresses gets its first one.
   */
  rotateCallback: {
    audit: 'provider:callback-rotated',
    command: true,
    route: 'POST /providers/:id/rotate-callback',
    generation: 'own',
    summary: 'Draw a new secret for the callback address of a provider',
    request: NamedProvider,
  },
});

/** A change of a workspace's provider configurations: consumers reload their cached copy. */
export class ProviderConfigurationChanged {
  @Uuid workspaceId: string;

  /** The configuration, `default`, the name of a pause, or `suppressions`: the workspace begins to suppress addresses, or erases one. */
  @Text id: string;
}

export const providerConfigurationChanged = defineEvent({
  topic: 'tidings.provider-configuration-changed.v1',
  key: ['workspaceId', 'id'],
  payload: ProviderConfigurationChanged,
  summary: 'A provider was configured, changed or removed',
  from: 'messaging',
  to: ['gateway', 'messaging'],
});
