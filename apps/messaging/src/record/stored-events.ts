import { type MessageOutputContent, outputAddresses, type OutputBlock } from '@tidings/contracts/content/message-output';
import { deepMerge, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { withHiddenCredentials } from '@tidings/contracts/identity/profile-credentials';
import type { Output } from '@tidings/contracts/messaging/channel-outputs';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { HistoryEvent, HistoryType } from '@tidings/contracts/messaging/message-history';
import { withoutSecrets } from '@tidings/contracts/messaging/override-secrets';
import type { EmailAttachment } from '@tidings/providers/email';
import type { Recipient } from '@tidings/providers/recipient';
import type { Rendered as Outgoing } from '@tidings/providers/rendered';
import { emailContent, outputContent } from '@tidings/rendering/output-content';
import { isShort, type ShortEmail, type StoredEmail } from './short-email';
import { storable } from './storable';

/** Fields of a request that are stored in the message's id and row, or in shown fields of ENQUEUED. */
type Elsewhere = 'workspaceId' | 'id' | 'requestedAt' | 'recipient' | 'profile' | 'data' | 'event' | 'warnings';

/**
 * The first event of a message. Besides the shown fields it stores the rest of the request, so that later steps (the end of a delay,
 * another channel, a resend) read the request from the history. Without warnings: the caller adds them with those of rendering.
 */
export function enqueuedEvent(request: MessageRequested): HistoryEvent {
  const { workspaceId: _workspace, id: _id, requestedAt, recipient, profile, data, event, warnings: _warnings, ...send } = request;
  return {
    ts: requestedAt,
    type: 'ENQUEUED',
    data,
    event,
    profile,
    recipient,
    override: overrideOf(request),
    send,
  };
}

/** The request of a message, from its first event. Earlier versions stored only the fields that a delivery needs. */
export function storedRequest(workspaceId: string, id: string, enqueued: HistoryEvent): MessageRequested {
  const { ts, profile, data, event, recipient, send } = enqueued as HistoryEvent &
    Pick<MessageRequested, Elsewhere> & { send?: JsonObject };
  const rest = (send ?? { mode: 'production', tags: [] }) as unknown as Omit<MessageRequested, Elsewhere>;
  return { ...rest, workspaceId, id, requestedAt: ts, recipient, profile, data, event };
}

/** Provider overrides by provider name, as the older form of the API shows them; settings and headers with their names only. */
function overrideOf({ providers = {} }: MessageRequested) {
  const overrides = Object.entries(providers).flatMap(([name, { override }]) =>
    override ? [[name, withoutSecrets(override)] as const] : [],
  );
  return overrides.length > 0 ? Object.fromEntries(overrides) : undefined;
}

/**
 * The rendering of a leaf: the whole input of the provider call, so that a repeated call is equal byte for byte. Attachments stay with the
 * request.
 */
export interface StoredRendering {
  /** For e-mail. */
  output?: StoredEmail;
  /** For every other channel. */
  rendered?: Exclude<Output, { kind: 'email' }>;
  blocks?: readonly OutputBlock[];
  /** The recipient of the call. Absent: the e-mail address of the profile that the same step loaded. */
  to?: Recipient;
  /** The configuration's alias, where the request has files under that name. */
  alias?: string;
  /** Overrides of the call by the send: `{ body, config, … }`. */
  override?: Readonly<Record<string, unknown>>;
  /** End of the retry window, ms since the epoch; absent: the default limit. */
  until?: number;
  /** Another route follows when this one fails. */
  has_next?: true;
}

/** A rendering as its RENDERED event stores it; `expandEvents` decides what is shown. */
export type RenderedFields = Omit<StoredRendering, 'output'> & { output?: StoredEmail | ShortEmail };

/** The content of the provider call. */
export function outgoing({ output, rendered }: StoredRendering, attachments: readonly EmailAttachment[]): Outgoing {
  if (rendered) return rendered;
  if (!output) throw new Error('The RENDERED event has no output');
  const { subject, html, text, from, reply_to: replyTo, cc, bcc, list_unsubscribe: url } = output;
  const files = attachments.length > 0 ? attachments : undefined;
  const listUnsubscribe = url === undefined ? undefined : { url, oneClick: true };
  return { kind: 'email', email: { subject, html, text, from, replyTo, cc, bcc, listUnsubscribe, attachments: files } };
}

/** The whole content of a rendering. */
export function outputOf({ output, rendered, blocks = [] }: StoredRendering): MessageOutputContent {
  if (output) return emailContent(output);
  if (!rendered) throw new Error('The RENDERED event has no output');
  const content = outputContent({ output: rendered, blocks });
  return blocks.length > 0 || content.body === '' ? content : { ...content, blocks: [{ type: 'text', text: content.body }] };
}

/** The paths of the parts of a stored rendering. Of a short e-mail the lengths are enough, so its base is not needed. */
function addressesOf(messageId: string, renderId: number, { output, ...rendering }: RenderedFields) {
  if (!output || !isShort(output)) return outputAddresses(messageId, renderId, outputOf({ ...rendering, output }));
  const { subject, difference, blocks } = output;
  const [html, text] = [{ length: difference?.html ?? 0 }, { length: difference?.text ?? 0 }];
  return outputAddresses(messageId, renderId, { html, title: subject, body: text, subject, text, blocks: blocks ?? text });
}

/** Events of a leaf that may omit it: those after another event of the same leaf. */
const OF_SAME_LEAF: ReadonlySet<HistoryType> = new Set(['DELIVERING', 'SENT', 'DELIVERED']);

/** These events without the fields of their leaf; `expandEvents` adds them. The same objects. */
export function withoutLeaf(events: readonly HistoryEvent[]): readonly HistoryEvent[] {
  for (const event of events) if (OF_SAME_LEAF.has(event.type)) Object.assign(event, { channel: undefined, integration: undefined });
  return events;
}

type Fields = Record<string, unknown>;

/** Position of a stored step in the history of its message. */
interface RowPosition {
  /** The id that clients see. */
  messageId: string;
  /** Running number of the row's first event. */
  number: number;
  /** Lower bound of its events' times, whatever clock wrote them: ms since the epoch. */
  atMs: number;
}

/**
 * The events of one stored step as the API shows them. Rows omit what earlier events imply, because every byte of a history row is written
 * for every message:
 *
 * - ENQUEUED stores the whole request; its fields `data`, `event`, `profile`, `override`, `recipient` are shown, profiles without
 *   credentials.
 * - PROFILE_LOADED stores the stored profile; the received one is in ENQUEUED of the same step, or in the event itself in a later step;
 *   the merged one is derived from both.
 * - RENDERED stores the input of the provider call; shown are the addresses of its parts.
 * - `decided` has the decisions of the step (`StoredDecision`), for explanations only.
 * - DELIVERING, SENT and DELIVERED may omit channel and integration: they are those of RENDERED in the same step.
 */
export function expandEvents(events: readonly HistoryEvent[], { messageId, number, atMs }: RowPosition): HistoryEvent[] {
  let received: Fields = {};
  let ts = atMs;
  let leaf: Fields = {};
  return events.map((event, index) => {
    ts = Math.max(event.ts, ts); // clocks of several processes: times never decrease
    const { type, warnings, erased } = event;
    switch (type) {
      case 'ENQUEUED': {
        const { send: _send, decided: _decided, ...shown } = event;
        received = event.profile as Fields;
        return { ...shown, profile: withHiddenCredentials(received), ts };
      }
      case 'PROFILE_LOADED':
        return { ts, type, ...shownProfiles(event, received), warnings, erased };
      case 'RENDERED': {
        const { channel, integration } = event;
        leaf = { channel, integration };
        const output = addressesOf(messageId, number + index, event as unknown as RenderedFields);
        return { ts, type, channel, integration, output, warnings, erased };
      }
      default: {
        if (OF_SAME_LEAF.has(type)) return Object.assign({ ts, type }, leaf, event, { ts });
        const { decided: _decided, ...shown } = event;
        return { ...shown, ts };
      }
    }
  });
}

/** An event of a stored step that must be there. */
export function eventOf(messageId: string, events: readonly HistoryEvent[], type: HistoryType): HistoryEvent {
  const event = events.find((one) => one.type === type);
  if (!event) throw new Error(`Message ${messageId} has no ${type} event`);
  return event;
}

function shownProfiles(event: HistoryEvent, received: Fields) {
  return Object.fromEntries(
    Object.entries(loadedProfiles(event, received)).map(([name, profile]) => [name, withHiddenCredentials(profile)]),
  );
}

/** The `warnings` field of an event: sentences for the author of the send or the template; absent without warnings. */
export function warned(warnings: readonly string[]): { warnings?: string[] } {
  return warnings.length > 0 ? { warnings: warnings.map(storable) } : {};
}

/** The three profiles of a stored PROFILE_LOADED; `received` is the profile of the request, for events without one. */
export function loadedProfiles(event: HistoryEvent, received: Fields) {
  const stored_profile = event.stored_profile as Fields;
  const received_profile = (event.received_profile ?? received) as Fields;
  return { merged_profile: mergedProfile(stored_profile, received_profile), received_profile, stored_profile };
}

/** The profile of a send: the fields of the request over the stored ones; `null` removes a field. */
export function mergedProfile(stored: Fields, received: Fields): Fields {
  return deepMerge(stored, received, { nullRemoves: true });
}
