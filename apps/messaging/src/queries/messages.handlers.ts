import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { isOutputPart, OUTPUT_PARTS, toOutputPart } from '@tidings/contracts/content/message-output';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import {
  type GetMessage,
  type GetMessageHistory,
  type GetOutputPart,
  type ListMessages,
  messages,
} from '@tidings/contracts/messaging/messages';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';
import { Clock } from '@tidings/runtime/clock';
import { ContentLoader } from '../context/content-loader';
import { RenderingBases } from '../record/rendering-bases';
import { expandEvents, outputOf } from '../record/stored-events';
import { type MessageRow, RECORD, toMessageRecord } from '../record/message-row';
import { listMessages } from './list-messages';
import { ReadYourWrites } from './read-your-writes';
import { requestExplainer } from './request-sentence';
import { eventWithoutContent, recordWithoutContent, seesContent } from './status-view';
import { assertUserFilters, eventForUser, isForUser, isUserToken, recordForUser } from './user-view';

// SQL because one statement reads whether a message exists, and its history; neither has an entity.
/** One row without a number: the message exists, its history has been removed. */
export const HISTORY = statement(
  'messaging.history',
  `select history.number, history.at, history.events
     from messages left join history on history.workspace_id = messages.workspace_id and history.message_id = messages.id
    where messages.workspace_id = $1 and messages.id = $2 order by history.number`,
);

export interface HistoryRow {
  /** Running number of its first event. */
  number: number;
  /** Lower bound of the events' times, ms since the epoch. */
  at: string;
  events: HistoryEvent[];
}

@Handles(messages)
export class MessagesHandlers {
  constructor(
    private readonly database: Database,
    private readonly fresh: ReadYourWrites,
    private readonly bases: RenderingBases,
    private readonly clock: Clock,
    private readonly content: ContentLoader,
  ) {}

  async list(context: CallContext, request: ListMessages) {
    const { workspaceId } = context;
    const isOfUser = isUserToken(context);
    if (isOfUser) assertUserFilters(request);
    const { notification: name, ...others } = request;
    const notification = name === undefined ? undefined : await this.content.templateId(workspaceId, name);
    const page = await listMessages(this.database, { workspaceId, request: { notification, ...others }, nowMs: this.clock.now() });
    return isOfUser ? { ...page, results: page.results.map(recordForUser) } : page;
  }

  async retrieve(context: CallContext, { message_id: id }: GetMessage) {
    const row = await this.load(context, id, async (uuid) => {
      const [found] = await this.database.query<MessageRow>(RECORD, [context.workspaceId, uuid]);
      return found;
    });
    const record = toMessageRecord(row);
    if (isUserToken(context)) return recordForUser(record);
    return seesContent(context) ? record : recordWithoutContent(record);
  }

  async history(context: CallContext, { message_id: id, type }: GetMessageHistory) {
    const all = shownEvents(id, await this.rowsOf(context, id));
    const events = all.map(eventViewOf(context));
    return { results: type ? events.filter((event) => event.type === type) : events };
  }

  async output(context: CallContext, { message_id: id }: GetMessage) {
    const events = (await this.renderedFor(context, id)).map(({ event }) => event);
    const contents = await this.contentsOf(context.workspaceId, events);
    return {
      results: events.map((event, index) => {
        const { id: channel } = event.channel as { id: string };
        return { channel, channel_id: channel, content: contents[index]! };
      }),
    };
  }

  async part(context: CallContext, { message_id: id, render_id, part }: GetOutputPart) {
    if (!isOutputPart(part)) throw notFound(`An output has no part ${part}: it has ${OUTPUT_PARTS.join(', ')}`);
    const found = (await this.renderedFor(context, id)).find(({ number }) => String(number) === render_id);
    if (!found) throw notFound(`Message ${id} has no output ${render_id}`);
    const [content] = await this.contentsOf(context.workspaceId, [found.event]);
    return toOutputPart(part, content!);
  }

  /** The renderings of a message that the caller may see, as `renderedIn`. */
  private async renderedFor(context: CallContext, id: string) {
    const all = renderedIn(await this.rowsOf(context, id));
    return isUserToken(context) ? all.filter(({ event }) => isForUser((event.channel as { id: string }).id)) : all;
  }

  private async contentsOf(workspaceId: string, events: readonly HistoryEvent[]) {
    const bases = await this.bases.load([{ workspaceId, events }]);
    return events.map((event) => outputOf(bases.renderingOf(workspaceId, event)));
  }

  private rowsOf(context: CallContext, id: string) {
    return this.load(context, id, async (uuid) => {
      const found = await this.database.query<HistoryRow | { number: null }>(HISTORY, [context.workspaceId, uuid]);
      return found.length > 0 ? found.filter((row) => row.number !== null) : undefined;
    });
  }

  private load<Found>(context: CallContext, id: string, find: (uuid: string) => Promise<Found | undefined>) {
    return this.fresh.load(context, id, find, { explain: requestExplainer(this.database, context) });
  }
}

/** How a caller sees an event of a message's history. */
function eventViewOf(context: CallContext): (event: HistoryEvent) => HistoryEvent {
  if (isUserToken(context)) return eventForUser;
  return seesContent(context) ? (event) => event : eventWithoutContent;
}

/** The events of a message as the API shows them. */
export function shownEvents(messageId: string, rows: readonly HistoryRow[]): HistoryEvent[] {
  return rows.flatMap((row) => expandEvents(row.events, { messageId, number: row.number, atMs: Number(row.at) }));
}

/** The RENDERED events of a message with their running numbers. */
function renderedIn(rows: readonly HistoryRow[]) {
  const events = rows.flatMap((row) => row.events.map((event, index) => ({ number: row.number + index, event })));
  return events.filter(({ event }) => event.type === 'RENDERED');
}
