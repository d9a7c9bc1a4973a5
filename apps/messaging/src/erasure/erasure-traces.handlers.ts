import { Inject, Optional } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import {
  type Addresses,
  type EraseFromLog,
  type EraseSuppressions,
  erasureTraces,
  type FindCopies,
} from '@tidings/contracts/messaging/erasure';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { EraseUser } from '@tidings/contracts/identity/erasure';
import type { EventLog } from '@tidings/events/event-log';
import { Database, statement, transactionOf } from '@tidings/persistence/database';
import { remainingAnswers } from '@tidings/persistence/remaining-answers';
import { Handles } from '@tidings/rpc/handles';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { isUUID } from 'class-validator';
import type { EntityManager } from 'typeorm';
import { Suppressions } from '../suppressions/suppressions';
import { erasedAmong } from './erased-subjects';
import { sentCopyTo } from './sent-copy-to';

/** Where a process stores the mails that it sent: the development mailbox of the standalone. */
export interface StoredMails {
  /** Removes the mails to these addresses, copies included; resolves with their number. */
  erase(addresses: readonly string[]): Promise<number>;
}
export const STORED_MAILS = Symbol('STORED_MAILS');

/** Messages of one step of the search. */
const STEP_MESSAGES = 2_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

// SQL because messages and history have no entity.
const PAGE = statement(
  'messaging.copies_page',
  `select id from messages where workspace_id = $1 and id > $2 order by id limit ${STEP_MESSAGES}`,
);
/** Within the ids of the page, which select the partitions. */
const NAMING = statement(
  'messaging.copies_naming',
  `select message_id, events from history
   where message_id > $2 and message_id <= $3 and workspace_id = $1
     and exists (select from unnest($4::text[]) as address where strpos(lower(events::text), address) > 0)`,
);

@Handles(erasureTraces)
export class ErasureTracesHandlers {
  constructor(
    private readonly database: Database,
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly suppressed: Suppressions,
    @Optional() @Inject(STORED_MAILS) private readonly mails?: StoredMails,
  ) {}

  async log({ workspaceId }: CallContext, { user_id: userId, after }: EraseFromLog) {
    const { removed, next, remaining } = await this.events.erase({
      workspaceId,
      userId,
      after,
      erasedAmong: (topic, subjects) => erasedAmong(this.database, workspaceId, topic, subjects),
    });
    return {
      done: next === undefined,
      removed: { records: removed },
      next,
      remaining: remaining.map(({ topic, until, ...rest }) => ({
        what: `topic ${topic}`,
        ...rest,
        until: until === undefined ? undefined : new Date(until).toISOString(),
      })),
    };
  }

  /** Each row of the page's messages is searched as text first; few are parsed. */
  async copies({ workspaceId }: CallContext, { addresses, after }: FindCopies) {
    const first = isUUID(after) ? after! : FIRST_ID;
    const lowered = addresses.map((address) => address.toLowerCase());
    const page = await this.database.query<{ id: string }>(PAGE, [workspaceId, first]);
    const last = page.at(-1)?.id;
    if (last === undefined) return { message_ids: [] };
    // JSON text escapes what an address cannot contain, except quotes and backslashes of a quoted local part.
    const texts = lowered.map((address) => JSON.stringify(address).slice(1, -1));
    const rows = await this.database.query<{ message_id: string; events: HistoryEvent[] }>(NAMING, [workspaceId, first, last, texts]);
    const found = rows.filter(({ events }) => sentCopyTo(events, lowered)).map(({ message_id: id }) => uuidToMessageId(id));
    return { message_ids: [...new Set(found)], next: page.length < STEP_MESSAGES ? undefined : last };
  }

  async mailbox(_context: CallContext, { addresses }: Addresses) {
    const removed: Record<string, number> = this.mails ? { mails: await this.mails.erase(addresses) } : {};
    return { done: true, removed };
  }

  /** Suppressions of the addresses stay, by hashes. */
  async suppressions({ workspaceId }: CallContext, { addresses, phone_numbers, tokens }: EraseSuppressions, tx: EntityManager) {
    const on = (channel: string, texts: readonly string[]) => texts.map((address) => ({ channel, address }));
    const all = [...on('email', addresses), ...on('sms', phone_numbers), ...on('push', tokens)];
    return { done: true, removed: { suppressions: await this.suppressed.erase(transactionOf(tx), workspaceId, [], all) } };
  }

  async remaining({ workspaceId }: CallContext, { user_id: userId }: EraseUser) {
    return { remaining: await remainingAnswers(this.database, workspaceId, userId) };
  }
}
