import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import type { EmailAttachment } from '../email';
import { listUnsubscribeHeaders } from '../list-unsubscribe';
import type { Attempt } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';

/** The body of a request: one message for one recipient on one channel, in snake_case. */
export function wireMessage(rendered: Rendered, recipient: Recipient, attempt: Attempt): JsonObject {
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
function personOf(recipient: Recipient): object {
  const { channel: _channel, ...person } = recipient;
  if ('tokens' in person) return { ...person, tokens: person.tokens.map(({ status: _status, ...token }) => token) };
  if (!('webhook' in person)) return person;
  const { webhook: _webhook, ...rest } = person;
  return rest;
}

function contentOf(rendered: Rendered): object {
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

function toWireAttachment({ filename, contentType, content }: EmailAttachment): object {
  return { filename, content_type: contentType, content: content.toString('base64') };
}
