import { problemOfToken } from '../credentials';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { ABOUT_FROM, FROM_FIELD, mailboxLine, mailOf, problemOfAscii, problemOfFrom } from '../vendor/mail';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { postmarkCallback } from './postmark.callback';
import { POSTMARK_OPERATIONS } from './postmark.operations';

/** Codes of errors, whose status is most often 422. */
const INVALID_MAIL = 300;
const INACTIVE_RECIPIENT = 406;
const MAINTENANCE = 100;
const RATE_LIMIT = 429;
/** The token, the sender's signature, the credits or the account. */
const OF_CONFIGURATION = new Set<unknown>([10, 400, 401, 405, 412, 413]);

/** Postmark. */
export const postmarkKind = defineVendor({
  key: 'postmark',
  channel: 'email',
  title: 'Postmark',
  description: 'Delivers e-mail through Postmark',
  setup: `1. Confirm the domain or address of your senders: _Sender Signatures_.
2. Copy the token of a server: _Servers_, the server, _API Tokens_.

Mails go to the stream \`outbound\`, for single messages. For mails to many people make a broadcast stream, and name it in
\`message_stream\`. Each mail has the metadata \`tidings_delivery\`: the id of its message and the number of its route.`,
  example: { server_token: '…', from_address: 'Shop <shop@example.com>' },
  fields: {
    server_token: { type: 'string', required: true, lengthMax: 128, secret: true },
    ...FROM_FIELD,
    message_stream: { type: 'string', required: false, lengthMax: 64 },
  },
  about: {
    server_token: 'token of the server',
    from_address: ABOUT_FROM,
    message_stream: 'stream of the server, default `outbound`',
  },
  callback: postmarkCallback,
  overridable: ['from_address', 'message_stream'],
  check: (given) => [problemOfToken('server_token', given.server_token), problemOfFrom(given)],
  baseUrl: 'https://api.postmarkapp.com',
  operations: POSTMARK_OPERATIONS,
  limits: { requestBytes: 10 * 1024 * 1024, bodyBytes: 5 * 1024 * 1024, addresses: 50 },
  credentials: ({ server_token }) => ({ 'x-postmark-server-token': server_token, accept: 'application/json' }),
  request(message, { from_address, message_stream }) {
    const mail = mailOf(message, from_address);
    if ('kind' in mail) return mail;
    const { from, to, replyTo, cc, bcc, subject, text, html, headers, attachments } = mail;
    const list = (mailboxes: typeof cc) => mailboxes.map(mailboxLine).join(', ') || undefined;
    return (
      problemOfAscii(mail, 'Postmark') ?? {
        operation: POSTMARK_OPERATIONS.send,
        body: {
          From: mailboxLine(from),
          To: mailboxLine(to),
          Cc: list(cc),
          Bcc: list(bcc),
          ReplyTo: list(replyTo),
          Subject: subject,
          TextBody: text,
          HtmlBody: html,
          ...(Object.keys(headers).length > 0 && { Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value })) }),
          ...(attachments.length > 0 && {
            Attachments: attachments.map(({ filename, contentType, content }) => ({
              Name: filename,
              Content: content,
              ContentType: contentType,
            })),
          }),
          Metadata: { tidings_delivery: message.attempt.idempotencyKey },
          MessageStream: message_stream,
        },
      }
    );
  },
  words: ({ ErrorCode, Message }) => (typeof ErrorCode === 'number' ? `${String(Message)} (${ErrorCode})` : Message),
  read(answer, { recipient }) {
    const { status, json, error } = answer;
    if (status !== 200) return failureOf(answer);
    // Copies to others were accepted.
    if (isInactive(recipient.email, json.Message)) return bounced(error, 'HARD');
    return accepted(json.MessageID, false);
  },
  test: { request: () => ({ operation: POSTMARK_OPERATIONS.server }) },
});

function failureOf({ json: { ErrorCode: code, Message: words }, error, retryAfterMs }: VendorAnswer): Outcome | undefined {
  if (code === INACTIVE_RECIPIENT) return bounced(error, 'HARD');
  // It names the field: 'To', 'Cc', 'From', …
  if (code === INVALID_MAIL && /'To'/.test(String(words))) return bounced(error, 'HARD');
  if (code === MAINTENANCE || code === RATE_LIMIT) return retry(error, { retryAfterMs, outage: true });
  return OF_CONFIGURATION.has(code) ? failed(error, 'configuration') : undefined;
}

/** Whether the words of an acceptance name the address among those that get no mail after a bounce. */
function isInactive(email: string, words: unknown) {
  const [, addresses = ''] = /inactive addresses: (.*)/is.exec(String(words)) ?? [];
  return addresses
    .toLowerCase()
    .split(/[\s,;]+/)
    .some((one) => one.replace(/\.$/, '') === email.toLowerCase());
}
