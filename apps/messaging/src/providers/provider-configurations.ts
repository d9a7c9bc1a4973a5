import { Inject, Injectable, Logger } from '@nestjs/common';
import { type ProviderConfigurationChanged, providerConfigurationChanged, PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { ChangeListener } from '@tidings/events/change-listener';
import type { EventLog } from '@tidings/events/event-log';
import { Database, statement } from '@tidings/persistence/database';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import type { Outcome } from '@tidings/providers/provider';
import type { OpenProvider } from '@tidings/providers/provider-kind';
import { kindOf } from '@tidings/providers/kinds';
import { type Addressee, type Recipient, recipientOn } from '@tidings/providers/recipient';
import { LRUCache } from 'lru-cache';
import { EVENT_LOG } from '../resources';
import type { ConfigurationEntity } from './configuration.entity';
import { ProviderSecrets } from './provider-secrets';
import { parseRateLimit, type RateLimit } from './rate-limit';
import { SharedProvider } from './shared-provider';

/** Workspaces whose configurations are cached. */
const WORKSPACES_MAX = 1_000;
/** Workspaces of one query. */
const LOAD_MAX = 100;

type LoadedConfiguration = Omit<ConfigurationEntity, 'title' | 'position' | 'ordinal' | 'createdAt' | 'updatedAt'>;

/** A statement: it is on the path of every message whose workspace is not cached. */
const LOAD = statement(
  'provider-configurations-load',
  `select workspace_id as "workspaceId", configuration_id as id, provider, channel, alias, settings, secrets, key_id as "keyId", version
     from provider_configurations where workspace_id = any ($1)
    order by workspace_id, position, place limit ${LOAD_MAX * PROVIDERS_MAX}`,
);

/** A configured provider, ready to be called. */
export interface ProviderConfiguration {
  readonly workspaceId: string;
  readonly id: string;
  /** Key of its kind: `smtp`, `http`. */
  readonly provider: string;
  readonly channel: string;
  readonly alias?: string;
  /** Increases with each change; absent for default configurations, which never change. */
  readonly version?: number;
  readonly rateLimit?: RateLimit;
  /** The recipient of a call for an addressee; undefined where the provider cannot reach them. */
  needs(addressee: Addressee): Recipient | undefined;
  /** As `OpenProvider.send`; the first call opens the provider, and all calls of the process share it. */
  send: OpenProvider['send'];
}

export type EmailProvider = OpenProvider & { readonly key: string; readonly channel: string };

/** Injects the providers of the process; a workspace uses them on channels for which it has configured none. */
export const DEFAULT_PROVIDERS = Symbol('DefaultProviders');
/** Id of the default configuration: `TIDINGS_SMTP_URL`, or the development mailbox. */
export const DEFAULT_INTEGRATION_ID = 'default';

/** Listens for changes of provider configurations in any replica. */
@Injectable()
export class ProviderChanges extends ChangeListener<ProviderConfigurationChanged> {
  constructor(@Inject(EVENT_LOG) events: EventLog) {
    super(events, providerConfigurationChanged);
  }
}

interface CacheEntry {
  readonly configurations: readonly CachedConfiguration[];
  /** Rows may have changed since and are loaded again; open providers of unchanged rows are reused. */
  stale: boolean;
}

interface CachedConfiguration extends ProviderConfiguration {
  readonly version: number;
  readonly shared: SharedProvider;
}

/**
 * Cache of the provider configurations of every workspace. A change in any replica takes effect within a second; while the change listener
 * is disconnected they are loaded each time. An open provider stays open until its configuration changes; then it is closed once idle.
 */
@Injectable()
export class ProviderConfigurations {
  private readonly logger = new Logger(ProviderConfigurations.name);
  private readonly closing = new Set<Promise<void>>();
  private readonly defaults = this.providers.map((provider) => {
    const { key, channel } = provider;
    const send = (...call: Parameters<OpenProvider['send']>) => provider.send(...call);
    return { id: DEFAULT_INTEGRATION_ID, provider: key, channel, needs: (one: Addressee) => recipientOn(channel, one), send };
  });
  private readonly cache = new LRUCache<string, CacheEntry>({
    max: WORKSPACES_MAX,
    dispose: ({ configurations }, _workspace, reason) => {
      if (reason !== 'set') this.retire(configurations);
    },
  });

  constructor(
    private readonly database: Database,
    private readonly secrets: ProviderSecrets,
    private readonly changes: ProviderChanges,
    private readonly guard: AddressGuard,
    @Inject(DEFAULT_PROVIDERS) private readonly providers: readonly EmailProvider[],
  ) {
    changes.onChange(({ payload }) => {
      const cached = payload && this.cache.peek(payload.workspaceId);
      if (cached) cached.stale = true;
    });
  }

  /** The configurations of a workspace, in the order in which they are used; last, the default ones of channels without any. */
  async of(workspaceId: string): Promise<readonly ProviderConfiguration[]> {
    return (await this.ofMany([workspaceId])).get(workspaceId)!;
  }

  /**
   * As `of`, for each of these workspaces. Those not cached are loaded together.
   * @param anew loads cached ones as well.
   */
  async ofMany(workspaceIds: Iterable<string>, { anew = false } = {}): Promise<Map<string, readonly ProviderConfiguration[]>> {
    const wanted = [...new Set(workspaceIds)];
    const found = new Map<string, CacheEntry>();
    for (const id of wanted) {
      const cached = this.cache.get(id);
      if (!anew && cached && !cached.stale && this.changes.isConnected()) found.set(id, cached);
    }
    const missing = wanted.filter((id) => !found.has(id));
    for (let start = 0; start < missing.length; start += LOAD_MAX) {
      const loaded = await this.load(missing.slice(start, start + LOAD_MAX));
      for (const [id, entry] of loaded) found.set(id, entry);
    }
    return new Map(wanted.map((id) => [id, this.withDefaults(id, found.get(id)!.configurations)]));
  }

  /** One configuration, possibly a default one; undefined where it was removed. */
  async find(workspaceId: string, id: string): Promise<ProviderConfiguration | undefined> {
    return (await this.of(workspaceId)).find((one) => one.id === id) ?? this.defaultsOf(workspaceId).find((one) => one.id === id);
  }

  /** Closes every open provider once it is idle, and the default ones. To be called after the last call was started. */
  async close(): Promise<void> {
    this.cache.clear();
    await Promise.all(this.closing);
    await Promise.all(this.providers.map((provider) => provider.close()));
  }

  private async load(workspaceIds: readonly string[]): Promise<Map<string, CacheEntry>> {
    const asOf = this.changes.count;
    const rows = await this.database.query<LoadedConfiguration>(LOAD, [workspaceIds]);
    const byWorkspace = new Map<string, LoadedConfiguration[]>(workspaceIds.map((id) => [id, []]));
    for (const row of rows) byWorkspace.get(row.workspaceId)!.push(row);
    // A change received during the query may be newer than its result.
    const stale = this.changes.count !== asOf || !this.changes.isConnected();
    return new Map(workspaceIds.map((id) => [id, this.store(id, byWorkspace.get(id)!, stale)]));
  }

  private store(workspaceId: string, rows: readonly LoadedConfiguration[], stale: boolean): CacheEntry {
    const earlier = this.cache.peek(workspaceId)?.configurations ?? [];
    const configurations = rows.map(
      (row) => earlier.find(({ id, version }) => id === row.id && version === row.version) ?? this.toConfiguration(row),
    );
    const entry = { configurations, stale };
    this.cache.set(workspaceId, entry);
    this.retire(earlier.filter((one) => !configurations.includes(one)));
    return entry;
  }

  private toConfiguration(row: LoadedConfiguration): CachedConfiguration {
    const { workspaceId, id, provider, channel, version } = row;
    const shared = new SharedProvider(() => this.open(row));
    return {
      workspaceId,
      id,
      provider,
      channel,
      alias: row.alias ?? undefined,
      rateLimit: parseRateLimit(row.settings.rate_limit),
      needs: (addressee) => recipientOn(channel, addressee),
      send: (...call) => shared.send(...call),
      version,
      shared,
    };
  }

  private open(row: LoadedConfiguration) {
    const kind = kindOf(row.provider);
    if (!kind) return this.unusable(row, `there is no provider ${row.provider} any more`);
    const secrets = this.secrets.open(row);
    if (!secrets) return this.unusable(row, 'its secrets were sealed with a key that TIDINGS_SECRET_KEY does not hold');
    const { rate_limit: _rateLimit, ...settings } = row.settings;
    try {
      return kind.open(kind.parseSettings({ ...settings, ...secrets }), { guard: this.guard });
    } catch (error) {
      return this.unusable(row, (error as Error).message);
    }
  }

  /** A provider whose every call fails with a configuration error. */
  private unusable({ workspaceId, id }: LoadedConfiguration, cause: string): OpenProvider {
    const error = `Provider configuration ${id} cannot be used: ${cause}`;
    this.logger.error({ message: error, workspaceId });
    const outcome: Outcome = { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error };
    return { send: () => Promise.resolve(outcome), close: () => Promise.resolve() };
  }

  private withDefaults(workspaceId: string, configured: readonly ProviderConfiguration[]): readonly ProviderConfiguration[] {
    const defaults = this.defaultsOf(workspaceId).filter(({ channel }) => !configured.some((one) => one.channel === channel));
    return defaults.length === 0 ? configured : [...configured, ...defaults];
  }

  private defaultsOf(workspaceId: string): ProviderConfiguration[] {
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
