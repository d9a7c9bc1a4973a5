import { InjectRepository } from '@nestjs/typeorm';
import { messagingSecrets } from '@tidings/contracts/messaging/secrets';
import { CallJournal } from '@tidings/persistence/call-journal';
import { orIfMissingTable } from '@tidings/persistence/errors';
import { Handles } from '@tidings/rpc/handles';
import type { ResealedRows } from '@tidings/runtime/reseal';
import { Resealing } from '@tidings/runtime/resealing';
import { Equal, Repository } from 'typeorm';
import { CallbackAddresses } from '../providers/callback-addresses';
import { ConfigurationEntity } from '../providers/configuration.entity';
import { ProviderCallbackEntity } from '../providers/provider-callback.entity';
import { ProviderSecrets } from '../providers/provider-secrets';
import type { SealedColumns, SealedSecrets, SecretsKey } from '../sealed-secrets';
import { SuppressionHashes } from '../suppressions/suppression-hashes';
import { WebhookEntity } from '../webhooks/webhook.entity';
import { WebhookSecrets } from '../webhooks/webhook-secrets';

const PAGE_SIZE = 200;
/** Before every row. */
const FIRST: SecretsKey = { workspaceId: '00000000-0000-0000-0000-000000000000', id: '' };

type SealedRow = SecretsKey & SealedColumns;

/**
 * Seals the secrets of providers, of their callback addresses and of webhooks, and the keys of suppressed addresses again, at each start. Those that cannot be opened stay
 * as they are and are logged.
 */
@Handles(messagingSecrets)
export class SecretsHandlers extends Resealing {
  protected readonly tables = [
    (after: readonly string[] | undefined) => resealPage(this.configurations, this.providerSecrets, after),
    (after: readonly string[] | undefined) => resealPage(this.webhooks, this.webhookSecrets, after),
    (after: readonly string[] | undefined) => this.resealCallbacks(after),
    (after: readonly string[] | undefined) => this.hashes.resealPage(after),
  ];

  constructor(
    @InjectRepository(ConfigurationEntity) private readonly configurations: Repository<SealedRow>,
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<SealedRow>,
    private readonly providerSecrets: ProviderSecrets,
    private readonly webhookSecrets: WebhookSecrets,
    @InjectRepository(ProviderCallbackEntity) private readonly callbacks: Repository<ProviderCallbackEntity>,
    private readonly addresses: CallbackAddresses,
    private readonly hashes: SuppressionHashes,
    journal: CallJournal,
  ) {
    super({ journal, keyId: providerSecrets.keyId, pattern: messagingSecrets.reseal.pattern });
  }

  private async resealCallbacks([workspaceId, id]: readonly string[] = [FIRST.workspaceId, FIRST.id]): Promise<ResealedRows> {
    const page = this.callbacks
      .createQueryBuilder('row')
      .where('(row.workspaceId, row.configurationId) > (:workspaceId, :id)', { workspaceId, id })
      .orderBy({ 'row.workspaceId': 'ASC', 'row.configurationId': 'ASC' })
      .limit(PAGE_SIZE);
    const rows = await orIfMissingTable(page.getMany(), []);
    const count = { resealed: 0, unreadable: 0 };
    for (const row of rows) {
      if (row.keyId === this.providerSecrets.keyId) continue;
      const resealed = this.addresses.resealed(row);
      const key = { workspaceId: row.workspaceId, configurationId: row.configurationId };
      // Unless it was rotated meanwhile.
      if (resealed) await this.callbacks.update({ ...key, secrets: Equal(row.secrets) }, resealed);
      count[resealed ? 'resealed' : 'unreadable'] += 1;
    }
    const last = rows[PAGE_SIZE - 1];
    return { ...count, next: last && [last.workspaceId, last.configurationId] };
  }
}

async function resealPage<Value>(
  rows: Repository<SealedRow>,
  secrets: SealedSecrets<Value>,
  [workspaceId, id]: readonly string[] = [FIRST.workspaceId, FIRST.id],
): Promise<ResealedRows> {
  const found = rows
    .createQueryBuilder('row')
    .select(['row.workspaceId', 'row.id', 'row.secrets', 'row.keyId'])
    .where('(row.workspaceId, row.id) > (:workspaceId, :id)', { workspaceId, id })
    .orderBy({ 'row.workspaceId': 'ASC', 'row.id': 'ASC' })
    .limit(PAGE_SIZE)
    .getMany();
  const page = await orIfMissingTable(found, []);
  const count = { resealed: 0, unreadable: 0 };
  for (const row of page) if (row.keyId !== secrets.keyId) count[await resealRow(rows, secrets, row)] += 1;
  const last = page[PAGE_SIZE - 1];
  return { ...count, next: last && [last.workspaceId, last.id] };
}

async function resealRow<Value>(rows: Repository<SealedRow>, secrets: SealedSecrets<Value>, row: SealedRow) {
  const opened = secrets.open(row);
  if (opened === undefined) return 'unreadable';
  const { workspaceId, id } = row;
  await rows.update({ workspaceId, id, secrets: Equal(row.secrets) }, secrets.seal(row, opened)); // unless the row was changed meanwhile
  return 'resealed';
}
