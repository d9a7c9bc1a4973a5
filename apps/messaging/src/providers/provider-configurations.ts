import { Injectable, Logger } from '@nestjs/common';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { Database, statement } from '@tidings/persistence/database';
import type { Outcome } from '@tidings/providers/provider';
import type { OpenProvider, ProviderSurroundings } from '@tidings/providers/provider-kind';
import { kindOf } from '@tidings/providers/kinds';
import { type Addressee, type Recipient, recipientOn } from '@tidings/providers/recipient';
import { LRUCache } from 'lru-cache';
import { CONFIGURATION_COLUMNS, type ConfigurationRow } from './configuration.rows';
import { ProviderChanges } from './provider-changes';
import { ProviderSecrets } from './provider-secrets';
import { parseRateLimit, type RateLimit } from './rate-limit';
import { SharedProvider } from './shared-provider';

/** Workspaces whose configurations are kept. */
const WORKSPACES_MAX = 1_000;
/** Workspaces of one question. */
const ASKED_MAX = 100;

const LOAD = statement(
  'provider-configurations-load',
  `select ${CONFIGURATION_COLUMNS} from provider_configurations where workspace_id = any ($1)
    order by workspace_id, position, place limit ${ASKED_MAX * PROVIDERS_MAX}`,
);

/** A configured provider, ready to be called. */
export interface ProviderConfiguration {
  readonly workspaceId: string;
  readonly id: string;
  /** Key of its kind: `smtp`, `http`. */
  readonly provider: string;
  readonly channel: string;
  readonly alias?: string;
  /** Another one after each change; absent where nothing can change. */
  readonly version?: number;
  readonly rateLimit?: RateLimit;
  /** What it needs of an addressee; undefined where they cannot be reached by it. */
  needs(addressee: Addressee): Recipient | undefined;
  /** As `OpenProvider.send`; the provider is opened by the first call and shared by all of the process. */
  send: OpenProvider['send'];
}

/** What every workspace has that configured nothing for the channel. */
export interface DefaultConfiguration {
  readonly id: string;
  readonly provider: string;
  readonly channel: string;
  /** Whoever made it closes it. */
  readonly open: OpenProvider;
}

interface Kept {
  readonly configurations: readonly KeptConfiguration[];
  /** Something may have changed since: what is open is taken over, what is known is loaded anew. */
  stale: boolean;
}

interface KeptConfiguration extends ProviderConfiguration {
  readonly version: number;
  readonly shared: SharedProvider;
}

/**
 * The providers of every workspace, as they are configured now: a change anywhere is heard of within a second, and while changes
 * cannot be heard they are loaded each time. What is open stays open as long as its configuration stays the same; then it is
 * closed as soon as it is idle.
 */
@Injectable()
export class ProviderConfigurations {
  private readonly logger = new Logger(ProviderConfigurations.name);
  private readonly retired = new Set<Promise<void>>();
  private readonly kept = new LRUCache<string, Kept>({
    max: WORKSPACES_MAX,
    dispose: ({ configurations }, _workspace, reason) => {
      if (reason !== 'set') this.retire(configurations);
    },
  });

  constructor(
    private readonly db: Database,
    private readonly secrets: ProviderSecrets,
    private readonly changes: ProviderChanges,
    private readonly defaults: readonly DefaultConfiguration[],
    private readonly surroundings: ProviderSurroundings,
  ) {
    changes.onChange(({ payload }) => {
      const known = payload && this.kept.peek(payload.workspaceId);
      if (known) known.stale = true;
    });
  }

  /** The configurations of a workspace, in the order in which they are tried; at the end the default ones of channels that have none. */
  async of(workspaceId: string): Promise<readonly ProviderConfiguration[]> {
    return (await this.ofMany([workspaceId])).get(workspaceId)!;
  }

  /**
   * As `of`, for each of these workspaces. What is not known is loaded together.
   * @param anew what is known is loaded as well.
   */
  async ofMany(workspaceIds: Iterable<string>, { anew = false } = {}): Promise<Map<string, readonly ProviderConfiguration[]>> {
    const wanted = [...new Set(workspaceIds)];
    const found = new Map<string, Kept>();
    for (const id of wanted) {
      const known = this.kept.get(id);
      if (!anew && known && !known.stale && this.changes.isConnected()) found.set(id, known);
    }
    const missing = wanted.filter((id) => !found.has(id));
    for (let start = 0; start < missing.length; start += ASKED_MAX) {
      const loaded = await this.load(missing.slice(start, start + ASKED_MAX));
      for (const [id, kept] of loaded) found.set(id, kept);
    }
    return new Map(wanted.map((id) => [id, this.withDefaults(id, found.get(id)!.configurations)]));
  }

  /** One configuration, the default ones included; undefined where it was removed. */
  async find(workspaceId: string, id: string): Promise<ProviderConfiguration | undefined> {
    return (await this.of(workspaceId)).find((one) => one.id === id) ?? this.defaultsOf(workspaceId).find((one) => one.id === id);
  }

  /** Closes what is open, once it is idle. To be called when nobody calls any more. */
  async close(): Promise<void> {
    this.kept.clear();
    await Promise.all(this.retired);
  }

  private async load(workspaceIds: readonly string[]): Promise<Map<string, Kept>> {
    const asOf = this.changes.count;
    const rows = await this.db.query<ConfigurationRow>(LOAD, [workspaceIds]);
    const byWorkspace = new Map<string, ConfigurationRow[]>(workspaceIds.map((id) => [id, []]));
    for (const row of rows) byWorkspace.get(row.workspace_id)!.push(row);
    // A change that was heard of meanwhile may have overtaken the answer.
    const stale = this.changes.count !== asOf || !this.changes.isConnected();
    return new Map(workspaceIds.map((id) => [id, this.keep(id, byWorkspace.get(id)!, stale)]));
  }

  private keep(workspaceId: string, rows: readonly ConfigurationRow[], stale: boolean): Kept {
    const earlier = this.kept.peek(workspaceId)?.configurations ?? [];
    const configurations = rows.map(
      (row) => earlier.find(({ id, version }) => id === row.configuration_id && version === row.version) ?? this.toConfiguration(row),
    );
    const kept = { configurations, stale };
    this.kept.set(workspaceId, kept);
    this.retire(earlier.filter((one) => !configurations.includes(one)));
    return kept;
  }

  private toConfiguration(row: ConfigurationRow): KeptConfiguration {
    const { channel } = row;
    const shared = new SharedProvider(() => this.open(row));
    return {
      workspaceId: row.workspace_id,
      id: row.configuration_id,
      provider: row.provider,
      channel,
      ...(row.alias !== null && { alias: row.alias }),
      rateLimit: parseRateLimit(row.settings.rate_limit),
      needs: (addressee) => (kindOf(row.provider)?.needs ?? recipientOn)(channel, addressee),
      send: (...call) => shared.send(...call),
      version: row.version,
      shared,
    };
  }

  private open(row: ConfigurationRow): OpenProvider {
    const kind = kindOf(row.provider);
    if (!kind) return this.unusable(row, `there is no provider ${row.provider} any more`);
    const secrets = this.secrets.open(row);
    if (!secrets) return this.unusable(row, 'its secrets were sealed with a key that TIDINGS_SECRET_KEY does not hold');
    const { rate_limit: _apart, ...settings } = row.settings;
    try {
      return kind.open(kind.parseSettings({ ...settings, ...secrets }), this.surroundings);
    } catch (error) {
      return this.unusable(row, (error as Error).message);
    }
  }

  /** Answers every call as a configuration that somebody must look at. */
  private unusable({ workspace_id, configuration_id }: ConfigurationRow, why: string): OpenProvider {
    const error = `Provider configuration ${configuration_id} cannot be used: ${why}`;
    this.logger.error({ message: error, workspaceId: workspace_id });
    const outcome: Outcome = { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error };
    return { send: () => Promise.resolve(outcome), close: () => Promise.resolve() };
  }

  private withDefaults(workspaceId: string, configured: readonly ProviderConfiguration[]): readonly ProviderConfiguration[] {
    const defaults = this.defaultsOf(workspaceId).filter(({ channel }) => !configured.some((one) => one.channel === channel));
    return defaults.length === 0 ? configured : [...configured, ...defaults];
  }

  private defaultsOf(workspaceId: string): ProviderConfiguration[] {
    return this.defaults.map(({ id, provider, channel, open }) => ({
      workspaceId,
      id,
      provider,
      channel,
      needs: (addressee) => recipientOn(channel, addressee),
      send: (...call) => open.send(...call),
    }));
  }

  private retire(configurations: readonly KeptConfiguration[]): void {
    for (const { shared } of configurations) {
      const closed = shared.rest();
      this.retired.add(closed);
      void closed.finally(() => this.retired.delete(closed));
    }
  }
}
