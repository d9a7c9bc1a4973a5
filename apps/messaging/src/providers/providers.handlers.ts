import { Inject } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { CHANNELS } from '@tidings/contracts/core/channels';
import type { CallContext } from '@tidings/contracts/core/context';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import { conflict, invalid, notFound } from '@tidings/contracts/core/refusals';
import {
  type ChangeProvider,
  type CreateProvider,
  type ListCatalog,
  type NamedProvider,
  type ProviderFields,
  providers,
  PROVIDERS_MAX,
  PROVIDERS_PAGE_MAX,
  type RemoveProvider,
  type ReplaceProvider,
  type RetriedProvider,
} from '@tidings/contracts/messaging/providers';
import { DEFAULT_LIMITS } from '@tidings/contracts/messaging/timing/timeouts';
import { advisoryLock } from '@tidings/persistence/advisory';
import { CallJournal } from '@tidings/persistence/call-journal';
import { decodeCursor } from '@tidings/persistence/cursor';
import { statement, type Transaction, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toPage, toResultsPage } from '@tidings/persistence/page';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { callbackOf } from '@tidings/providers/callbacks';
import { kindOf, PROVIDER_KINDS } from '@tidings/providers/kinds';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, Not, type ObjectLiteral, Repository } from 'typeorm';
import { catalogOf } from './catalog';
import { CallbackAddresses } from './callback-addresses';
import { assertSender, changedSettings, splitSettings, wholeSettings } from './configuration-settings';
import { addRelease, countDeliveries } from '../record/delivery-releases';
import { UnstoredMessages } from '../record/unstored-messages';
import { ConfigurationEntity, type ConfigurationKey, generatedTitle, newConfigurationId, toProvider } from './configuration.entity';
import { DEFAULT_INTEGRATION_ID, DEFAULT_PROVIDERS, type EmailProvider, ProviderChanges, senderOf } from './provider-configurations';
import { ProviderSecrets } from './provider-secrets';
import { ProviderTester } from './provider-tester';

const CATALOG_PAGE_MAX = 100;

// SQL because rates are on the path of a message, and have no entity.
const DELETE_RATE = statement('provider-rates-delete', 'delete from provider_rates where workspace_id = $1 and configuration_id = $2');

/** Serializes changes of a workspace's configurations, because checks read the other ones. First lock of a transaction. */
const lockConfigurations = advisoryLock('provider-configurations', 'messaging');

@Handles(providers)
export class ProvidersHandlers {
  private readonly hasSender = senderOf(this.defaults) !== undefined;
  private readonly entries = catalogOf(this.hasSender);

  constructor(
    @InjectRepository(ConfigurationEntity) private readonly rows: Repository<ConfigurationEntity>,
    private readonly changes: ProviderChanges,
    private readonly secrets: ProviderSecrets,
    private readonly guard: AddressGuard,
    private readonly unstored: UnstoredMessages,
    private readonly tester: ProviderTester,
    private readonly journal: CallJournal,
    private readonly callbacks: CallbackAddresses,
    @Inject(DEFAULT_PROVIDERS) private readonly defaults: readonly EmailProvider[],
  ) {}

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    const page = await keysetPage(this.rows.createQueryBuilder('configuration').where({ workspaceId }), {
      tag: `providers ${workspaceId}`,
      limit: PROVIDERS_PAGE_MAX,
      cursor,
      orderedBy: ['position', 'ordinal'],
      toItem: toProvider,
    });
    return toResultsPage(page);
  }

  async catalog(_context: CallContext, { cursor, channel, keys, name }: ListCatalog) {
    const tag = `providers-catalog ${JSON.stringify([channel, keys, name])}`;
    const [after] = cursor === undefined ? [-1] : (decodeCursor(tag, cursor, ['integer']) as [number]);
    const wanted = keys === undefined ? undefined : new Set(keys.split(',').map((key) => key.trim()));
    const entries = this.entries.filter(
      (entry) =>
        (channel === undefined || entry.channel === channel.toLowerCase()) &&
        (!wanted || wanted.has(entry.provider)) &&
        (name === undefined || entry.name.toLowerCase().includes(name.toLowerCase())),
    );
    const rows = [...entries.entries()].slice(after + 1, after + CATALOG_PAGE_MAX + 2);
    return toResultsPage(toPage(rows, { tag, limit: CATALOG_PAGE_MAX, cursorOf: ([number]) => [number], toItem: ([, entry]) => entry }));
  }

  async create({ workspaceId }: CallContext, request: CreateProvider, tx: EntityManager) {
    const kind = kindNamed(request.provider);
    const { alias = null, title = null, settings: given, position = 0, enabled = true } = fieldsOf(request);
    const { hasSender } = this;
    const { channel, settings, secrets } = splitSettings(kind, wholeSettings(kind, given, { earlier: false, hasSender }), this.guard);
    if (!hasSender) assertSender(kind, settings);
    await lockConfigurations(tx, workspaceId);
    const key = { workspaceId, id: newConfigurationId() };
    if ((await tx.countBy(ConfigurationEntity, { workspaceId })) >= PROVIDERS_MAX)
      throw invalid(`A workspace has at most ${PROVIDERS_MAX} configured providers: remove one first`);
    await assertAliasIsFree(tx, key, alias);
    const values = { provider: kind.key, channel, title, alias, settings, position, enabled, ...this.secrets.seal(key, secrets) };
    // `ObjectLiteral`: TypeORM's type of values does not accept settings of any type.
    await tx.insert<ObjectLiteral>(ConfigurationEntity, { ...key, ...values });
    await this.callbacks.ensure(tx, { ...key, provider: kind.key });
    return this.published(tx, key);
  }

  async retrieve({ workspaceId }: CallContext, { id }: NamedProvider) {
    const row = await findConfiguration(this.rows, { workspaceId, id });
    return { ...toProvider(row), callback_url: (await this.callbacks.of([row])).get(row) };
  }

  async replace({ workspaceId }: CallContext, { id, ...request }: ReplaceProvider, tx: EntityManager) {
    return this.update(tx, { workspaceId, id }, request, true);
  }

  async change({ workspaceId }: CallContext, { id, ...request }: ChangeProvider, tx: EntityManager) {
    return this.update(tx, { workspaceId, id }, request, false);
  }

  async remove({ workspaceId }: CallContext, { id, force }: RemoveProvider, tx: EntityManager) {
    const key = { workspaceId, id };
    const transaction = transactionOf(tx);
    await this.unstored.stored();
    await lockConfigurations(tx, workspaceId);
    await findConfiguration(tx.getRepository(ConfigurationEntity), key);
    if (!force) await assertNothingWaits(transaction, key);
    await tx.delete(ConfigurationEntity, key);
    await this.callbacks.remove(tx, key);
    await transaction.execute(DELETE_RATE, [workspaceId, id]);
    if (force) await addRelease(transaction, key, true);
    await this.publishChange(tx, key);
  }

  /** Tested before its audit event: no transaction waits for a provider. */
  async test(context: CallContext, { id }: NamedProvider) {
    const result = await this.tester.test(context, id);
    return this.journal.once(context, () => Promise.resolve(result));
  }

  /** Open breakers end as well: they belong to a version of the configuration, in every process; the default one's by the event. */
  async retryNow({ workspaceId }: CallContext, { id }: NamedProvider, tx: EntityManager): Promise<RetriedProvider> {
    const key = { workspaceId, id };
    const transaction = transactionOf(tx);
    await this.unstored.stored();
    await lockConfigurations(tx, workspaceId);
    if (id !== DEFAULT_INTEGRATION_ID) {
      await findConfiguration(tx.getRepository(ConfigurationEntity), key);
      await tx.update(ConfigurationEntity, key, { version: () => 'version + 1' });
    }
    const { waiting } = await countDeliveries(transaction, key);
    await addRelease(transaction, key, false);
    await this.publishChange(tx, key);
    return { deliveries: waiting };
  }

  /** The answer is without the address: answers of commands are recorded. */
  async rotateCallback({ workspaceId }: CallContext, { id }: NamedProvider, tx: EntityManager): Promise<void> {
    const key = { workspaceId, id };
    await lockConfigurations(tx, workspaceId);
    const { provider } = await findConfiguration(tx.getRepository(ConfigurationEntity), key);
    if (!callbackOf(provider)) throw invalid(`${provider} reports nothing: it has no callback address`);
    await this.callbacks.rotate(tx, key);
    // Calls from now on name the new address.
    await tx.update(ConfigurationEntity, key, { version: () => 'version + 1' });
    await this.publishChange(tx, key);
  }

  /** @param isWhole whether absent fields are removed; otherwise they stay. */
  private async update(tx: EntityManager, key: ConfigurationKey, request: GivenFields, isWhole: boolean) {
    if (request.provider) kindNamed(request.provider);
    await lockConfigurations(tx, key.workspaceId);
    const rows = tx.getRepository(ConfigurationEntity);
    const earlier = await findConfiguration(rows, key);
    const { key: named, settings: given, ...fields } = fieldsOf(request, earlier.alias);
    if (named !== undefined && named !== earlier.provider)
      throw invalid(`provider must stay ${earlier.provider}: configure ${named} beside it`);
    const kind = kindNamed(earlier.provider);
    const { hasSender } = this;
    const whole = isWhole ? wholeSettings(kind, given, { earlier: true, hasSender }) : changedSettings(kind, earlier.settings, given);
    const { channel, settings, secrets } = splitSettings(kind, whole, this.guard, {
      settings: earlier.settings,
      secrets: this.secrets.open(earlier),
    });
    if (!hasSender) assertSender(kind, settings, isWhole ? undefined : earlier.settings);
    const absent = isWhole ? { alias: null, title: null, position: 0 } : earlier;
    // No SDK knows `enabled`: their replacements leave it as it is.
    const { alias = absent.alias, title = absent.title, position = absent.position, enabled = earlier.enabled } = fields;
    await assertAliasIsFree(tx, key, alias);
    const changed = { version: () => 'version + 1', updatedAt: () => 'greatest(now(), created_at)' };
    // A generated title that was read and put back stays generated: it follows a new alias.
    const ownTitle = earlier.title === null && title === generatedTitle(earlier) ? null : title;
    const values = { alias, title: ownTitle, position, enabled, channel, settings, ...this.secrets.seal(key, secrets), ...changed };
    await rows.update(key, values);
    await this.callbacks.ensure(tx, { ...key, provider: kind.key });
    const transaction = transactionOf(tx);
    const hasNewRate = JSON.stringify(earlier.settings.rate_limit) !== JSON.stringify(settings.rate_limit);
    if (hasNewRate) await transaction.execute(DELETE_RATE, [key.workspaceId, key.id]);
    await addRelease(transaction, key, hasNewRate || !enabled);
    return this.published(tx, key);
  }

  /** Publishes a change; resolves with the configuration after it. */
  private async published(tx: EntityManager, key: ConfigurationKey) {
    await this.publishChange(tx, key);
    return toProvider(await tx.findOneByOrFail(ConfigurationEntity, key));
  }

  private publishChange(tx: EntityManager, { workspaceId, id }: ConfigurationKey) {
    return this.changes.publish(transactionOf(tx), { workspaceId, id });
  }
}

function kindNamed(key: string) {
  const kind = kindOf(key);
  if (!kind) throw invalid(`provider ${JSON.stringify(key)} is not known; known: ${PROVIDER_KINDS.map((one) => one.key).join(', ')}`);
  return kind;
}

/** Names with a meaning in routings (channels) and in histories (the default provider). */
const RESERVED: readonly string[] = [...CHANNELS, DEFAULT_INTEGRATION_ID];

type GivenFields = ProviderFields & { provider?: string | null };

/**
 * The fields of a request, checked and in stored form. Absent fields stay absent: each operation decides what that means. `enabled: null` is
 * absent: no client means by it to switch a provider on.
 */
function fieldsOf({ provider, alias, title, settings, order, enabled, ...rest }: GivenFields, earlierAlias?: string | null) {
  rest satisfies Record<string, never>;
  // Another configuration of the kind would answer to the alias; one from before the kind was built in stays.
  if (alias && alias !== earlierAlias && kindOf(alias)) throw invalid(`alias ${alias} is the name of a provider: choose another one`);
  if (alias && RESERVED.includes(alias)) throw invalid(`alias ${alias} has a meaning of its own: choose another one`);
  return {
    /** Key of the kind. */
    key: provider ?? undefined,
    alias,
    title: title?.trim() === '' ? null : title,
    settings,
    position: order === null ? 0 : order,
    enabled: enabled ?? undefined,
  };
}

/** @throws ServiceError `not_found` */
async function findConfiguration(rows: Repository<ConfigurationEntity>, key: ConfigurationKey) {
  const row = await rows.findOneBy(key);
  if (!row) throw notFound(`Provider configuration ${key.id} does not exist`);
  return row;
}

/** @throws ServiceError `conflict` when messages wait for the configuration, with their number and how long. */
async function assertNothingWaits(tx: Transaction, key: ConfigurationKey) {
  const { open, since_ms } = await countDeliveries(tx, key);
  if (open === 0) return;
  const until = new Date(since_ms! + DEFAULT_LIMITS.messageMs).toISOString();
  const waiting = open === 1 ? '1 delivery waits' : `${open} deliveries wait`;
  throw conflict(
    `${waiting} for provider configuration ${key.id}, until ${until} unless the send has a longer timeout: remove it then, or with force=true`,
  );
}

/** @throws ServiceError `conflict` when another configuration has the alias. */
async function assertAliasIsFree(tx: EntityManager, { workspaceId, id }: ConfigurationKey, alias: string | null) {
  const other = alias === null ? null : await tx.findOneBy(ConfigurationEntity, { workspaceId, alias, id: Not(id) });
  if (other) throw conflict(`alias "${alias}" is that of provider configuration ${other.id}`);
}
