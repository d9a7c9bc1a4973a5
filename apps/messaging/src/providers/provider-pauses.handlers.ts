import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type CallContext, SYSTEM_WORKSPACE_ID } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { type NamedProviderPause, providerPauses, type ProviderStates } from '@tidings/contracts/messaging/provider-pauses';
import { PROVIDERS_MAX } from '@tidings/contracts/messaging/providers';
import { transactionOf } from '@tidings/persistence/database';
import { kindOf } from '@tidings/providers/kinds';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, Repository } from 'typeorm';
import { addReleasesOf } from '../record/delivery-releases';
import { UnstoredMessages } from '../record/unstored-messages';
import { addPause, lockPauses, publishPause } from './add-pause';
import { forgetOutcomes } from './bounce-guard';
import { ConfigurationEntity } from './configuration.entity';
import { DEFAULT_INTEGRATION_ID, DEFAULT_PROVIDERS, type EmailProvider, ProviderChanges } from './provider-configurations';
import { ProviderPauseEntity } from './provider-pause.entity';
import { type Pausable, pausesOf, toState, workspaceOf } from './provider-state';

@Handles(providerPauses)
export class ProviderPausesHandlers {
  constructor(
    @InjectRepository(ProviderPauseEntity) private readonly pauses: Repository<ProviderPauseEntity>,
    @InjectRepository(ConfigurationEntity) private readonly configurations: Repository<ConfigurationEntity>,
    private readonly changes: ProviderChanges,
    private readonly unstored: UnstoredMessages,
    @Inject(DEFAULT_PROVIDERS) private readonly defaults: readonly EmailProvider[],
  ) {}

  async list({ workspaceId }: CallContext): Promise<ProviderStates> {
    const all = workspaceId === SYSTEM_WORKSPACE_ID ? await this.ofAll() : await this.ofWorkspace(workspaceId);
    const pauses = await pausesOf(this.pauses, workspaceId);
    const shown = all.map((one) => toState(one, pauses));
    const isShown = ({ name, workspaceId: id }: ProviderPauseEntity) =>
      all.some((one) => one.name === name && one.workspace_id === workspaceOf(id));
    // What a pause is resumed by: a kind, or a configuration that was removed meanwhile.
    const others = pauses.filter((one) => !isShown(one));
    return { results: [...shown, ...others.map((one) => toState(namedBy(one), [one]))] };
  }

  async pause({ workspaceId, actor }: CallContext, { name: given, ...rest }: NamedProviderPause, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await lockPauses(tx);
    const named = await this.find(workspaceId, given);
    const { pause } = await addPause(tx, this.changes, { workspaceId, name: named.name, pausedBy: actor?.id ?? 'system' });
    return toState(named, [pause]);
  }

  async resume({ workspaceId }: CallContext, { name: given, ...rest }: NamedProviderPause, tx: EntityManager) {
    rest satisfies Record<string, never>;
    await this.unstored.stored();
    await lockPauses(tx);
    const rows = tx.getRepository(ProviderPauseEntity);
    // A pause outlives the configuration that it names.
    const earlier = await rows.findOneBy({ workspaceId, name: given });
    const named = earlier ? namedBy(earlier) : await this.find(workspaceId, given);
    const { affected } = await rows.delete({ workspaceId, name: named.name });
    if (affected) {
      await addReleasesOf(transactionOf(tx), named.name, workspaceOf(workspaceId));
      await forgetOutcomes(transactionOf(tx), workspaceId, named.name);
      await publishPause(tx, this.changes, { workspaceId, name: named.name });
    }
    return toState(named, []);
  }

  /** @throws ServiceError `not_found` */
  private async find(workspaceId: string, name: string): Promise<Pausable> {
    const all = workspaceId === SYSTEM_WORKSPACE_ID ? await this.ofAll() : await this.ofWorkspace(workspaceId);
    const found = all.find((one) => one.name === name || one.alias === name);
    if (found) return found;
    // Kinds may be paused before they are used.
    if (kindOf(name) || all.some(({ provider }) => provider === name))
      return { name, provider: name, workspace_id: workspaceOf(workspaceId) };
    const names = all.map((one) => one.alias ?? one.name).join(', ');
    throw notFound(`There is no provider ${JSON.stringify(name)}; those of a workspace need --workspace. Known here: ${names}`);
  }

  /** The default providers and the kinds in use. */
  private async ofAll(): Promise<Pausable[]> {
    const kinds = await this.configurations
      .createQueryBuilder('row')
      .select('row.provider', 'kind')
      .distinct()
      .getRawMany<{ kind: string }>();
    const names = [...new Set([...this.defaults.map(({ key }) => key), ...kinds.map(({ kind }) => kind)])].sort();
    return [...this.ofDefaults(), ...names.map((name) => ({ name, provider: name }))];
  }

  private async ofWorkspace(workspaceId: string): Promise<Pausable[]> {
    const rows = await this.configurations.find({
      where: { workspaceId },
      order: { position: 'asc', ordinal: 'asc' },
      take: PROVIDERS_MAX,
    });
    const configured = rows.map(({ id, provider, channel, alias, enabled }) => ({
      name: id,
      provider,
      channel,
      alias: alias ?? undefined,
      enabled,
    }));
    return [...configured, ...this.ofDefaults()].map((one) => ({ ...one, workspace_id: workspaceId }));
  }

  private ofDefaults(): Pausable[] {
    return this.defaults.map(({ key, channel }) => ({ name: DEFAULT_INTEGRATION_ID, provider: key, channel }));
  }
}

function namedBy({ workspaceId, name }: ProviderPauseEntity): Pausable {
  return { name, provider: kindOf(name) && name, workspace_id: workspaceOf(workspaceId) };
}
