import { HOUR_MS, MINUTE_MS } from '@tidings/contracts/core/duration';
import { byKey } from '@tidings/persistence/by-key';
import { columnsOf } from '@tidings/persistence/columns-of';
import { type Queryable, statement } from '@tidings/persistence/database';

/** When a push service first gets the request for a receipt, and again where it has none yet. */
const DUE_AFTER_MS = 15 * MINUTE_MS;
/** Push services have receipts for a day. */
const RECEIPTS_MS = 24 * HOUR_MS;
/** Configurations that one claim visits at most. */
const OWNERS_MAX = 5_000;

/** A ticket of a push service. */
export interface StoredTicket {
  readonly workspaceId: string;
  readonly configurationId: string;
  readonly ticket: string;
  /** The message. */
  readonly uuid: string;
  /** The token of the device. */
  readonly token: string;
  /** Other devices that the message went to, without those that are known to have failed. */
  readonly others: number;
}

/** A configuration with tickets. */
export type TicketsOwner = Pick<StoredTicket, 'workspaceId' | 'configurationId'>;

export const FIRST_OWNER: TicketsOwner = { workspaceId: '00000000-0000-0000-0000-000000000000', configurationId: '' };

/** A ticket that is due. `isOver`: this request is the last one. */
export type DueTicket = StoredTicket & { readonly isOver: boolean };

// SQL because tickets are claimed with skip locked, some of each configuration.
const STORE = statement(
  'messaging.store_provider_tickets',
  `insert into provider_tickets (workspace_id, configuration_id, ticket, message_id, token, others, due_at)
   select workspace_id, configuration_id, ticket, message_id, token, others, clock_timestamp() + $7 * interval '1 millisecond'
     from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::text[], $6::integer[])
       as input (workspace_id, configuration_id, ticket, message_id, token, others)
   on conflict do nothing`,
);
/** $1, $2: the configuration after which it begins. $3: names of configurations to leave out. $4: configurations, $5: tickets of each. */
const CLAIM = statement(
  'messaging.claim_provider_tickets',
  `with recursive owners as (
     select first.*, 1 as step from (
       select workspace_id, configuration_id from provider_tickets where (workspace_id, configuration_id) > ($1::uuid, $2::text)
        order by workspace_id, configuration_id limit 1
     ) first
     union all
     select next.*, owners.step + 1 from owners cross join lateral (
       select workspace_id, configuration_id from provider_tickets
        where (workspace_id, configuration_id) > (owners.workspace_id, owners.configuration_id) order by workspace_id, configuration_id limit 1
     ) next
     where owners.step < ${OWNERS_MAX}
   ), picked as (
     select owners.workspace_id, owners.configuration_id from owners
      where owners.workspace_id || ' ' || owners.configuration_id <> all ($3::text[]) and exists (
        select from provider_tickets one where one.workspace_id = owners.workspace_id and one.configuration_id = owners.configuration_id
           and one.due_at <= (select clock_timestamp()))
      limit $4
   ), due as materialized (
     select owned.* from picked cross join lateral (
       select workspace_id, configuration_id, ticket from provider_tickets one
        where one.workspace_id = picked.workspace_id and one.configuration_id = picked.configuration_id
          and one.due_at <= (select clock_timestamp())
        order by one.due_at limit $5 for update skip locked
     ) owned
   )
   update provider_tickets as tickets set due_at = clock_timestamp() + $6 * interval '1 millisecond'
     from due
    where tickets.workspace_id = due.workspace_id and tickets.configuration_id = due.configuration_id and tickets.ticket = due.ticket
   returning tickets.workspace_id as "workspaceId", tickets.configuration_id as "configurationId", tickets.ticket,
             tickets.message_id as uuid, tickets.token, tickets.others,
             tickets.accepted_at < clock_timestamp() - $7 * interval '1 millisecond' as "isOver"`,
);
const LOCK_OF_MESSAGES = statement(
  'messaging.lock_tickets_of_messages',
  `select workspace_id as "workspaceId", configuration_id as "configurationId", ticket, message_id as uuid, token, others
     from provider_tickets where message_id = any($1::uuid[]) and ${byKey('message_id')}
    order by workspace_id, configuration_id, ticket for update`,
);
const SET_OTHERS = statement(
  'messaging.set_others_of_tickets',
  `update provider_tickets as tickets set others = input.others
     from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[]) as input (workspace_id, configuration_id, ticket, others)
    where tickets.workspace_id = input.workspace_id and tickets.configuration_id = input.configuration_id and tickets.ticket = input.ticket`,
);
const DELETE = statement(
  'messaging.delete_provider_tickets',
  `delete from provider_tickets as tickets using (
     select workspace_id, configuration_id, ticket from provider_tickets
       join unnest($1::uuid[], $2::text[], $3::text[]) as input (workspace_id, configuration_id, ticket)
            using (workspace_id, configuration_id, ticket)
      order by workspace_id, configuration_id, ticket for update of provider_tickets
   ) as locked
    where tickets.workspace_id = locked.workspace_id and tickets.configuration_id = locked.configuration_id and tickets.ticket = locked.ticket`,
);

/** Stores tickets; those that are stored stay. */
export async function storeTickets(connection: Queryable, tickets: readonly StoredTicket[]): Promise<void> {
  const columns = columnsOf(tickets, 'workspaceId', 'configurationId', 'ticket', 'uuid', 'token', 'others');
  await connection.execute(STORE, [...columns, DUE_AFTER_MS]);
}

/** What to claim: up to `tickets` of each of up to `owners` configurations after `after`, without those of `except` (`ownerName`). */
export interface TicketsClaim {
  readonly after: TicketsOwner;
  readonly except: readonly string[];
  readonly owners: number;
  readonly tickets: number;
}

/** Claims due tickets; each is due again after a while. */
export function claimTickets(connection: Queryable, { after, except, owners, tickets }: TicketsClaim): Promise<DueTicket[]> {
  const values = [after.workspaceId, after.configurationId, except, owners, tickets];
  return connection.query<DueTicket>(CLAIM, [...values, DUE_AFTER_MS, RECEIPTS_MS]);
}

export function ownerName({ workspaceId, configurationId }: TicketsOwner): string {
  return `${workspaceId} ${configurationId}`;
}

const ticketName = (one: StoredTicket) => `${ownerName(one)} ${one.ticket}`;
const messageName = (one: StoredTicket) => `${ownerName(one)} ${one.uuid}`;

/**
 * Notes in one transaction that these devices of their messages failed. Removes their tickets; one of a message whose last devices they
 * were stays, with no others. Resolves with those that stay.
 */
export async function failTickets(tx: Queryable, failed: readonly StoredTicket[]): Promise<StoredTicket[]> {
  const locked = await tx.query<StoredTicket>(LOCK_OF_MESSAGES, [[...new Set(failed.map(({ uuid }) => uuid))]]);
  const ofMessages = new Map<string, StoredTicket[]>();
  for (const one of locked) {
    const tickets = ofMessages.get(messageName(one)) ?? [];
    tickets.push(one);
    ofMessages.set(messageName(one), tickets);
  }
  const names = new Set(failed.map(ticketName));
  const [removed, changed, last]: [StoredTicket[], StoredTicket[], StoredTicket[]] = [[], [], []];
  for (const tickets of ofMessages.values()) {
    const [first, ...rest] = tickets.filter((one) => names.has(ticketName(one)));
    if (!first) continue; // of another configuration, or another process had the same receipt
    const isLast = first.others <= rest.length;
    if (isLast) last.push({ ...first, others: 0 });
    removed.push(...(isLast ? rest : [first, ...rest]));
    const left = tickets.filter((one) => !names.has(ticketName(one)));
    changed.push(...left.map((one) => ({ ...one, others: one.others - rest.length - 1 })));
  }
  await removeTickets(tx, removed);
  await tx.execute(SET_OTHERS, columnsOf([...changed, ...last], 'workspaceId', 'configurationId', 'ticket', 'others'));
  return last;
}

/** Removes tickets whose receipts came, or will not come any more. */
export async function removeTickets(connection: Queryable, tickets: readonly StoredTicket[]): Promise<void> {
  if (tickets.length > 0) await connection.execute(DELETE, columnsOf(tickets, 'workspaceId', 'configurationId', 'ticket'));
}
