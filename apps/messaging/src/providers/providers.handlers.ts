import { randomBytes } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import {
  type CatalogPage,
  type ChangeProvider,
  type CreateProvider,
  type ListCatalog,
  type NamedProvider,
  type Provider,
  providerConfigurationChanged,
  type ProviderFields,
  type ProviderPage,
  providers,
  PROVIDERS_PAGE_MAX,
  type ReplaceProvider,
} from '@tidings/contracts/messaging/providers';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement, type Transaction } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { decodeCursor, toPage, toResultsPage } from '@tidings/persistence/page';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { kindOf, PROVIDER_KINDS } from '@tidings/providers/kinds';
import type { ProviderKind } from '@tidings/providers/provider-kind';
import { Handles } from '@tidings/rpc/handles';
import { assertAlias } from './alias';
import { catalogEntries } from './catalog';
import { changedSettings, splitSettings, wholeSettings } from './configuration-settings';
import {
  type ConfigurationValues,
  findConfiguration,
  voidReservations,
  insertConfiguration,
  lockConfigurations,
  removeConfiguration,
  updateConfiguration,
} from './configuration-store';
import { CONFIGURATION_COLUMNS, type ConfigurationRow, toProvider } from './configuration.rows';
import { ProviderSecrets } from './provider-secrets';

const ID_BYTES = 15;
const CATALOG_PAGE_MAX = 100;

const PAGE = statement(
  'provider-configurations-page',
  `select ${CONFIGURATION_COLUMNS} from provider_configurations where workspace_id = $1 and (position, place) > ($2::bigint, $3::bigint)
    order by position, place limit $4`,
);
/** Cursor before every row. */
const FIRST_CURSOR = [Number.MIN_SAFE_INTEGER, '0'];

@Handles(providers)
export class ProvidersHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly secrets: ProviderSecrets,
    private readonly guard: AddressGuard,
  ) {}

  async list({ workspaceId }: CallContext, { cursor, ...rest }: CursorQuery): Promise<ProviderPage> {
    rest satisfies Record<string, never>;
    const tag = `providers ${workspaceId}`;
    const after = cursor === undefined ? FIRST_CURSOR : decodeCursor(tag, cursor, ['integer', 'bigint']);
    const rows = await this.db.query<ConfigurationRow>(PAGE, [workspaceId, ...after, PROVIDERS_PAGE_MAX + 1]);
    const cursorOf = (row: ConfigurationRow): (string | number)[] => [row.position, row.ordinal];
    return toResultsPage(toPage(rows, { tag, limit: PROVIDERS_PAGE_MAX, cursorOf, toItem: toProvider }));
  }

  async catalog(_context: CallContext, { cursor, channel, keys, name, ...rest }: ListCatalog): Promise<CatalogPage> {
    rest satisfies Record<string, never>;
    const tag = `providers-catalog ${JSON.stringify([channel, keys, name])}`;
    const [after] = cursor === undefined ? [-1] : (decodeCursor(tag, cursor, ['integer']) as [number]);
    const numbered = catalogEntries({ channel, keys, name }).map((entry, number) => ({ entry, number }));
    const rows = numbered.filter(({ number }) => number > after).slice(0, CATALOG_PAGE_MAX + 1);
    return toResultsPage(toPage(rows, { tag, limit: CATALOG_PAGE_MAX, cursorOf: ({ number }) => [number], toItem: ({ entry }) => entry }));
  }

  async create(context: CallContext, request: CreateProvider): Promise<Provider> {
    const kind = kindNamed(request.provider);
    const { alias = null, title = null, settings, position = 0 } = fieldsOf(request);
    const split = splitSettings(kind, wholeSettings(kind, settings, { earlier: false }), { guard: this.guard });
    const { workspaceId } = context;
    return this.calls.once(context, async (tx) => {
      await lockConfigurations(tx, workspaceId);
      const name = { workspace_id: workspaceId, configuration_id: `prv_${randomBytes(ID_BYTES).toString('base64url')}` };
      const sealed = this.secrets.seal(name, split.secrets);
      const shown = { provider: kind.key, channel: split.channel, title, alias, settings: split.settings, position };
      const row = await insertConfiguration(tx, { ...name, ...shown, ...sealed });
      return this.changed(tx, row);
    });
  }

  async retrieve({ workspaceId }: CallContext, { id, ...rest }: NamedProvider): Promise<Provider> {
    rest satisfies Record<string, never>;
    return toProvider(await findConfiguration(this.db, workspaceId, id));
  }

  async replace(context: CallContext, { id, ...request }: ReplaceProvider): Promise<Provider> {
    const { key, alias = null, title = null, settings, position = 0 } = fieldsOf(request);
    return this.update(context, id, key, ({ provider }) => ({
      alias,
      title,
      settings: wholeSettings(kindNamed(provider), settings, { earlier: true }),
      position,
    }));
  }

  async change(context: CallContext, { id, ...request }: ChangeProvider): Promise<Provider> {
    const { key, settings: patch, ...fields } = fieldsOf(request);
    return this.update(context, id, key, (earlier) => {
      const { alias = earlier.alias, title = earlier.title, position = earlier.position } = fields;
      return { alias, title, settings: changedSettings(kindNamed(earlier.provider), earlier.settings, patch), position };
    });
  }

  async remove(context: CallContext, { id, ...rest }: NamedProvider): Promise<void> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    await this.calls.once(context, async (tx) => {
      await lockConfigurations(tx, workspaceId);
      const row = await findConfiguration(tx, workspaceId, id);
      await removeConfiguration(tx, workspaceId, id);
      await this.changed(tx, row);
    });
  }

  /** @param key of the kind, where the request names one: it must be the configuration's own. */
  private async update(
    context: CallContext,
    id: string,
    key: string | undefined,
    decide: (earlier: ConfigurationRow) => Pick<ConfigurationValues, 'alias' | 'title' | 'settings' | 'position'>,
  ): Promise<Provider> {
    if (key !== undefined) kindNamed(key);
    const { workspaceId } = context;
    return this.calls.once(context, async (tx) => {
      await lockConfigurations(tx, workspaceId);
      const earlier = await findConfiguration(tx, workspaceId, id);
      if (key !== undefined && key !== earlier.provider)
        throw new ServiceError('invalid_request', `provider must stay ${earlier.provider}: configure ${key} beside it`);
      const { settings: given, ...wanted } = decide(earlier);
      const secrets = this.secrets.open(earlier);
      const split = splitSettings(kindNamed(earlier.provider), given, {
        guard: this.guard,
        earlier: { settings: earlier.settings, secrets },
      });
      const row = await updateConfiguration(tx, {
        ...wanted,
        workspace_id: workspaceId,
        configuration_id: id,
        provider: earlier.provider,
        channel: split.channel,
        settings: split.settings,
        ...this.secrets.seal(earlier, split.secrets),
      });
      if (JSON.stringify(earlier.settings.rate_limit) !== JSON.stringify(split.settings.rate_limit))
        await voidReservations(tx, workspaceId, id);
      return this.changed(tx, row);
    });
  }

  private async changed(tx: Transaction, row: ConfigurationRow): Promise<Provider> {
    await this.outbox.add(tx, providerConfigurationChanged, { payload: { workspaceId: row.workspace_id, id: row.configuration_id } });
    return toProvider(row);
  }
}

function kindNamed(key: string): ProviderKind {
  const kind = kindOf(key);
  if (kind) return kind;
  const keys = PROVIDER_KINDS.map((one) => one.key).join(', ');
  throw new ServiceError('invalid_request', `provider ${JSON.stringify(key)} is not known; known: ${keys}`);
}

/** The fields of a request, checked and in stored form. Absent fields stay absent: each operation decides what that means. */
function fieldsOf({ provider, alias, title, settings, order, ...rest }: ProviderFields & { provider?: string | null }) {
  rest satisfies Record<string, never>;
  if (alias) assertAlias(alias);
  return {
    /** Key of the kind. */
    key: provider ?? undefined,
    alias,
    title: title?.trim() === '' ? null : title,
    settings,
    position: order === null ? 0 : order,
  };
}
