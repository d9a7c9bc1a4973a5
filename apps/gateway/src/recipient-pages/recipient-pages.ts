import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { isTransientServiceError, ServiceError } from '@tidings/contracts/core/errors';
import { parseRate, type Rate } from '@tidings/contracts/core/rate';
import { recipientChoices } from '@tidings/contracts/identity/recipient-choices';
import { isSuppressionChannel } from '@tidings/contracts/messaging/suppression-address';
import { unsubscribes } from '@tidings/contracts/messaging/unsubscribes';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { type LinkRecipient, RECIPIENT_PATHS, type RecipientLinks } from '@tidings/runtime/recipient-links';
import { systemTimers as timers } from '@tidings/runtime/timers';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { answerText } from '../http/answers';
import { traceOf } from '../http/observed-requests';
import { RateBucket } from '../limits/rate-bucket';
import { HTML_TYPE } from '../pages/html';
import { loadPage, loadStyle, type PageRequest, plainStyle, relative } from './load-page';
import { choicesOf } from './page-form';
import { buttonForm, linkHtml, pageHtml, type PageStyle, paragraphs, preferenceForm, statusHtml } from './page-html';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set on the pages of recipients once the link is opened. */
    linked: PageRequest | null;
  }
}

const logger = new Logger('RecipientPages');

/** Enough for a form with every topic of a workspace. */
const FORM_BYTES_MAX = 1024 * 1024;
/** Requests by one link at this gateway. */
const RATE = parseRate('40/s') as Rate;
const LINKS_MAX = 10_000;
const RETRY_SECONDS = 60;

interface RecipientPagesOptions {
  client: OperationClient;
  links: RecipientLinks;
}

/** A page that is ready to be shown. */
interface Page {
  readonly status?: number;
  readonly style: PageStyle;
  readonly title: string;
  readonly body: string;
}

type Show = (request: PageRequest, form: URLSearchParams | undefined) => Promise<Page>;

/**
 * Routes the pages to which the links of messages lead, without a credential: the token of a link names and authorises its recipient. A GET
 * changes nothing, because scanners follow links; only a POST does. Call after `routeOperations`, which makes bodies arrive as bytes.
 */
export function routeRecipientPages(instance: FastifyInstance, { client, links }: RecipientPagesOptions): void {
  instance.decorateRequest('linked', null);
  const buckets = new LRUCache<string, RateBucket>({
    max: LINKS_MAX,
    memoMethod: () => new RateBucket({ scope: 'key', workspaceId: '' }, RATE, timers.now()),
  });
  const isAdmitted = (token: string) => {
    const bucket = buckets.memo(token);
    if (bucket.fill(timers.now()) < 1) return false;
    bucket.take();
    return true;
  };
  const route = (path: string, other: string, isServed: (recipient: LinkRecipient) => boolean, show: Show) =>
    instance.route({
      method: ['GET', 'POST'],
      url: `/${path}/:token`,
      bodyLimit: FORM_BYTES_MAX,
      // Before the body: clients without a valid link cannot make the gateway read one.
      onRequest: async (request, reply) => {
        const { token } = request.params as { token: string };
        const { 'accept-language': acceptLanguage } = request.headers;
        const opened = links.open(token, Date.now());
        if (typeof opened === 'string') return answer(reply, refusal(opened, acceptLanguage));
        if (!isAdmitted(token)) return answer(reply, refusal('limited', acceptLanguage));
        const { recipient } = opened;
        if (!isServed(recipient)) return redirect(reply, `../${other}/${token}`);
        const context = { ...systemContext(request.id), workspaceId: recipient.workspaceId, ...traceOf(request) };
        request.linked = { client, context, recipient, token, acceptLanguage };
      },
      handler: async (request, reply) => {
        const linked = request.linked!;
        try {
          answer(reply, await show(linked, formOf(request)));
        } catch (error) {
          answer(reply, refusal(causeOf(error, request.id), linked.acceptLanguage));
        }
      },
    });
  const { unsubscribe, preferences } = RECIPIENT_PATHS;
  route(unsubscribe, preferences, (recipient) => optsOut(recipient) || recipient.address !== undefined, showUnsubscribe);
  route(preferences, unsubscribe, ({ userId }) => userId !== undefined, showPreferences);
}

function optsOut({ userId, topicId }: LinkRecipient) {
  return userId !== undefined && topicId !== undefined;
}

/** The page that unsubscribes from a topic, or an address. Any POST does, whatever its body: mail clients send `List-Unsubscribe=One-Click`. */
async function showUnsubscribe(request: PageRequest, form: URLSearchParams | undefined): Promise<Page> {
  const { client, context, recipient } = request;
  const { userId, tenantId, topicId, messageId, channel, address } = recipient;
  if (userId === undefined || topicId === undefined) {
    if (form && address !== undefined && isSuppressionChannel(channel))
      await client.call(unsubscribes.add, context, { channel, address, message_id: messageId });
    const page = userId === undefined ? undefined : await loadPage(request, userId, false);
    return addressPage(await loadStyle(request, page), request, form !== undefined);
  }
  if (form) {
    const change = { user_id: userId, tenant_id: tenantId, topic_id: topicId, message_id: messageId };
    await client.call(recipientChoices.optOut, context, change);
  }
  const page = await loadPage(request, userId, false);
  const style = await loadStyle(request, page);
  const { translate } = style;
  const choose = linkHtml(relative('preferences', request.token), translate('Choose what you get'));
  const title = translate('Unsubscribe');
  if (!page.topic) {
    const text = translate('This topic does not exist any more: you get no messages about it.');
    return { style, title, body: paragraphs(text) + choose };
  }
  const topic = translate(page.topic.topic_name);
  switch (page.topic.status) {
    case 'REQUIRED': {
      const text = translate('Messages about "{topic}" are required: you cannot unsubscribe from them.', { topic });
      return { style, title, body: paragraphs(text) + choose };
    }
    case 'OPTED_OUT': {
      const text = translate('You will get no more messages about "{topic}".', { topic });
      return { style, title: translate('You are unsubscribed'), body: statusHtml(text) + choose };
    }
    case 'OPTED_IN':
      return { style, title: translate('Do you want to unsubscribe from "{topic}"?', { topic }), body: buttonForm(title) + choose };
  }
}

function addressPage(style: PageStyle, { recipient, token }: PageRequest, isDone: boolean): Page {
  const { translate } = style;
  const choose = recipient.userId === undefined ? '' : linkHtml(relative('preferences', token), translate('Choose what you get'));
  if (!isDone) {
    return { style, title: translate('Do you want to unsubscribe this address?'), body: buttonForm(translate('Unsubscribe')) + choose };
  }
  const text = translate('No more messages will be sent to this address.');
  return { style, title: translate('You are unsubscribed'), body: statusHtml(text) + choose };
}

/** The preference page: every topic by section, with what the user gets of it. */
async function showPreferences(request: PageRequest, form: URLSearchParams | undefined): Promise<Page> {
  const { client, context, recipient } = request;
  const { userId = '', tenantId, messageId } = recipient;
  if (form) {
    const topics = choicesOf(form);
    await client.call(recipientChoices.save, context, { user_id: userId, tenant_id: tenantId, topics, message_id: messageId });
  }
  const page = await loadPage(request, userId, true);
  const style = await loadStyle(request, page);
  const { translate } = style;
  const { heading, description } = page;
  const saved = form ? statusHtml(translate('Your choices are saved.')) : '';
  const about = paragraphs(description && translate(description));
  return { style, title: translate(heading || 'Choose what you get'), body: saved + about + preferenceForm(page, translate) };
}

const REFUSALS = {
  invalid: { status: 404, title: 'This link is not valid', text: 'Use the link in your latest message, or write to its sender.' },
  expired: { status: 410, title: 'This link has expired', text: 'Use the link in your latest message, or write to its sender.' },
  limited: { status: 429, title: 'Too many requests', text: 'Try again in a minute.' },
  refused: { status: 400, title: 'This page cannot be shown now', text: 'Use the link in your latest message, or write to its sender.' },
  unavailable: { status: 503, title: 'This page cannot be shown now', text: 'Try again in a minute.' },
} as const;

/** Why a service does not answer: it refuses the posted form, or cannot be reached. Other errors are logged. */
function causeOf(error: unknown, requestId: string) {
  if (error instanceof ServiceError && error.code === 'invalid_request') return 'refused';
  if (!isTransientServiceError(error)) logger.error({ err: error, requestId }, 'A page of a recipient failed');
  return 'unavailable';
}

function refusal(cause: keyof typeof REFUSALS, acceptLanguage: string | undefined): Page {
  const { status, title, text } = REFUSALS[cause];
  const style = plainStyle(acceptLanguage);
  return { status, style, title: style.translate(title), body: paragraphs(style.translate(text)) };
}

/** The posted form, empty for another body; undefined for a request that changes nothing. */
function formOf({ method, headers, body }: FastifyRequest) {
  if (method !== 'POST') return undefined;
  const isForm = headers['content-type']?.startsWith('application/x-www-form-urlencoded') === true;
  return new URLSearchParams(isForm && body instanceof Buffer ? body.toString() : '');
}

function answer(reply: FastifyReply, { status = 200, style, title, body }: Page) {
  protect(reply, style.nonce);
  if (status === REFUSALS.limited.status || status === REFUSALS.unavailable.status) reply.raw.setHeader('retry-after', RETRY_SECONDS);
  answerText(reply, status, HTML_TYPE, pageHtml(style, title, body));
}

/** A POST is repeated as a GET: the other page shows a form first. */
function redirect(reply: FastifyReply, location: string) {
  protect(reply, '');
  reply.raw.setHeader('location', location);
  answerText(reply, 303, HTML_TYPE, '');
}

/** The page runs no script, loads only pictures, is in no frame, cache and index, and its address is not passed on. */
function protect({ raw }: FastifyReply, nonce: string) {
  const policy = {
    'default-src': "'none'",
    'style-src': nonce === '' ? "'none'" : `'nonce-${nonce}'`,
    'img-src': 'https: data:',
    'form-action': "'self'",
    'script-src': "'none'",
    'frame-ancestors': "'none'",
    'base-uri': "'none'",
  };
  raw.setHeader(
    'content-security-policy',
    Object.entries(policy)
      .map((directive) => directive.join(' '))
      .join('; '),
  );
  raw.setHeader('referrer-policy', 'no-referrer');
  raw.setHeader('cache-control', 'no-store');
  raw.setHeader('x-robots-tag', 'noindex');
  raw.setHeader('x-content-type-options', 'nosniff');
}
