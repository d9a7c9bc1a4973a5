import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import { readInstant } from '@tidings/contracts/core/instant';
import { notFound } from '@tidings/contracts/core/refusals';
import { messageIdToUuid } from '@tidings/contracts/messaging/message-id';
import {
  type ListWebhookDeliveries,
  type NamedWebhookDelivery,
  type ReplayedWebhook,
  type ReplayWebhook,
  webhookDeliveries,
  WEBHOOK_DELIVERIES_PAGE_MAX,
  WEBHOOK_REPLAYS_MAX,
} from '@tidings/contracts/messaging/webhooks';
import { statement, transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { isUUID } from 'class-validator';
import { type EntityManager, Repository } from 'typeorm';
import { toWebhookDelivery, WebhookDeliveryEntity } from './webhook-delivery.entity';
import { WebhookEntity } from './webhook.entity';
import { findWebhook } from './webhooks.handlers';
import { WebhookRunner } from './webhook-runner';

/** No message has it. */
const NO_MESSAGE = '00000000-0000-0000-0000-000000000000';

// SQL because one statement selects a range in order, skips what other processes write, and schedules it.
const REPLAYED = `result = 'pending', attempts = 0, due_at = clock_timestamp(), since_at = clock_timestamp(), ended_at = null`;
const REPLAY_ONE = statement('messaging.webhook_deliveries_replay_one', `update webhook_deliveries set ${REPLAYED} where delivery_id = $1`);
const REPLAY = statement(
  'messaging.webhook_deliveries_replay',
  `with found as (
     select delivery_id, created_at from webhook_deliveries
      where workspace_id = $1 and webhook_id = $2 and created_at >= $3 and created_at < $4 and result = any($5::text[])
      order by created_at, number, delivery_id limit ${WEBHOOK_REPLAYS_MAX} for update skip locked
   ), replayed as (
     update webhook_deliveries set ${REPLAYED} from found where webhook_deliveries.delivery_id = found.delivery_id
   )
   select count(*)::int as count, max(created_at) as last from found`,
);

@Handles(webhookDeliveries)
export class WebhookDeliveriesHandlers {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<WebhookEntity>,
    @InjectRepository(WebhookDeliveryEntity) private readonly rows: Repository<WebhookDeliveryEntity>,
    private readonly runner: WebhookRunner,
    private readonly clock: Clock,
  ) {}

  async list({ workspaceId }: CallContext, { id: webhookId, cursor, result, message_id }: ListWebhookDeliveries) {
    await findWebhook(this.webhooks, { workspaceId, id: webhookId });
    const messageId = message_id === undefined ? undefined : (messageIdToUuid(message_id) ?? NO_MESSAGE);
    const where = { workspaceId, webhookId, ...(result && { result }), ...(messageId && { messageId }) };
    const page = await keysetPage(this.rows.createQueryBuilder('delivery').where(where), {
      tag: `webhook-deliveries ${JSON.stringify([workspaceId, webhookId, result, messageId])}`,
      limit: WEBHOOK_DELIVERIES_PAGE_MAX,
      cursor,
      orderedBy: ['createdAt', 'number', 'id'], // events of one step have the same time
      direction: 'DESC',
      toItem: toWebhookDelivery,
    });
    return toResultsPage(page);
  }

  async retrieve({ workspaceId }: CallContext, named: NamedWebhookDelivery) {
    await findWebhook(this.webhooks, { workspaceId, id: named.id });
    return toWebhookDelivery(await findDelivery(this.rows, workspaceId, named));
  }

  async replayOne({ workspaceId }: CallContext, named: NamedWebhookDelivery, tx: EntityManager) {
    const rows = tx.getRepository(WebhookDeliveryEntity);
    await findWebhook(tx.getRepository(WebhookEntity), { workspaceId, id: named.id });
    const { id } = await findDelivery(rows, workspaceId, named);
    const transaction = transactionOf(tx);
    await transaction.execute(REPLAY_ONE, [id]);
    this.runner.changedWithin(transaction);
    return toWebhookDelivery(await rows.findOneByOrFail({ id }));
  }

  async replay(
    { workspaceId }: CallContext,
    { id, from, to, result, ...rest }: ReplayWebhook,
    tx: EntityManager,
  ): Promise<ReplayedWebhook> {
    rest satisfies Record<string, never>;
    const transaction = transactionOf(tx);
    await findWebhook(tx.getRepository(WebhookEntity), { workspaceId, id });
    const until = to ? readInstant(to)! : new Date(this.clock.now());
    const values = [workspaceId, id, readInstant(from), until, result ? [result] : ['delivered', 'failed']];
    const [found] = await transaction.query<{ count: number; last: Date | null }>(REPLAY, values);
    const { count, last } = found!;
    if (count > 0) this.runner.changedWithin(transaction);
    return { deliveries: count, next_from: count === WEBHOOK_REPLAYS_MAX ? last!.toISOString() : undefined };
  }
}

/** @throws ServiceError `not_found` */
async function findDelivery(
  rows: Repository<WebhookDeliveryEntity>,
  workspaceId: string,
  { id: webhookId, delivery_id: id }: NamedWebhookDelivery,
): Promise<WebhookDeliveryEntity> {
  const row = isUUID(id) ? await rows.findOneBy({ workspaceId, webhookId, id }) : null;
  if (!row) throw notFound(`Delivery ${id} of webhook ${webhookId} does not exist`);
  return row;
}
