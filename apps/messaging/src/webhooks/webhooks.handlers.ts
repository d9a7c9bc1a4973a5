import { randomUUID } from 'node:crypto';
import { InjectRepository } from '@nestjs/typeorm';
import type { CallContext } from '@tidings/contracts/core/context';
import type { CursorQuery } from '@tidings/contracts/core/paging';
import { conflict, invalid, notFound } from '@tidings/contracts/core/refusals';
import {
  type ChangeWebhook,
  type CreateWebhook,
  type NamedWebhook,
  WEBHOOK_EVENT_TYPES,
  webhooks,
  WEBHOOKS_MAX,
  type WebhookState,
  type WebhookTest,
  type WebhookWithSecret,
} from '@tidings/contracts/messaging/webhooks';
import { advisoryLock } from '@tidings/persistence/advisory';
import { CallJournal } from '@tidings/persistence/call-journal';
import { transactionOf } from '@tidings/persistence/database';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { toResultsPage } from '@tidings/persistence/page';
import { AddressGuard, AddressRefused } from '@tidings/providers/http/guard/address-guard';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { type EntityManager, type ObjectLiteral, Repository } from 'typeorm';
import { TestLimit } from '../test-limit';
import { newWebhookId, toWebhook, WebhookEntity, type WebhookKey } from './webhook.entity';
import { WebhookCaller } from './webhook-caller';
import { closeQueue, openQueue, resetQueue } from './webhook-queue';
import { WebhookRunner } from './webhook-runner';
import { rotated, valid, WebhookSecrets } from './webhook-secrets';

const UPDATED_NOW = { updatedAt: () => 'greatest(now(), created_at)' };

/** Serializes the creation of a workspace's webhooks, since their number is bounded. First lock of a transaction. */
const lockWebhooks = advisoryLock('webhooks', 'messaging');

/** A new secret in the journal: which one it is, without itself. */
interface NewSecret {
  id: string;
  number: number;
}

@Handles(webhooks)
export class WebhooksHandlers {
  private readonly limit = new TestLimit('webhooks');

  constructor(
    @InjectRepository(WebhookEntity) private readonly rows: Repository<WebhookEntity>,
    private readonly secrets: WebhookSecrets,
    private readonly guard: AddressGuard,
    private readonly journal: CallJournal,
    private readonly runner: WebhookRunner,
    private readonly caller: WebhookCaller,
    private readonly clock: Clock,
  ) {}

  async list({ workspaceId }: CallContext, { cursor }: CursorQuery) {
    const page = await keysetPage(this.rows.createQueryBuilder('webhook').where({ workspaceId }), {
      tag: `webhooks ${workspaceId}`,
      limit: WEBHOOKS_MAX,
      cursor,
      orderedBy: ['createdAt', 'id'],
      toItem: toWebhook,
    });
    return toResultsPage(page);
  }

  async create(context: CallContext, { url, description = null, event_types, ...rest }: CreateWebhook): Promise<WebhookWithSecret> {
    rest satisfies Record<string, never>;
    const { workspaceId } = context;
    const fields = { url: this.allowedUrl(url), description, eventTypes: event_types ?? [...WEBHOOK_EVENT_TYPES] };
    const created = await this.journal.once<NewSecret>(context, async (tx) => {
      const { manager } = tx;
      await lockWebhooks(manager, workspaceId);
      if ((await manager.countBy(WebhookEntity, { workspaceId })) >= WEBHOOKS_MAX)
        throw invalid(`A workspace has at most ${WEBHOOKS_MAX} webhooks: remove one first`);
      const key = { workspaceId, id: newWebhookId() };
      const [first] = rotated([], this.clock.now());
      await manager.insert<ObjectLiteral>(WebhookEntity, { ...key, ...fields, ...this.secrets.seal(key, [first]) });
      await openQueue(tx, key);
      this.runner.changedWithin(tx);
      return { id: key.id, number: first.number };
    });
    return this.withSecret(workspaceId, created);
  }

  async retrieve({ workspaceId }: CallContext, { id }: NamedWebhook) {
    return toWebhook(await findWebhook(this.rows, { workspaceId, id }));
  }

  async change({ workspaceId }: CallContext, { id, url, description, event_types, ...rest }: ChangeWebhook, tx: EntityManager) {
    rest satisfies Record<string, never>;
    const key = { workspaceId, id };
    const earlier = await lockWebhook(tx.getRepository(WebhookEntity), key);
    const fields = {
      url: url ? this.allowedUrl(url) : earlier.url,
      description: description === undefined ? earlier.description : description,
      eventTypes: event_types === undefined ? earlier.eventTypes : (event_types ?? [...WEBHOOK_EVENT_TYPES]),
    };
    await tx.update(WebhookEntity, key, { ...fields, ...UPDATED_NOW });
    return toWebhook(await tx.findOneByOrFail(WebhookEntity, key));
  }

  async remove({ workspaceId }: CallContext, { id }: NamedWebhook, tx: EntityManager) {
    const key = { workspaceId, id };
    await closeQueue(transactionOf(tx), key);
    const { affected } = await tx.delete(WebhookEntity, key);
    if (!affected) throw missing(id);
  }

  async rotateSecret(context: CallContext, { id }: NamedWebhook): Promise<WebhookWithSecret> {
    const { workspaceId } = context;
    const key = { workspaceId, id };
    const made = await this.journal.once<NewSecret>(context, async ({ manager }) => {
      const rows = manager.getRepository(WebhookEntity);
      const row = await lockWebhook(rows, key);
      // Secrets that no key opens do not sign, so they are not replaced for a time but at once.
      const all = rotated(this.secrets.open(row) ?? [], this.clock.now());
      await rows.update(key, { ...this.secrets.seal(key, all), ...UPDATED_NOW });
      return { id, number: all[0].number };
    });
    return this.withSecret(workspaceId, made);
  }

  pause({ workspaceId }: CallContext, { id }: NamedWebhook, tx: EntityManager) {
    return setState(tx, { workspaceId, id }, 'paused');
  }

  async resume({ workspaceId }: CallContext, { id }: NamedWebhook, tx: EntityManager) {
    const key = { workspaceId, id };
    const transaction = transactionOf(tx);
    await resetQueue(transaction, key);
    const resumed = await setState(tx, key, 'active');
    this.runner.changedWithin(transaction);
    return resumed;
  }

  /** Tested before its audit event: no transaction waits for a receiver. */
  async test(context: CallContext, { id }: NamedWebhook): Promise<WebhookTest> {
    const { workspaceId } = context;
    const row = await findWebhook(this.rows, { workspaceId, id });
    this.limit.count(workspaceId);
    const result = await this.post(row);
    return this.journal.once(context, () => Promise.resolve(result));
  }

  private async post(row: WebhookEntity): Promise<WebhookTest> {
    const secrets = this.secrets.open(row);
    if (!secrets) return { ok: false, duration_ms: 0, error: 'No key of TIDINGS_SECRET_KEY opens the secret' };
    const receiver = { url: row.url, secrets: valid(secrets, this.clock.now()).map(({ secret }) => secret) };
    const event = { type: 'webhook:test', data: { webhook_id: row.id } };
    const { outcome, code, durationMs, error } = await this.caller.test(receiver, randomUUID(), event);
    return { ok: outcome === 'delivered', code, duration_ms: durationMs, error };
  }

  /** @throws ServiceError `invalid_request` for an address that may not be called. */
  private allowedUrl(text: string) {
    const url = new URL(text);
    if (!this.guard.allowsHost(url.hostname)) throw invalid(`url: ${new AddressRefused(url.hostname).message}`);
    url.hash = '';
    return url.href;
  }

  /** @throws ServiceError `conflict` where the secret was replaced since: the call is repeated under its key too late. */
  private async withSecret(workspaceId: string, { id, number }: NewSecret): Promise<WebhookWithSecret> {
    const row = await findWebhook(this.rows, { workspaceId, id });
    const found = this.secrets.open(row)?.find((one) => one.number === number);
    if (!found) throw conflict(`The secret of webhook ${id} was replaced meanwhile`);
    return { ...toWebhook(row), secret: found.secret };
  }
}

/** @throws ServiceError `not_found` */
export async function findWebhook(rows: Repository<WebhookEntity>, key: WebhookKey): Promise<WebhookEntity> {
  const row = await rows.findOneBy(key);
  if (!row) throw missing(key.id);
  return row;
}

/** The same, locked until the commit. Lock order: queue, webhook, as at the end of a round. @throws ServiceError `not_found` */
async function lockWebhook(rows: Repository<WebhookEntity>, key: WebhookKey): Promise<WebhookEntity> {
  const row = await rows.findOne({ where: { ...key }, lock: { mode: 'pessimistic_write' } });
  if (!row) throw missing(key.id);
  return row;
}

function missing(id: string) {
  return notFound(`Webhook ${id} does not exist`);
}

async function setState(tx: EntityManager, key: WebhookKey, state: WebhookState) {
  const rows = tx.getRepository(WebhookEntity);
  const row = await lockWebhook(rows, key);
  if (row.state === state) return toWebhook(row);
  await rows.update(key, { state, stateReason: null, ...UPDATED_NOW });
  return toWebhook(await rows.findOneByOrFail(key));
}
