import { Inject, Injectable, Logger } from '@nestjs/common';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { type ProviderConfigurationChanged, providerConfigurationChanged, PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import { ChangeListener } from '@tidings/events/change-listener';
import type { EventLog } from '@tidings/events/event-log';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import type { Outcome } from '@tidings/providers/provider';
import type { OpenProvider } from '@tidings/providers/provider-kind';
import { kindOf } from '@tidings/providers/kinds';
import { type Addressee, type Recipient, recipientOn } from '@tidings/providers/recipient';
import { ChangeCache } from '../change-cache';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { CallbackAddresses } from './callback-addresses';
import type { ConfigurationEntity } from './configuration.entity';
import { ProviderSecrets } from './provider-secrets';
import { parseRateLimit, type RateLimit } from './rate-limit';

/** Workspaces whose configurations are cached. */
const WORKSPACES_MAX = 1_000;
/** Workspaces of one query. */
const LOAD_MAX = 100;

type LoadedConfiguration = Omit<ConfigurationEntity, 'title' | 'position' | 'ordinal' | 'createdAt' | 'updatedAt'>;

// SQL because it is on the path of every message whose workspace is not cached.
const LOAD = statement(
  'provider-configurations-load',
  `select workspace_id as "workspaceId", configuration_id as id, provider, channel, alias, settings, secrets, key_id as "keyId", enabled, version
     from provider_configurations where workspace_id = any ($1)
    order by workspace_id, position, place limit ${LOAD_MAX * PROVIDERS_MAX}`,
);

type ProviderCall<Result> = (provider: OpenProvider) => Promise<Result>;

/** A configured provider, ready to be called. */
export interface ProviderConfiguration {
  readonly workspaceId: string;
  readonly id: string;
  /** Key of its kind: `smtp`, `http`. */
  readonly provider: string;
  readonly channel: string;
  readonly alias?: string;
  /** False: no call may be made. */
  readonly enabled: boolean;
  /** Increases with each change; absent for default configurations, which never change. */
  readonly version?: number;
  readonly rateLimit?: RateLimit;
  /** The recipient of a call for an addressee; undefined where the provider cannot reach them. */
  needs(addressee: Addressee): Recipient | undefined;
  /** What an addressee lacks whom it cannot reach; absent: what the channel needs. */
  readonly lacking?: string;
  /** Makes a call of its provider; the first one opens the provider, and all calls of the process share it. */
  withProvider<Result>(call: ProviderCall<Result>): Promise<Result>;
}

/** A provider of the process, on the channel that it serves. */
export type EmailProvider = OpenProvider & {
  readonly key: string;
  readonly channel: string;
  /** The sender of mails without one, where the operator names it. */
  readonly sender?: Mailbox;
  /** The sender of mails without one. */
  readonly from?: Mailbox;
};

/** Injects the providers of the process; a workspace uses them on channels for which it has configured none. */
export const DEFAULT_PROVIDERS = Symbol('DefaultProviders');

/** The operator's sender of mails, where a default provider names it. */
export function senderOf(providers: readonly EmailProvider[]): Mailbox | undefined {
  return providers.find(({ sender }) => sender)?.sender;
}

/** Id of the default configuration: `TIDINGS_SMTP_URL`, or the development mailbox. */
export const DEFAULT_INTEGRATION_ID = 'default';

/** Publishes changes of provider configurations, and listens for those of any replica. */
@Injectable()
export class ProviderChanges extends ChangeListener<ProviderConfigurationChanged> {
  constructor(
    @Inject(EVENT_LOG) events: EventLog,
    private readonly outbox: Outbox,
  ) {
    super(events, providerConfigurationChanged);
  }

  /** Publishes a change with its transaction: it counts in this process after the commit, in others within a second. */
  async publish(tx: Transaction, payload: ProviderConfigurationChanged): Promise<void> {
    await this.outbox.add(tx, providerConfigurationChanged, { payload });
    tx.afterCommit(() => this.committed(payload));
  }
}

interface CachedConfiguration extends ProviderConfiguration {
  readonly version: number;
  readonly shared: SharedProvider;
}

/**
 * The provider configurations of every workspace, cached. A change in any replica takes effect within a second; while the change listener
 * is disconnected they are loaded each time. An open provider stays open until its configuration changes; then it is closed once idle.
 */
@Injectable()
export class ProviderConfigurations {
  private readonly logger = new Logger(ProviderConfigurations.name);
  private readonly closing = new Set<Promise<void>>();
  private readonly defaults = this.providers.map((provider) => {
    const { key, channel } = provider;
    const withProvider = <Result>(call: ProviderCall<Result>) => call(provider);
    const needs = (one: Addressee) => recipientOn(channel, one);
    return { id: DEFAULT_INTEGRATION_ID, provider: key, channel, enabled: true, needs, withProvider };
  });
  private readonly cache = new ChangeCache({
    changes: this.changes,
    nameOf: ({ workspace_id }: { workspace_id: string }) => workspace_id,
    load: (keys) => this.load(keys.slice(0, LOAD_MAX).map(({ workspace_id }) => workspace_id)),
    replace: (earlier: readonly CachedConfiguration[] = [], loaded) => {
      const same = loaded.map((one) => earlier.find(({ id, version }) => id === one.id && version === one.version) ?? one);
      this.retire(earlier.filter((one) => !same.includes(one)));
      return same;
    },
    limits: {
      max: WORKSPACES_MAX,
      dispose: ({ value }, _workspace, reason) => {
        if (reason !== 'set') this.retire(value);
      },
    },
  });

  constructor(
    private readonly database: Database,
    private readonly secrets: ProviderSecrets,
    private readonly changes: ProviderChanges,
    private readonly guard: AddressGuard,
    private readonly callbacks: CallbackAddresses,
    @Inject(DEFAULT_PROVIDERS) private readonly providers: readonly EmailProvider[],
  ) {}

  /** The enabled configurations of a workspace, in the order in which they are used; last, the default ones of channels without any. */
  async of(workspaceId: string, options?: { anew: boolean }): Promise<readonly ProviderConfiguration[]> {
    return (await this.ofMany([workspaceId], options)).get(workspaceId)!;
  }

  /**
   * As `of`, for each of these workspaces. Those not cached are loaded together.
   * @param options `anew`: loads cached ones as well.
   */
  async ofMany(workspaceIds: readonly string[], options?: { anew: boolean }): Promise<Map<string, readonly ProviderConfiguration[]>> {
    const found = await this.configured(workspaceIds, options);
    return new Map([...found].map(([id, configured]) => [id, this.withDefaults(id, configured)]));
  }

  /** One configuration, possibly a disabled or a default one; undefined where it was removed. `options` as in `ofMany`. */
  async find(workspaceId: string, id: string, options?: { anew: boolean }): Promise<ProviderConfiguration | undefined> {
    const configured = (await this.configured([workspaceId], options)).get(workspaceId)!;
    return configured.find((one) => one.id === id) ?? this.defaultsOf(workspaceId).find((one) => one.id === id);
  }

  /** Closes every open provider once it is idle, and the default ones. To be called after the last call was started. */
  async close(): Promise<void> {
    this.cache.clear();
    await Promise.all(this.closing);
    await Promise.all(this.providers.map((provider) => provider.close()));
  }

  private configured(workspaceIds: readonly string[], options?: { anew: boolean }) {
    const keys = workspaceIds.map((workspace_id) => ({ workspace_id }));
    return this.cache.find(keys, options);
  }

  private async load(workspaceIds: readonly string[]) {
    const rows = await this.database.query<LoadedConfiguration>(LOAD, [workspaceIds]);
    const addresses = await this.callbacks.of(rows);
    return workspaceIds.map((id) => {
      const own = rows.filter(({ workspaceId }) => workspaceId === id);
      return own.map((row) => this.toConfiguration(row, addresses.get(row)));
    });
  }

  private toConfiguration(row: LoadedConfiguration, callbackUrl: string | undefined): CachedConfiguration {
    const { workspaceId, id, provider, channel, enabled, version } = row;
    const shared = new SharedProvider(() => this.open(row, callbackUrl));
    const kind = kindOf(provider);
    return {
      workspaceId,
      id,
      provider,
      channel,
      alias: row.alias ?? undefined,
      enabled,
      rateLimit: parseRateLimit(row.settings.rate_limit),
      needs(addressee) {
        const recipient = recipientOn(channel, addressee);
        return recipient && kind?.recipientOf ? kind.recipientOf(recipient) : recipient;
      },
      lacking: kind?.needs,
      withProvider: (call) => shared.call(call),
      version,
      shared,
    };
  }

  private open(row: LoadedConfiguration, callbackUrl: string | undefined) {
    const kind = kindOf(row.provider);
    if (!kind) return this.unusable(row, `there is no provider ${row.provider} any more`);
    const secrets = this.secrets.open(row);
    if (!secrets) return this.unusable(row, 'its secrets were sealed with a key that TIDINGS_SECRET_KEY does not hold');
    const { rate_limit: _rateLimit, ...settings } = row.settings;
    try {
      return kind.open(kind.parseSettings(deepMerge(settings, secrets)), {
        guard: this.guard,
        sender: senderOf(this.providers),
        callbackUrl,
      });
    } catch (error) {
      return this.unusable(row, (error as Error).message);
    }
  }

  /** A provider whose every call fails with a configuration error. */
  private unusable({ workspaceId, id }: LoadedConfiguration, cause: string) {
    const error = `Provider configuration ${id} cannot be used: ${cause}`;
    this.logger.error({ message: error, workspaceId });
    const outcome: Outcome = { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error };
    return {
      send: () => Promise.resolve(outcome),
      test: () => Promise.resolve({ ok: false as const, message: error }),
      close: () => Promise.resolve(),
    };
  }

  private withDefaults(workspaceId: string, configured: readonly ProviderConfiguration[]) {
    const enabled = configured.filter((one) => one.enabled);
    const defaults = this.defaultsOf(workspaceId).filter(({ channel }) => !enabled.some((one) => one.channel === channel));
    return [...enabled, ...defaults];
  }

  private defaultsOf(workspaceId: string) {
    return this.defaults.map((one) => ({ workspaceId, ...one }));
  }

  private retire(configurations: readonly CachedConfiguration[]) {
    for (const { shared } of configurations) {
      const closed = shared.retire();
      this.closing.add(closed);
      void closed.finally(() => this.closing.delete(closed));
    }
  }
}

/**
 * The provider of one configuration, shared by all calls of the process: the first call opens it. Once retired, it is closed when no call
 * is open. A later call of a retired provider opens it again; it is closed after that call.
 */
class SharedProvider {
  private provider: OpenProvider | undefined;
  private calls = 0;
  private retired = false;
  private closing = Promise.resolve();

  /** @param open must not fail. */
  constructor(private readonly open: () => OpenProvider) {}

  async call<Result>(call: ProviderCall<Result>) {
    this.provider ??= this.open();
    this.calls += 1;
    try {
      return await call(this.provider);
    } finally {
      this.calls -= 1;
      if (this.retired) this.closeIfIdle();
    }
  }

  /** Closes the provider whenever it is idle from now on. Resolves when closing that has started by then is done. */
  retire() {
    this.retired = true;
    this.closeIfIdle();
    return this.closing;
  }

  private closeIfIdle() {
    const { provider } = this;
    if (!provider || this.calls > 0) return;
    this.provider = undefined;
    this.closing = Promise.all([this.closing, provider.close()]).then(() => undefined);
  }
}
