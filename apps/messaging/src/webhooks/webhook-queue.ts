import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import { ClaimQueue } from '@tidings/jobs/claim-queue';
import { claimStatements } from '@tidings/jobs/due-statements';
import { byKey } from '@tidings/persistence/by-key';
import { type Database, type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { isMissingTable } from '@tidings/persistence/errors';
import { MESSAGE_COLUMNS, type MessageRow } from '../record/message-row';
import type { WebhookKey } from './webhook.entity';

/** A webhook with due deliveries, claimed by this process: its receiver is called by no other one. */
export interface ClaimedWebhook {
  workspace_id: string;
  lane: number;
  queue_id: string;
  generation: number;
  webhook_id: string;
  url: string;
  secrets: Buffer;
  key_id: string | null;
  /** Rounds in a row in which the receiver accepted nothing. */
  failures: number;
}

/** A due delivery with its message as it is now; `id` is null where the message is not stored any more. */
export interface DueDelivery extends Omit<MessageRow, 'id'> {
  id: string | null;
  delivery_id: string;
  message_id: string;
  /** The status that the event reports. */
  reported: MessageStatus;
  /** The statuses that earlier and later events of the message report. */
  earlier: MessageStatus[];
  later: MessageStatus[];
  attempts: number;
  is_attempted: boolean;
  /** Since the begin of the retry window. */
  age_ms: number;
}

/** What became of a due delivery. */
export interface DeliveryResult {
  readonly id: string;
  readonly result: 'delivered' | 'failed' | 'pending';
  readonly code?: number;
  readonly duration_ms: number;
  readonly error?: string;
  /** With `pending`: until the next attempt. */
  readonly delay_ms?: number;
}

/** What became of a round of calls. */
export interface RoundResult {
  readonly deliveries: readonly DeliveryResult[];
  /** Deliveries that report no change of the status. */
  readonly unchanged: readonly string[];
  readonly failures: number;
  /** Until the next round. */
  readonly delayMs: number;
}

/** Deliveries of one message in a round. */
const CHAIN_MAX = 8;
/** Workspaces with active webhooks whose ids are cached; of more, every commit is followed by a poll. */
const WORKSPACES_MAX = 1_000;
/** How long they are cached, unless they change. */
const ACTIVE_MS = 10_000;

// SQL because webhooks are claimed with skip locked, and deliveries are written in batches under the generation of the claim.
const OF_ROW = (table: string) => `${table}.workspace_id = rows.workspace_id and ${table}.webhook_id = rows.webhook_id`;

const STATEMENTS = claimStatements('messaging.webhooks', {
  table: 'webhook_queues',
  key: 'queue_id',
  columns: ['webhook_id', 'failures'],
  condition: `exists (select from webhooks where ${OF_ROW('webhooks')} and webhooks.state = 'active')
    and exists (
      select from webhook_deliveries one
       where ${OF_ROW('one')} and one.ended_at is null and one.due_at <= (select clock_timestamp()))`,
  // Without the lateness: a webhook is due since its last round, however long it had no events.
  select: `select claimed.workspace_id, claimed.lane, claimed.queue_id, claimed.generation, claimed.webhook_id, claimed.failures,
          claimed.orphaned, webhooks.url, webhooks.secrets, webhooks.key_id
     from claimed join webhooks on webhooks.workspace_id = claimed.workspace_id and webhooks.webhook_id = claimed.webhook_id
     order by claimed.workspace_id, claimed.lane`,
});

const ACTIVE = statement(
  'messaging.webhooks_active',
  `select distinct workspace_id from webhooks where state = 'active' limit ${WORKSPACES_MAX + 1}`,
);

const NEXT_DUE = statement(
  'messaging.webhooks_next',
  `select ceil(extract(epoch from min(greatest(rows.due_at, first.due_at)) - clock_timestamp()) * 1000)::float8 as wait_ms
     from webhook_queues rows
     join webhooks on ${OF_ROW('webhooks')} and webhooks.state = 'active'
     cross join lateral (
       select due_at from webhook_deliveries one where ${OF_ROW('one')} and one.ended_at is null order by due_at limit 1
     ) first`,
);

const OLDEST_DUE = statement(
  'messaging.webhooks_oldest_due',
  `select greatest(0, extract(epoch from clock_timestamp() - min(first.due_at)))::float8 as age
     from webhook_queues rows
     join webhooks on ${OF_ROW('webhooks')} and webhooks.state = 'active'
     cross join lateral (
       select due_at from webhook_deliveries one where ${OF_ROW('one')} and one.ended_at is null order by due_at limit 1
     ) first
    where rows.failures = 0`,
);

const SAME_MESSAGE = (table: string) =>
  `${table}.workspace_id = one.workspace_id and ${table}.webhook_id = one.webhook_id and ${table}.message_id = one.message_id`;

const DUE_COLUMNS = 'delivery_id, workspace_id, webhook_id, message_id, number, status, attempts, due_at, since_at, attempted_at';

/**
 * The first deliveries of the first messages, at most `CHAIN_MAX` of each: in the order of the events, and without those before which
 * another one is due later.
 */
const DUE = statement(
  'messaging.webhook_deliveries_due',
  `with first as (
     select one.message_id, one.due_at from webhook_deliveries one
      where one.workspace_id = $1 and one.webhook_id = $2 and one.ended_at is null and one.due_at <= (select clock_timestamp())
        and not exists (
          select from webhook_deliveries waiting
           where ${SAME_MESSAGE('waiting')} and waiting.number < one.number and waiting.ended_at is null)
      order by one.due_at, one.number limit $3
   )
   select one.delivery_id, one.message_id, one.status as reported, one.attempts, one.attempted_at is not null as is_attempted,
          (extract(epoch from clock_timestamp() - one.since_at) * 1000)::float8 as age_ms,
          array(
            select earlier.status from webhook_deliveries earlier where ${SAME_MESSAGE('earlier')} and earlier.number < one.number
          ) as earlier,
          array(select later.status from webhook_deliveries later where ${SAME_MESSAGE('later')} and later.number > one.number) as later,
          message.*
   from first
   cross join lateral (
     select ${DUE_COLUMNS} from webhook_deliveries due
      where due.workspace_id = $1 and due.webhook_id = $2 and due.message_id = first.message_id and due.ended_at is null
      order by due.number limit ${CHAIN_MAX}
   ) as one
   left join lateral (
     select ${MESSAGE_COLUMNS} from messages where messages.workspace_id = one.workspace_id and messages.id = one.message_id limit 1
   ) as message on true
   where one.due_at <= (select clock_timestamp())
     and not exists (
       select from webhook_deliveries waiting
        where ${SAME_MESSAGE('waiting')} and waiting.number < one.number and waiting.ended_at is null
          and waiting.due_at > (select clock_timestamp()))
   order by first.due_at, one.message_id, one.number`,
);

const END_ROUND = statement(
  'messaging.webhooks_end_round',
  `update webhook_queues set turn = turn + 1, failures = $3, due_at = clock_timestamp() + $4 * interval '1 millisecond',
          failing_since = case when $3 > 0 then coalesce(failing_since, clock_timestamp()) end
   where queue_id = $1 and turn = $2
   returning (extract(epoch from clock_timestamp() - failing_since) * 1000)::float8 as failing_ms`,
);

/** Later deliveries of a message become due with the one that they wait for, so that no poll reads them before. */
const RECORD = statement(
  'messaging.webhook_deliveries_record',
  `with input as (
     select * from json_to_recordset($1::json) as row(id uuid, result text, code integer, duration_ms integer, error text, delay_ms bigint)
   ), recorded as (
     update webhook_deliveries one
        set result = input.result, attempts = one.attempts + 1, code = input.code, duration_ms = input.duration_ms, error = input.error,
            attempted_at = clock_timestamp(),
            ended_at = case when input.result <> 'pending' then clock_timestamp() end,
            due_at = case when input.result = 'pending' then clock_timestamp() + input.delay_ms * interval '1 millisecond'
                          else one.due_at end
       from input where one.delivery_id = input.id and one.ended_at is null and ${byKey('input.id')}
     returning one.workspace_id, one.webhook_id, one.message_id, one.number, one.due_at, one.ended_at
   )
   update webhook_deliveries waiting set due_at = one.due_at from recorded one
    where ${SAME_MESSAGE('waiting')} and one.ended_at is null
      and waiting.number > one.number and waiting.ended_at is null and waiting.due_at < one.due_at`,
);

const DROP = statement('messaging.webhook_deliveries_drop', 'delete from webhook_deliveries where delivery_id = any($1::uuid[])');

const DISABLE = statement(
  'messaging.webhooks_disable',
  `update webhooks set state = 'disabled', state_reason = $3, updated_at = greatest(now(), created_at)
   where workspace_id = $1 and webhook_id = $2 and state = 'active'`,
);

const OPEN = statement('messaging.webhooks_open', 'insert into webhook_queues (workspace_id, webhook_id) values ($1, $2)');
const CLOSE = statement('messaging.webhooks_close', 'delete from webhook_queues where workspace_id = $1 and webhook_id = $2');
const RESET = statement(
  'messaging.webhooks_reset',
  `update webhook_queues set failures = 0, failing_since = null, due_at = least(due_at, clock_timestamp())
   where workspace_id = $1 and webhook_id = $2`,
);

/** Opens the queue of a new webhook. */
export async function openQueue(tx: Queryable, { workspaceId, id }: WebhookKey): Promise<void> {
  await tx.execute(OPEN, [workspaceId, id]);
}

/** Removes the queue of a webhook: nothing is posted any more. Its deliveries stay until their retention ends. */
export async function closeQueue(tx: Queryable, { workspaceId, id }: WebhookKey): Promise<void> {
  await tx.execute(CLOSE, [workspaceId, id]);
}

/** Forgets the failures of a webhook, so that it is called at full speed at once. */
export async function resetQueue(tx: Queryable, { workspaceId, id }: WebhookKey): Promise<void> {
  await tx.execute(RESET, [workspaceId, id]);
}

/** Claims webhooks with due deliveries, round-robin over workspaces. Without an active webhook it sends one query at intervals. */
export class WebhookQueue extends ClaimQueue<ClaimedWebhook> {
  /** Workspaces with an active webhook; undefined: too many. */
  private active: ReadonlySet<string> | undefined = new Set();
  private loadAt = 0;

  constructor(database: Database, leaseMs?: number) {
    super(database, STATEMENTS, leaseMs);
  }

  /** Whether one of these workspaces (absent: any) has an active webhook, as far as this process has loaded it. */
  concerns(workspaceIds?: readonly string[]): boolean {
    const { active } = this;
    if (!active || !workspaceIds) return active?.size !== 0;
    return active.size > 0 && workspaceIds.some((id) => active.has(id));
  }

  /** Lets the next poll load which workspaces have an active webhook. */
  reload(): void {
    this.loadAt = 0;
  }

  override onWake(poll: () => void): () => void {
    return super.onWake(() => {
      this.reload();
      poll();
    });
  }

  override async claim(limit: number): Promise<ClaimedWebhook[]> {
    if (performance.now() >= this.loadAt) await this.load();
    return this.concerns() ? super.claim(limit) : [];
  }

  override async nextDueMs(): Promise<number | undefined> {
    if (!this.concerns()) return undefined;
    const [row] = await this.database.query<{ wait_ms: number | null }>(NEXT_DUE);
    return row?.wait_ms ?? undefined;
  }

  /** How long the oldest due delivery waits, of webhooks whose receivers do not fail, in seconds; 0 where none is due. */
  async oldestDueSeconds(): Promise<number> {
    if (!this.concerns()) return 0;
    const [row] = await this.database.query<{ age: number | null }>(OLDEST_DUE);
    return row?.age ?? 0;
  }

  /** The first due deliveries of a webhook, those of each message in order. @param messages at most. */
  due({ workspace_id, webhook_id }: ClaimedWebhook, messages: number): Promise<DueDelivery[]> {
    return this.database.query<DueDelivery>(DUE, [workspace_id, webhook_id, messages]);
  }

  /**
   * Stores a round and ends the lease. Resolves with for how long the receiver has accepted nothing, in ms: 0 where it accepted something;
   * undefined where the lease was lost, so that nothing is stored.
   */
  async endRound(tx: Transaction, { queue_id, generation }: ClaimedWebhook, round: RoundResult): Promise<number | undefined> {
    const values = [queue_id, generation, round.failures, round.delayMs];
    const [row] = await tx.query<{ failing_ms: number | null }>(END_ROUND, values);
    if (!row) return undefined;
    if (round.deliveries.length > 0) await tx.execute(RECORD, [JSON.stringify(round.deliveries)]);
    if (round.unchanged.length > 0) await tx.execute(DROP, [round.unchanged]);
    return row.failing_ms ?? 0;
  }

  /** Disables a webhook; resolves with whether it was active. */
  async disable(tx: Queryable, { workspace_id, webhook_id }: ClaimedWebhook, reason: string): Promise<boolean> {
    return (await tx.execute(DISABLE, [workspace_id, webhook_id, reason])) > 0;
  }

  private async load() {
    const rows = await this.database.query<{ workspace_id: string }>(ACTIVE).catch((error: unknown) => {
      // The schema is of the version before, which has no webhooks.
      if (isMissingTable(error)) return [];
      throw error;
    });
    this.active = rows.length > WORKSPACES_MAX ? undefined : new Set(rows.map(({ workspace_id }) => workspace_id));
    this.loadAt = performance.now() + ACTIVE_MS;
  }
}
