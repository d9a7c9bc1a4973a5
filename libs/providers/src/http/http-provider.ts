import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { deepMerge, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { withLimit } from '@tidings/contracts/core/with-limit';
import { createHmac } from 'node:crypto';
import { BaseProvider } from '../base-provider';
import { readOverride } from '../call-override';
import type { EmailAttachment } from '../email';
import { listUnsubscribeHeaders } from '../list-unsubscribe';
import { type Attempt, failed, type Outcome, retry } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { outcomeOf } from './answer';
import { type Destination, destinationOf, OVERRIDABLE } from './destination';
import { AddressGuard, AddressRefused, NoAllowedAddress } from './guard/address-guard';
import { call } from './http-call';

export interface HttpProviderSettings {
  readonly url: URL;
  /** Signs every request to `url`. */
  readonly secret: string;
  /** The whole value of `Authorization`, for receivers that require one. */
  readonly authorization?: string;
}

export interface HttpProviderOptions {
  readonly guard: AddressGuard;
  /** For a whole call, the wait for a connection included. Default 10 s. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

const TIMEOUT_MS = 10_000;
/** The number of concurrent calls of a process. */
const CONNECTIONS_MAX = 128;
const IDLE_CONNECTIONS_MAX = 16;
const IDLE_MS = 30_000;

/**
 * Sends each message with one POST to the operator's HTTP endpoint, or to that of a webhook's recipient. Requests to the configured
 * URL are signed. Repeated calls carry the same `Idempotency-Key`. Connects only to hosts that the guard allows, and follows no
 * redirect.
 */
export class HttpProvider extends BaseProvider {
  readonly key = 'http';
  private readonly agents = new Map<string, HttpAgent | HttpsAgent>();

  constructor(
    private readonly settings: HttpProviderSettings,
    private readonly options: HttpProviderOptions,
  ) {
    super();
  }

  send(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    return this.tracked(attempt, () => this.post(rendered, recipient, attempt));
  }

  private async post(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    const override = readOverride(attempt.override, OVERRIDABLE);
    const message = wireMessage(rendered, recipient, attempt);
    const destination = destinationOf(this.settings.url, recipient, override);
    const body = JSON.stringify(override.body ? deepMerge(message, override.body, { nullRemoves: true }) : message);
    const outcome = await this.request(destination, body, recipient, attempt);
    return destination.isConfigured ? outcome : ofThisMessage(outcome);
  }

  protected release() {
    for (const agent of this.agents.values()) agent.destroy();
  }

  private async request(destination: Destination, body: string, recipient: Recipient, { messageId, idempotencyKey, signal }: Attempt) {
    const { url, method, headers, isConfigured } = destination;
    const { guard, timeoutMs = TIMEOUT_MS, now = Date.now } = this.options;
    const ended = new AbortController();
    let isConnected = false;
    try {
      guard.assertHost(url.hostname);
      const request = {
        url,
        method,
        agent: this.agentOf(destination),
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'tidings',
          'accept-encoding': 'identity',
          'idempotency-key': idempotencyKey,
          'x-courier-message-id': messageId,
          ...(isConfigured && this.credentials(body, now())),
          ...headers,
        },
        signal: ended.signal,
        onConnected: () => (isConnected = true),
      };
      const answer = await withLimit(
        { timeoutMs, signal },
        (why) => ended.abort(why),
        () => call(request),
      );
      return outcomeOf(answer, recipient, now());
    } catch (error) {
      if (ended.signal.reason === 'timeout') {
        // A connected receiver that does not answer may accept other messages; one without a connection accepts none.
        return retry(`The receiver did not answer within ${timeoutMs} ms`, isConnected ? { hung: true } : { outage: true });
      }
      if (ended.signal.aborted) return retry('The call was aborted before its answer');
      return unreached(error as NodeJS.ErrnoException);
    }
  }

  /** Headers for the configured receiver alone. */
  private credentials(body: string, nowMs: number): Record<string, string> {
    const { secret, authorization } = this.settings;
    return {
      'courier-signature': signatureOf(secret, body, nowMs),
      ...(authorization !== undefined && { authorization }),
    };
  }

  /** Connections to the configured receiver are reused; those to other hosts serve one request each. */
  private agentOf({ url: { protocol }, isConfigured }: Destination) {
    const name = `${protocol}${isConfigured ? 'reused' : 'once'}`;
    let agent = this.agents.get(name);
    if (!agent) {
      agent = new (protocol === 'https:' ? HttpsAgent : HttpAgent)({
        maxSockets: CONNECTIONS_MAX,
        maxTotalSockets: CONNECTIONS_MAX,
        maxFreeSockets: IDLE_CONNECTIONS_MAX,
        timeout: IDLE_MS,
        keepAlive: isConfigured,
        lookup: this.options.guard.lookup,
      });
      this.agents.set(name, agent);
    }
    return agent;
  }
}

/** The outcome at another URL than the configured one is no evidence about the configuration. */
function ofThisMessage(outcome: Outcome): Outcome {
  if (outcome.kind === 'failed' && outcome.cause === 'configuration') return { ...outcome, cause: 'permanent' };
  if (outcome.kind !== 'retry') return outcome;
  const { outage: _outage, hung: _hung, ...rest } = outcome;
  return rest;
}

/** Error codes of TLS for certificates that are not trusted. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_/;

/** The outcome without an answer. It omits the error's own text, which may contain internal addresses. */
function unreached(error: NodeJS.ErrnoException) {
  if (error instanceof AddressRefused) return failed(error.message, 'configuration');
  if (error instanceof NoAllowedAddress) return retry(error.message, { outage: true });
  const code = error.code ?? error.name;
  if (CERTIFICATE_CODE.test(code)) return failed(`The receiver's certificate is not trusted (${code})`, 'configuration');
  return retry(`The receiver could not be reached (${code})`, { outage: true });
}

/** The body of a request: one message for one recipient on one channel, in snake_case. */
function wireMessage(rendered: Rendered, recipient: Recipient, attempt: Attempt): JsonObject {
  return {
    message_id: attempt.messageId,
    attempt: attempt.number,
    channel: recipient.channel,
    rendered_at: attempt.renderedAt.toISOString(),
    recipient: personOf(recipient),
    content: contentOf(rendered),
    data: attempt.data ?? {},
  };
}

/** Without a webhook's address and credentials, and without the status of tokens. */
function personOf(recipient: Recipient) {
  const { channel: _channel, ...person } = recipient;
  if ('tokens' in person) return { ...person, tokens: person.tokens.map(({ status: _status, ...token }) => token) };
  if (!('webhook' in person)) return person;
  const { webhook: _webhook, ...rest } = person;
  return rest;
}

function contentOf(rendered: Rendered) {
  switch (rendered.kind) {
    case 'email': {
      const { subject, html, text, from, replyTo, cc, bcc, listUnsubscribe, attachments } = rendered.email;
      const headers = listUnsubscribe && listUnsubscribeHeaders(listUnsubscribe);
      return { subject, html, text, from, reply_to: replyTo, cc, bcc, headers, attachments: attachments?.map(toWireAttachment) };
    }
    case 'sms':
      return rendered.sms;
    case 'push':
      return rendered.push;
    case 'direct_message':
      return rendered.directMessage;
    case 'inbox':
      return rendered.inbox;
    case 'webhook':
      return rendered.webhook;
  }
}

function toWireAttachment({ filename, contentType, content }: EmailAttachment) {
  return { filename, content_type: contentType, content: content.toString('base64') };
}

/**
 * The header by which a receiver verifies origin and integrity of a request: `t=<ms>,signature=<hex>`. The signature is the
 * HMAC-SHA256 of `<t>.<raw body>` under the shared secret.
 */
function signatureOf(secret: string, body: string, nowMs: number) {
  return `t=${nowMs},signature=${createHmac('sha256', secret).update(`${nowMs}.${body}`).digest('hex')}`;
}
