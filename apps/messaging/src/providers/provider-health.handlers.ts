import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { type ProviderHealth, providerHealth } from '@tidings/contracts/messaging/provider-health';
import { PROVIDER_PAUSES_MAX } from '@tidings/contracts/messaging/provider-pauses';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { Database } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { In, Repository } from 'typeorm';
import { waitingDeliveries } from '../record/delivery-releases';
import { Breakers } from './breakers';
import { ConfigurationEntity, toProvider } from './configuration.entity';
import { DEFAULT_INTEGRATION_ID, DEFAULT_PROVIDERS, type EmailProvider } from './provider-configurations';
import { ProviderPauseEntity } from './provider-pause.entity';
import { toState } from './provider-state';

/** What is known of a provider without its pauses, its breaker and what waits for it. */
type Known = Pick<ProviderHealth, 'id' | 'provider' | 'channel' | 'title' | 'alias'> & { enabled: boolean; version?: number };

@Handles(providerHealth)
export class ProviderHealthHandlers {
  constructor(
    @InjectRepository(ConfigurationEntity) private readonly configurations: Repository<ConfigurationEntity>,
    @InjectRepository(ProviderPauseEntity) private readonly pauses: Repository<ProviderPauseEntity>,
    private readonly breakers: Breakers,
    private readonly database: Database,
    private readonly clock: Clock,
    @Inject(DEFAULT_PROVIDERS) private readonly defaults: readonly EmailProvider[],
  ) {}

  async list({ workspaceId }: CallContext) {
    const [rows, pauses] = await Promise.all([
      this.configurations.find({ where: { workspaceId }, order: { position: 'asc', ordinal: 'asc' }, take: PROVIDERS_MAX }),
      this.pauses.find({ where: { workspaceId: In([workspaceId, SYSTEM_WORKSPACE_ID]) }, take: PROVIDER_PAUSES_MAX }),
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
        ),
      ),
    };
  }

  private toHealth(
    workspaceId: string,
    { enabled, version, ...known }: Known,
    pauses: readonly ProviderPauseEntity[],
    { waiting, retried }: { waiting: number; retried: number },
  ): ProviderHealth {
    const { id, provider } = known;
    const { state, paused_at, paused_by } = toState({ name: id, provider, workspace_id: workspaceId, enabled }, pauses);
    const { state: breaker, openForMs } = this.breakers.stateOf({ workspaceId, id, version, provider });
    const pause = paused_at === undefined ? {} : { paused_at: Date.parse(paused_at), paused_by };
    return {
      ...known,
      state,
      ...pause,
      breaker,
      ...(breaker === 'open' && { open_until: this.clock.now() + openForMs }),
      waiting,
      retried,
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
