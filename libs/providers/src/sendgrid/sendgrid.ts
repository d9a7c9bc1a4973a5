import type { Mailbox } from '@tidings/contracts/messaging/mailbox';
import { problemOfToken } from '../credentials';
import { bounced, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { ABOUT_FROM, FROM_FIELD, mailOf, problemOfFrom } from '../vendor/mail';
import { objectsIn } from '../vendor/objects-in';
import { pauseMs } from '../vendor/retry-after';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { sendgridCallback } from './sendgrid.callback';
import { SENDGRID_OPERATIONS } from './sendgrid.operations';

/** The recipient of the only personalization: we send one mail per call. */
const RECIPIENT_FIELD = /^personalizations\.0\.to\.\d+\.email$/;
const MAIL_SEND = 'mail.send';

/** Twilio SendGrid, by its v3 interface. */
export const sendgridKind = defineVendor({
  key: 'sendgrid',
  channel: 'email',
  title: 'SendGrid',
  description: 'Delivers e-mail through Twilio SendGrid',
  setup: `1. Authenticate the domain of your senders: _Settings_, _Sender Authentication_.
2. Make a key: _Settings_, _API Keys_, _Create API Key_, _Restricted Access_ with _Mail Send_ alone.

Accounts of the European region set \`base_url\` to \`https://api.eu.sendgrid.com\`.`,
  example: { api_key: 'SG.…', from_address: 'Shop <shop@example.com>' },
  fields: {
    api_key: { type: 'string', required: true, lengthMax: 256, secret: true },
    ...FROM_FIELD,
    webhook_public_key: { type: 'string', required: false, lengthMax: 512 },
  },
  about: {
    api_key: 'key with the permission _Mail Send_',
    from_address: ABOUT_FROM,
    webhook_public_key: 'verification key of the signed Event Webhook',
  },
  callback: sendgridCallback,
  overridable: ['from_address'],
  check: (given) => [problemOfToken('api_key', given.api_key), problemOfFrom(given)],
  baseUrl: 'https://api.sendgrid.com',
  operations: SENDGRID_OPERATIONS,
  limits: { requestBytes: 30 * 1024 * 1024, addresses: 1_000, asciiAttachmentNames: true },
  credentials: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  request(message, { from_address }) {
    const mail = mailOf(message, from_address);
    if ('kind' in mail) return mail;
    const { from, to, replyTo, cc, bcc, subject, text, html, headers, attachments } = mail;
    return {
      operation: SENDGRID_OPERATIONS.send,
      body: {
        personalizations: [
          {
            to: [addressOf(to)],
            cc: eachOf(cc, addressOf),
            bcc: eachOf(bcc, addressOf),
            custom_args: { tidings_delivery: message.attempt.idempotencyKey },
          },
        ],
        from: senderOf(from),
        reply_to_list: eachOf(replyTo, senderOf),
        subject,
        content: [...(text ? [{ type: 'text/plain', value: text }] : []), ...(html ? [{ type: 'text/html', value: html }] : [])],
        attachments: eachOf(attachments, ({ filename, contentType, content }) => ({
          content,
          filename,
          type: contentType,
          disposition: 'attachment',
        })),
        headers: Object.keys(headers).length > 0 ? headers : undefined,
      },
    };
  },
  words(json) {
    const { message, field } = objectsIn(json.errors)[0] ?? {};
    return typeof message === 'string' && typeof field === 'string' ? `${message} (${field})` : message;
  },
  read(answer) {
    const { status, headers } = answer;
    if (status === 202 || status === 200) return accepted(headers['x-message-id'], false);
    const { json, error, retryAfterMs } = answer;
    if (status === 400 && objectsIn(json.errors).some(({ field }) => typeof field === 'string' && RECIPIENT_FIELD.test(field)))
      return bounced(error, 'HARD');
    if (status === 429) return retry(error, { retryAfterMs: retryAfterMs ?? resetMs(answer), outage: true });
    return undefined;
  },
  test: {
    request: () => ({ operation: SENDGRID_OPERATIONS.scopes }),
    read({ status, json }) {
      const { scopes } = json;
      if (status !== 200 || !Array.isArray(scopes) || scopes.includes(MAIL_SEND)) return undefined;
      return { ok: false, message: `The key lacks the permission ${MAIL_SEND}`, status };
    },
  },
});

/** Undefined instead of an empty array: the field is not sent. */
function eachOf<Item, Made>(items: readonly Item[], make: (item: Item) => Made): Made[] | undefined {
  return items.length > 0 ? items.map(make) : undefined;
}

function senderOf({ address, name }: Mailbox) {
  return name === undefined ? { email: address } : { email: address, name };
}

/** Names of recipients may have no semicolon and no comma. */
function addressOf({ address, name }: Mailbox) {
  return senderOf({ address, name: name?.replace(/\s*[;,]\s*/g, ' '), ascii: true });
}

/** Until the time of `X-RateLimit-Reset`, in seconds since the epoch. */
function resetMs({ headers, nowMs }: VendorAnswer) {
  return pauseMs(Number(headers['x-ratelimit-reset']) * 1_000 - nowMs);
}
