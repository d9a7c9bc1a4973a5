import { deepMerge, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { BaseProvider } from '../base-provider';
import { readOverride } from '../call-override';
import type { EmailAttachment } from '../email';
import { listUnsubscribeHeaders } from '../list-unsubscribe';
import { type Attempt, failed } from '../provider';
import type { TestResult } from '../provider-kind';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { isSuccess, ofThisMessage } from '../vendor/classify';
import { type ClientOptions, HttpClient } from '../vendor/http-client';
import { outcomeOf } from './answer';
import { type Destination, destinationOf, OVERRIDABLE } from './destination';
import { courierSignature } from './signature';

export interface HttpProviderSettings {
  /** Absent: each recipient names theirs. */
  readonly url?: URL;
  /** Signs every request to `url`; without one, every request to a recipient's webhook. */
  readonly secret?: string;
  /** The whole value of `Authorization`, for receivers that require one. Sent to `url` alone. */
  readonly authorization?: string;
  /** Of requests to `url`. Default POST. */
  readonly method?: 'POST' | 'PUT';
}

export interface HttpProviderOptions extends ClientOptions {
  readonly now?: () => number;
}

/**
 * Sends each message with one POST to the operator's HTTP endpoint, or to that of a webhook's recipient. Requests to the configured
 * URL are signed, those to recipients only where there is none: a recipient could repeat a signed one at another receiver. Repeated calls
 * carry the same `Idempotency-Key`. Connects only to hosts that the guard allows, and follows no redirect.
 */
export class HttpProvider extends BaseProvider {
  private readonly client = new HttpClient(this.options);

  constructor(
    private readonly settings: HttpProviderSettings,
    private readonly options: HttpProviderOptions,
    readonly key = 'http',
  ) {
    super();
  }

  send(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    return this.tracked(attempt, () => this.post(rendered, recipient, attempt));
  }

  /** A `HEAD` with the credentials and without a message; an endpoint that has no `HEAD` cannot be tested. */
  async test(signal: AbortSignal): Promise<TestResult> {
    const { url } = this.settings;
    if (!url) return { ok: false, message: 'Without settings.url there is no receiver to test: recipients name theirs' };
    const headers = this.credentials('', (this.options.now ?? Date.now)());
    const answer = await this.client.request({ url, method: 'HEAD', headers }, signal);
    if ('kind' in answer) return { ok: false, message: answer.error };
    if (isSuccess(answer)) return { ok: true };
    const { status } = answer;
    const isRefused = status === 401 || status === 403;
    const why = isRefused ? 'it refuses the credentials' : 'it was reached, but cannot be tested without a message';
    return { ok: false, message: `The receiver answered ${status} to HEAD: ${why}`, status };
  }

  private async post(rendered: Rendered, recipient: Recipient, attempt: Attempt) {
    const override = readOverride(attempt.override, OVERRIDABLE);
    const message = wireMessage(rendered, recipient, attempt);
    const destination = destinationOf(this.settings, recipient, override);
    if (!destination) return failed('The recipient has no webhook, and settings.url is not set', 'permanent');
    const body = JSON.stringify(override.body ? deepMerge(message, override.body, { nullRemoves: true }) : message);
    const outcome = await this.request(destination, body, recipient, attempt);
    return destination.isConfigured ? outcome : ofThisMessage(outcome);
  }

  protected release() {
    return this.client.close();
  }

  private async request(destination: Destination, body: string, recipient: Recipient, { messageId, idempotencyKey, signal }: Attempt) {
    const { url, method, headers, isConfigured } = destination;
    const isRecipients = destination.isRecipients && !this.settings.url;
    const { now = Date.now } = this.options;
    const request = {
      url,
      method,
      body,
      headers: {
        'content-type': 'application/json',
        'idempotency-key': idempotencyKey,
        'x-courier-message-id': messageId,
        ...(isConfigured ? this.credentials(body, now()) : isRecipients && this.signature(body, now())),
        ...headers,
      },
      // Connections to the configured receiver are reused; those to other hosts serve one request each.
      once: !isConfigured,
    };
    const answer = await this.client.request(request, signal);
    return 'kind' in answer ? answer : outcomeOf(answer, recipient, now());
  }

  /** Headers for the configured receiver alone. */
  private credentials(body: string, nowMs: number): Record<string, string> {
    const { authorization } = this.settings;
    return { ...this.signature(body, nowMs), ...(authorization !== undefined && { authorization }) };
  }

  private signature(body: string, nowMs: number): Record<string, string> {
    const { secret } = this.settings;
    return secret === undefined ? {} : { 'courier-signature': courierSignature([secret], body, nowMs) };
  }
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
