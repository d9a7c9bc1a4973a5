import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { invalidValue, notFound } from '@tidings/contracts/core/refusals';
import { ADDRESS_RULES, suppressionAddress, SUPPRESSION_CHANNELS } from '@tidings/contracts/messaging/suppression-address';
import {
  type ImportedSuppressions,
  type ImportSuppressions,
  type ListSuppressions,
  type NamedSuppression,
  type PutSuppression,
  type Suppression,
  SUPPRESSION_SOURCES,
  suppressions,
} from '@tidings/contracts/messaging/suppressions';
import { statement, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toResultsPage } from '@tidings/persistence/page';
import { type Counted, countForQuota } from '@tidings/persistence/quotas';
import { Handles } from '@tidings/rpc/handles';
import { type EntityManager, In, Repository } from 'typeorm';
import { parseImport } from './parse-import';
import type { NewSuppression, SuppressionKey } from './suppression-store';
import { SuppressionEntity, toSuppression } from './suppression.entity';
import { Suppressions } from './suppressions';

// SQL because the count ends at the quota.
const COUNTED: Counted = {
  name: 'suppressions',
  count: statement(
    'messaging.count_suppressions',
    'select count(*) from (select from suppressions where workspace_id = $1 limit $2) counted',
  ),
};

@Handles(suppressions)
export class SuppressionsHandlers {
  constructor(
    @InjectRepository(SuppressionEntity) private readonly rows: Repository<SuppressionEntity>,
    private readonly suppressions: Suppressions,
  ) {}

  async list({ workspaceId }: CallContext, { channel, reason, address, limit, cursor, ...rest }: ListSuppressions) {
    rest satisfies Record<string, never>;
    const where = {
      workspaceId,
      ...(channel && { channel }),
      ...(reason && { reason }),
      ...(address && { address: In(await this.namesIn(workspaceId, channel ? [channel] : SUPPRESSION_CHANNELS, address)) }),
    };
    const page = await keysetPage(this.rows.createQueryBuilder('suppression').where(where), {
      tag: `suppressions ${JSON.stringify([workspaceId, channel, reason, address])}`,
      limit,
      cursor,
      orderedBy: ['channel', 'address'],
      toItem: toSuppression,
    });
    return toResultsPage(page);
  }

  async retrieve({ workspaceId }: CallContext, named: NamedSuppression): Promise<Suppression> {
    const key = keyOf(workspaceId, named);
    const row = await this.rows.findOneBy({ ...key, address: In(await this.suppressions.storedNames(key)) });
    if (!row) throw notSuppressed(key);
    return toSuppression(row);
  }

  async replace(context: CallContext, { reason, ...named }: PutSuppression, tx: EntityManager): Promise<Suppression> {
    const key = keyOf(context.workspaceId, named);
    const row = { ...key, reason: reason ?? 'manual', source: SUPPRESSION_SOURCES.write, createdAt: null, messageId: null } as const;
    await this.save(context, [row], tx);
    const stored = await this.suppressions.storedNames(key, transactionOf(tx));
    return toSuppression(await tx.findOneByOrFail(SuppressionEntity, { ...key, address: In(stored) }));
  }

  async remove(context: CallContext, named: NamedSuppression, tx: EntityManager): Promise<void> {
    const key = keyOf(context.workspaceId, named);
    const transaction = transactionOf(tx);
    const stored = await this.suppressions.storedNames(key, transaction);
    const { affected } = await tx.delete(SuppressionEntity, { ...key, address: In(stored) });
    if (!affected) throw notSuppressed(key);
    await countForQuota(transaction, context, COUNTED, -affected);
  }

  async import(context: CallContext, { csv, ...rest }: ImportSuppressions, tx: EntityManager): Promise<ImportedSuppressions> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const { lines, failed, errors } = await parseImport(csv);
    const rows = lines.map((line) => ({ workspaceId, ...line, source: SUPPRESSION_SOURCES.import, messageId: null }));
    await this.save(context, rows, tx);
    return { imported: rows.length, failed, errors };
  }

  private async save(context: CallContext, rows: readonly Omit<NewSuppression, 'hash'>[], tx: EntityManager) {
    const transaction = transactionOf(tx);
    const added = await this.suppressions.save(transaction, rows, { replaces: true });
    await countForQuota(transaction, context, COUNTED, added);
  }

  /** The texts under which an address may be stored on any of these channels. */
  private async namesIn(workspaceId: string, channels: readonly NamedSuppression['channel'][], address: string) {
    const keys = channels.flatMap((channel) => {
      const spelled = suppressionAddress(channel, address);
      return spelled === undefined ? [] : [{ workspaceId, channel, address: spelled }];
    });
    return (await Promise.all(keys.map((key) => this.suppressions.storedNames(key)))).flat();
  }
}

/** @throws ServiceError `invalid_request` for what is no address of the channel. */
function keyOf(workspaceId: string, { channel, address, ...rest }: NamedSuppression) {
  rest satisfies Record<string, never>;
  const spelled = suppressionAddress(channel, address);
  if (spelled === undefined) throw invalidValue('address', ADDRESS_RULES[channel], address);
  return { workspaceId, channel, address: spelled };
}

function notSuppressed({ channel, address }: SuppressionKey) {
  return notFound(`${address} is not suppressed on ${channel}`);
}
