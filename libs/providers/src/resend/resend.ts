import { detectMimeType } from 'nodemailer/lib/mime-funcs/mime-types';
import { problemOfToken } from '../credentials';
import { failed, type Outcome, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { ABOUT_FROM, FROM_FIELD, mailboxLine, mailOf, problemOfFrom, type VendorMail } from '../vendor/mail';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { resendCallback } from './resend.callback';
import { RESEND_OPERATIONS } from './resend.operations';

/** The type of files whose extension says nothing. */
const ANY_TYPE = 'application/octet-stream';
/** A good key for sending alone, where it reads anything. */
const SENDING_KEY = 'restricted_api_key';

/** Resend. */
export const resendKind = defineVendor({
  key: 'resend',
  channel: 'email',
  title: 'Resend',
  description: 'Delivers e-mail through Resend',
  setup: `1. Add and verify the domain of your senders: _Domains_, _Add Domain_.
2. Make a key: _API Keys_, _Create API Key_, permission _Sending access_.

Each mail has the tag \`tidings_delivery\` and an \`Idempotency-Key\`: Resend sends a mail that is repeated after an outage
once. It never delivers a mail with an attachment whose type contradicts its extension: such a file goes without its
type, which Resend derives from the name.`,
  example: { api_key: 're_…', from_address: 'Shop <shop@example.com>' },
  fields: {
    api_key: { type: 'string', required: true, lengthMax: 256, secret: true },
    ...FROM_FIELD,
    webhook_secret: { type: 'string', required: false, lengthMax: 256, secret: true },
  },
  about: { api_key: 'key with _Sending access_', from_address: ABOUT_FROM, webhook_secret: 'signing secret of the webhook, `whsec_…`' },
  callback: resendCallback,
  overridable: ['from_address'],
  check: (given) => [problemOfToken('api_key', given.api_key), problemOfFrom(given)],
  baseUrl: 'https://api.resend.com',
  operations: RESEND_OPERATIONS,
  limits: { requestBytes: 40 * 1024 * 1024, addresses: 50 },
  credentials: ({ api_key }) => ({ authorization: `Bearer ${api_key}` }),
  request(message, { from_address }) {
    const { idempotencyKey } = message.attempt;
    const mail = mailOf(message, from_address);
    if ('kind' in mail) return mail;
    const { from, to, replyTo, cc, bcc, subject, text, html, headers, attachments } = mail;
    const list = (mailboxes: typeof cc) => (mailboxes.length > 0 ? mailboxes.map(mailboxLine) : undefined);
    return {
      operation: RESEND_OPERATIONS.send,
      headers: { 'idempotency-key': idempotencyKey },
      body: {
        from: mailboxLine(from),
        to: [mailboxLine(to)],
        cc: list(cc),
        bcc: list(bcc),
        reply_to: list(replyTo),
        subject,
        text,
        html,
        ...(Object.keys(headers).length > 0 && { headers }),
        ...(attachments.length > 0 && { attachments: attachments.map(toAttachment) }),
        tags: [{ name: 'tidings_delivery', value: idempotencyKey.replace(/[^\w-]/g, '_') }],
      },
    };
  },
  words: ({ name, message }) => (typeof name === 'string' ? `${String(message)} (${name})` : message),
  read: (answer) => (answer.status === 200 ? accepted(answer.json.id, false) : failureOf(answer)),
  test: {
    request: () => ({ operation: RESEND_OPERATIONS.domains }),
    read: ({ json }) => (json.name === SENDING_KEY ? { ok: true } : undefined),
  },
});

function failureOf({ status, json: { name, message }, error, retryAfterMs }: VendorAnswer): Outcome | undefined {
  switch (name) {
    case 'daily_quota_exceeded':
    case 'monthly_quota_exceeded':
      return failed(error, 'configuration');
    case 'concurrent_idempotent_requests':
      return retry(error, { retryAfterMs });
    case 'validation_error':
      return status === 400 && /api key/i.test(String(message)) ? failed(error, 'configuration') : undefined;
    default:
      return undefined;
  }
}

/** With its type, unless the file's extension has another one. */
function toAttachment({ filename, contentType, content }: VendorMail['attachments'][number]) {
  const [declared = ''] = contentType.toLowerCase().split(/\s*;/);
  const expected = detectMimeType(filename);
  return { filename, content, ...((expected === declared || expected === ANY_TYPE) && { content_type: contentType }) };
}
