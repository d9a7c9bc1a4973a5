import type { ResolvedBrand } from '@tidings/contracts/content/sending-brands';
import type { LoadedTemplate } from '@tidings/contracts/content/sending-templates';
import type { MessageRouting } from '@tidings/contracts/content/routing';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { MessageContent, MessageRequested } from '@tidings/contracts/messaging/events';
import { requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import type { HistoryEvent, MessageReason, MessageStatus } from '@tidings/contracts/messaging/messages';
import type { PortableRenderInput } from '@tidings/rendering/pool/jobs';
import type { Rendered } from '@tidings/rendering/render';
import type { Said } from '../content/contents';
import { DEFAULT_INTEGRATION_ID } from '../delivery/conclude';
import type { HeldDelivery } from '../delivery/delivery';
import { type EmailOutput, loadedEvent, mergedProfile, toRenderedEmail } from '../store/history-row';
import type { RoutedMessage } from '../store/routed-store';
import { readingCostOf } from './reading-cost';

type Profile = Record<string, unknown>;

/** A message after routing: what is stored of it and, where a provider is to be called, with what. */
export interface Routed {
  row: RoutedMessage;
  /** Absent when there is nothing to call: unroutable, simulated, failed to render. */
  delivery?: HeldDelivery;
  /** Length of what was rendered. */
  renderedChars: number;
}

/** A message whose channel is chosen, and what is to be rendered for it. */
export interface Planned {
  readonly request: MessageRequested;
  readonly input: PortableRenderInput;
  /** What reading its texts for the first time costs, as `readingCost` counts. */
  readonly readingCost: number;
  /** Names the content for good; texts of a send itself are nobody else's. */
  readonly contentKey: string | undefined;
  /** What routing comes to with this outcome of the rendering; undefined: the content has nothing for the channel. */
  finish(rendered: Rendered | ServiceError | undefined): Routed;
}

export interface Known {
  /** The stored profile of the user. */
  profile: Profile;
  said: Said;
  /** Key of the e-mail provider, if there is one. */
  provider: string | undefined;
  /** The time of the decision, ms since the epoch. */
  nowMs: number;
}

const CHANNEL = 'email';
/** Tags of a message, those of its template included. */
const TAGS_MAX = 100;

/** Decides about one message: finds its content, merges the profile, chooses the channel. Pure. */
export function planMessage(request: MessageRequested, { profile: stored, said, provider, nowMs }: Known): Planned | Routed {
  const ts = Math.max(nowMs, request.requestedAt);
  const { template } = said;
  const events: HistoryEvent[] = [enqueuedEvent(request)];
  const end = (status: MessageStatus, event: HistoryEvent, error: string, reason?: MessageReason): Routed => {
    const row = rowOf(request, [...events, event], ts, template);
    return { row: { ...row, status, ...(reason && { reason }), error }, renderedChars: 0 };
  };
  const unroutable = (reason: MessageReason, error: string): Routed =>
    end('UNROUTABLE', { ts, type: 'UNROUTABLE', channel: { id: '' }, reason }, error, reason);

  if (template === null) {
    return end('UNMAPPED', { ts, type: 'UNMAPPED', event_id: request.template }, `There is no template or event ${request.template}`);
  }
  if (template) events.push({ ts, type: 'MAPPED', event_id: request.template, notification_id: template.notification_id });
  const merged = mergedProfile(stored, request.profile);
  events.push(loadedEvent(ts, stored));

  const content: MessageContent | null | undefined = template ? template.content : request.content;
  if (!content) return unroutable('UNPUBLISHED', `Template ${template?.notification_id} is not published`);
  if (template?.routing && !routes(template.routing, [CHANNEL, provider])) {
    return unroutable('NO_CHANNELS', `The routing of template ${template.notification_id} names no channel that can be used`);
  }
  const { email } = merged;
  if (typeof email !== 'string' || email === '') {
    return unroutable('NO_PROVIDERS', 'No provider can reach this recipient: e-mail needs profile.email');
  }
  if (!provider) return unroutable('NO_PROVIDERS', 'No provider is configured for e-mail');

  const where = { channel: { id: CHANNEL }, integration: { id: DEFAULT_INTEGRATION_ID, provider } };
  const contentKey = template ? contentKeyOf(request.workspaceId, template) : undefined;
  const input: PortableRenderInput = {
    content,
    ...(contentKey !== undefined && { contentKey }),
    channel: CHANNEL,
    provider,
    ...(typeof merged.locale === 'string' && { locale: merged.locale }),
    brand: said.brand && { ...said.brand, key: brandKeyOf(request.workspaceId, said.brand) },
    scope: {
      data: request.data,
      profile: merged,
      builtIns: builtInsOf(request, template, ts),
      catalogues: said.catalogues,
    },
  };
  return {
    request,
    input,
    contentKey,
    readingCost: readingCostOf(content, said.brand, said.catalogues),
    finish: (rendered) => {
      if (rendered === undefined) return unroutable('NO_CHANNELS', 'The content has nothing to say by e-mail');
      events.push({ ts, type: 'ROUTED', ...where });
      if (rendered instanceof ServiceError) {
        const { message } = rendered;
        return end('UNDELIVERABLE', { ts, type: 'UNDELIVERABLE', ...where, error_message: message, reason: 'FAILED' }, message, 'FAILED');
      }
      const output = emailOf(rendered, template);
      const renderedChars = output.subject.length + output.html.length + output.text.length;
      events.push({ ts, type: 'RENDERED', ...where, output });
      if (request.mode === 'test') {
        events.push({ ts, type: 'SIMULATED', ...where });
        return { row: { ...rowOf(request, events, ts, template), status: 'SIMULATED' }, renderedChars };
      }
      const row: RoutedMessage = { ...rowOf(request, events, ts, template), status: 'ROUTED', channel: CHANNEL, provider };
      return { row, delivery: deliveryOf(request, row, { email }, output, ts), renderedChars };
    },
  };
}

export function isPlanned(decided: Planned | Routed): decided is Planned {
  return 'finish' in decided;
}

function enqueuedEvent({ requestedAt, data, event, profile, recipient }: MessageRequested): HistoryEvent {
  return { ts: requestedAt, type: 'ENQUEUED', data, event, profile, recipient };
}

/** Whether a routing, or one within it, names one of these channels and providers. */
function routes({ channels }: MessageRouting, names: readonly (string | undefined)[]): boolean {
  return channels.some((one) => {
    if (typeof one === 'string') return names.includes(one);
    return 'channel' in one ? names.includes(one.channel) : routes(one, names);
  });
}

/** A version is never changed, so a name with it stands for the same content for ever. */
function contentKeyOf(workspaceId: string, { notification_id, tenant_id, version }: LoadedTemplate): string {
  return JSON.stringify([workspaceId, tenant_id, notification_id, version]);
}

/** Another one for every version of a brand, in every workspace. */
function brandKeyOf(workspaceId: string, { id, version }: ResolvedBrand): string {
  return JSON.stringify([workspaceId, id, version]);
}

function builtInsOf({ id, event, mode, recipient, template: name }: MessageRequested, template: Said['template'], ts: number): Profile {
  return {
    messageId: id,
    event,
    recipient,
    template: template?.notification_id ?? name ?? '',
    ...(template?.topic_id && { subscriptionTopicId: template.topic_id }),
    courier: { environment: mode, scope: 'published' },
    datetime: { year: new Date(ts).getUTCFullYear() },
  };
}

function emailOf({ output }: Rendered, template: Said['template']): EmailOutput {
  if (output.kind !== 'email') throw new Error(`What was rendered for e-mail is ${output.kind}`);
  const { subject, html, text } = output.email;
  const { from, reply_to } = template?.email ?? {};
  return { subject, html, text, ...(from && { from }), ...(reply_to && { reply_to }) };
}

function rowOf(request: MessageRequested, events: HistoryEvent[], ts: number, template: Said['template']): Omit<RoutedMessage, 'status'> {
  const { workspaceId, id, recipient, event, requestedAt, tags: own, traceId } = request;
  const tags = [...new Set([...own, ...(template?.tags ?? [])])].slice(0, TAGS_MAX);
  return {
    workspace_id: workspaceId,
    id: requireMessageUuid(id),
    recipient,
    event,
    notification: template?.notification_id ?? '',
    enqueued_at: requestedAt,
    ...(tags.length > 0 && { tags }),
    ...(traceId !== undefined && { trace_id: traceId }),
    at: ts,
    events,
    count: events.length,
  };
}

function deliveryOf(
  request: MessageRequested,
  { id, channel, provider }: RoutedMessage,
  recipient: { email: string },
  output: EmailOutput,
  ts: number,
): HeldDelivery {
  return {
    workspaceId: request.workspaceId,
    messageId: request.id,
    uuid: id,
    leaf: 0,
    attempt: 1,
    channel: channel!,
    provider: provider!,
    recipient,
    email: toRenderedEmail(output),
    enqueuedAt: request.requestedAt,
    renderedAt: ts,
  };
}
