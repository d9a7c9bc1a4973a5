import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { type ProviderHealth, providerHealth } from '@tidings/contracts/messaging/provider-health';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { Repository } from 'typeorm';
import { waitingDeliveries } from '../record/delivery-releases';
import { type RecentCalls, ProviderCounts } from '../statistics/provider-counts';
import { Breakers } from './breakers';
import { ConfigurationEntity, toProvider } from './configuration.entity';
import { DEFAULT_INTEGRATION_ID, DEFAULT_PROVIDERS, type EmailProvider } from './provider-configurations';
import { ProviderPauseEntity } from './provider-pause.entity';
import { pauseOf, pausesOf, workspaceOf } from './provider-state';

/** What is known of a provider without its pauses, its breaker and what waits for it. */
type Known = Pick<ProviderHealth, 'id' | 'provider' | 'channel' | 'title' | 'alias' | 'enabled'> & { version?: number };

@Handles(providerHealth)
export class ProviderHealthHandlers {
  constructor(
    @InjectRepository(ConfigurationEntity) private readonly configurations: Repository<ConfigurationEntity>,
    @InjectRepository(ProviderPauseEntity) private readonly pauses: Repository<ProviderPauseEntity>,
    private readonly breakers: Breakers,
    private readonly calls: ProviderCounts,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(DEFAULT_PROVIDERS) private readonly defaults: readonly EmailProvider[],
  ) {}

  async list({ workspaceId }: CallContext) {
    const [rows, pauses, calls] = await Promise.all([
      this.configurations.find({ where: { workspaceId }, order: { position: 'asc', ordinal: 'asc' }, take: PROVIDERS_MAX }),
      pausesOf(this.pauses, workspaceId),
      this.calls.recent(workspaceId, this.clock.now()),
    ]);
    const listed = [...rows.map(configured), ...this.defaults.map(byOperators)];
    const counts = await waitingDeliveries(this.database, workspaceId, [...new Set(listed.map(({ id }) => id))]);
    return {
      results: listed.map((one) =>
        this.toHealth(
          workspaceId,
          one,
          pauses,
          counts.find(({ id }) => id === one.id)!,
          calls.get(one.id),
        ),
      ),
    };
  }

  private toHealth(
    workspaceId: string,
    { version, ...known }: Known,
    pauses: readonly ProviderPauseEntity[],
    { waiting, retried }: { waiting: number; retried: number },
    { calls, failed, p99Ms }: RecentCalls = { calls: 0, failed: 0 },
  ): ProviderHealth {
    const { id, provider, channel, enabled } = known;
    const pause = pauseOf({ name: id, provider, channel, workspace_id: workspaceId }, pauses);
    const { state: breaker, openForMs } = this.breakers.stateOf({ workspaceId, id, version, provider });
    return {
      ...known,
      state: pause ? 'paused' : enabled ? 'active' : 'disabled',
      ...(pause && {
        paused_at: pause.pausedAt.getTime(),
        paused_by: pause.pausedBy,
        paused_name: pause.name,
        paused_in_all: workspaceOf(pause.workspaceId) === undefined,
      }),
      breaker,
      ...(breaker === 'open' && { open_until: this.clock.now() + openForMs }),
      waiting,
      retried,
      calls,
      calls_failed: failed,
      ...(p99Ms !== undefined && { call_p99_ms: p99Ms }),
    };
  }
}

function configured(row: ConfigurationEntity): Known {
  const { id, provider, title, alias, enabled } = toProvider(row);
  return { id, provider, channel: row.channel, title, alias, enabled, version: row.version };
}

function byOperators({ key, channel }: EmailProvider): Known {
  return { id: DEFAULT_INTEGRATION_ID, provider: key, channel, title: `${key} (${DEFAULT_INTEGRATION_ID})`, enabled: true };
}
