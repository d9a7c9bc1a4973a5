import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { Recipient } from '@tidings/providers/recipient';
import type { Attachment } from '@tidings/contracts/messaging/attachments';
import type { Rendered } from '@tidings/providers/rendered';
import type { Lane } from '@tidings/contracts/messaging/targets';
import type { TraceContext } from '@tidings/tracing/trace-context';
import { eventOf, loadedProfiles, outgoing, type StoredRendering, storedRequest } from '../record/stored-events';
import type { LeasedRow, RetryOutcome } from '../record/delivery-store';
import type { LoadedBases } from '../record/rendering-bases';
import type { LeafNames } from '../record/leaf-record';
import { laneOf, type NewDelivery } from '../record/step-store';

/** Time in which a delivery is retried. */
export interface RetryWindow {
  /** Start of the time limit of the message, ms since the epoch. */
  readonly sinceMs: number;
  /** End of the window, ms since the epoch; absent: the default limit of the message. */
  readonly untilMs?: number;
  /** Another route follows, so delays between attempts stay below a minute. */
  readonly hasNext: boolean;
}

/** A delivery whose attempt is open under this process's lease. */
export interface LeasedDelivery extends LeafNames {
  readonly workspaceId: string;
  /** The id that clients see. */
  readonly messageId: string;
  /** The message id in the store. */
  readonly uuid: string;
  readonly leaf: number;
  readonly attempt: number;
  readonly lane: Lane;
  readonly recipient: Recipient;
  readonly rendered: Rendered;
  /** Variables of the message, for receivers that process them. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Overrides of the call by the send. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** It is also sent to addresses that are suppressed as `unsubscribe`. */
  readonly passUnsubscribed?: true;
  /** Whether the history already has the DELIVERING event of this delivery. */
  readonly isAnnounced: boolean;
  /** A slot of the provider's rate is reserved for this attempt. */
  readonly hasSlot: boolean;
  /** Whether the message has further steps after this delivery; its open state has them. */
  readonly more: boolean;
  readonly retryWindow: RetryWindow;
  /** The error and the response of the last attempt with an outcome; absent on the first. */
  readonly lastAnswer?: Pick<RetryOutcome, 'error' | 'response'>;
  /** Time of rendering, ms since the epoch: the date of the e-mail, equal in every attempt. */
  readonly renderedAt: number;
  /** The span of its routing, if the message is traced. */
  readonly trace?: TraceContext;
}

/**
 * The delivery that routing stored in the history: the same content to the same address, byte for byte. Throws if rows are missing.
 * @param bases those of the rendering's event.
 */
export function toLeasedDelivery(row: LeasedRow, bases: LoadedBases): LeasedDelivery {
  const { workspace_id, message_id: uuid, lane, since_ms, first_events, step_events, alias, last_error, last_response, ...fields } = row;
  if (!first_events || !step_events) throw new Error(`The history of message ${uuid} is missing`);
  const messageId = uuidToMessageId(uuid);
  const request = storedRequest(workspace_id, messageId, eventOf(messageId, first_events, 'ENQUEUED'));
  const event = renderedFor(row, step_events);
  const rendering = bases.renderingOf(workspace_id, event);
  const recipient = rendering.to ?? profileAddress(uuid, step_events, request.profile);
  const lastAnswer = last_error === null ? undefined : { error: last_error, response: last_response ?? undefined };
  const own = { uuid, alias: alias ?? undefined, lane: laneOf(lane), recipient, lastAnswer, renderedAt: event.ts };
  return toDelivery(request, rendering, Number(since_ms), { ...fields, ...own });
}

/** A delivery of a rendering; `fields` are those that do not follow from the request and the rendering. */
export function toDelivery(
  request: MessageRequested,
  rendering: StoredRendering,
  sinceMs: number,
  fields: Omit<
    LeasedDelivery,
    'workspaceId' | 'messageId' | 'data' | 'rendered' | 'override' | 'passUnsubscribed' | 'retryWindow' | 'trace'
  >,
): LeasedDelivery {
  return {
    workspaceId: request.workspaceId,
    messageId: request.id,
    data: request.data,
    rendered: outgoing(rendering, attachmentsOf(request, fields, rendering.alias)),
    override: rendering.override,
    passUnsubscribed: request.passUnsubscribed,
    retryWindow: { sinceMs, untilMs: rendering.until, hasNext: rendering.has_next === true },
    trace: request.trace,
    ...fields,
  };
}

type Named = Pick<LeasedDelivery, 'messageId' | 'workspaceId'>;

/** What log lines about a delivery name: the message and the configuration of its provider. */
export function logFields({ messageId, workspaceId, provider, integration, alias }: LeafNames & Named) {
  return { messageId, workspaceId, provider, configurationId: integration, alias };
}

/** A step may render several leaves; channel and configuration identify one. */
function renderedFor(row: LeasedRow, events: readonly HistoryEvent[]) {
  const found = events.find(
    (event) =>
      event.type === 'RENDERED' &&
      (event.channel as { id: string }).id === row.channel &&
      (event.integration as { id: string }).id === row.integration,
  );
  if (!found) throw new Error(`Message ${row.message_id} has a delivery but no RENDERED event`);
  return found;
}

/** The e-mail address of the profile that the same step loaded. */
function profileAddress(uuid: string, events: readonly HistoryEvent[], received: Record<string, unknown>): Recipient {
  const { merged_profile } = loadedProfiles(eventOf(uuid, events, 'PROFILE_LOADED'), received);
  return { channel: 'email', email: merged_profile.email as string };
}

/** Attachments of an e-mail: those of its channel's override, then those of its provider's, under any of the provider's names. */
function attachmentsOf({ channels, providers }: MessageRequested, { channel, provider, integration }: LeafNames, alias?: string) {
  if (channel !== 'email') return [];
  const names = [provider, integration, ...(alias === undefined ? [] : [alias])];
  const overrides = [channels?.[channel], ...names.map((name) => providers?.[name])].map((settings) => settings?.override);
  return overrides.flatMap((override) => ((override?.attachments ?? []) as Attachment[]).map(toEmailAttachment));
}

function toEmailAttachment({ filename, contentType, data }: Attachment) {
  return { filename, contentType: contentType ?? 'application/octet-stream', content: Buffer.from(data, 'base64') };
}

/** The row of a delivery. @param isLeased whether this process continues with it. */
export function toNewDelivery(delivery: LeasedDelivery, isLeased: boolean): NewDelivery {
  const { leaf, channel, integration, provider, alias, lane, more, retryWindow } = delivery;
  return { leaf, channel, integration, provider, alias, lane, more, since_ms: retryWindow.sinceMs, isLeased };
}
