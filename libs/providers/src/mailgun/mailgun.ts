import { toMailDomain } from '@tidings/contracts/messaging/mailbox';
import { basicAuth, problemOfToken } from '../credentials';
import { addressText } from '../header-text';
import { bounced, failed, type Outcome, retry } from '../provider';
import { accepted } from '../vendor/classify';
import { ABOUT_FROM, FROM_FIELD, mailboxLine, mailOf, problemOfFrom } from '../vendor/mail';
import { pauseMs } from '../vendor/retry-after';
import { defineVendor, type VendorAnswer } from '../vendor/vendor';
import { mailgunCallback } from './mailgun.callback';
import { MAILGUN_OPERATIONS } from './mailgun.operations';

/** Mailgun. */
export const mailgunKind = defineVendor({
  key: 'mailgun',
  channel: 'email',
  title: 'Mailgun',
  description: 'Delivers e-mail through Mailgun',
  setup: `1. Add and verify a domain: _Send_, _Sending_, _Domains_.
2. Make a key that may only send from it: the domain's _Sending keys_. A key of the account does as well.

Domains of the European region set \`base_url\` to \`https://api.eu.mailgun.net\`. Each mail has the variable
\`tidings_delivery\`: the id of its message and the number of its route. The test posts a message without a recipient,
which Mailgun refuses once it knows the key.`,
  example: { api_key: '…', domain: 'mail.example.com', from_address: 'Shop <shop@mail.example.com>' },
  fields: {
    api_key: { type: 'string', required: true, lengthMax: 256, secret: true },
    domain: { type: 'string', required: true, lengthMax: 253 },
    ...FROM_FIELD,
    webhook_signing_key: { type: 'string', required: false, lengthMax: 256, secret: true },
  },
  about: {
    api_key: 'sending key of the domain',
    domain: 'the domain as Mailgun lists it',
    from_address: ABOUT_FROM,
    webhook_signing_key: 'key that signs the webhooks of the account',
  },
  callback: mailgunCallback,
  overridable: ['from_address'],
  check: (given) => [
    problemOfToken('api_key', given.api_key),
    given.domain !== undefined && toMailDomain(given.domain) === undefined && ['domain', 'must be a domain, such as mail.example.com'],
    problemOfFrom(given),
  ],
  baseUrl: 'https://api.mailgun.net',
  operations: MAILGUN_OPERATIONS,
  limits: { requestBytes: 25 * 1024 * 1024, addresses: 1_000 },
  credentials: ({ api_key }) => ({ authorization: basicAuth('api', api_key) }),
  request(message, { domain, from_address }) {
    const mail = mailOf(message, from_address);
    if ('kind' in mail) return mail;
    const { from, to, replyTo, cc, bcc, subject, text, html, headers } = mail;
    const { attachments = [] } = message.rendered.email;
    const replies = replyTo.length > 0 ? { 'Reply-To': replyTo.map(addressText).join(', ') } : {};
    return {
      operation: MAILGUN_OPERATIONS.send,
      parameters: { domain },
      body: {
        from: mailboxLine(from),
        to: mailboxLine(to),
        cc: cc.map(mailboxLine),
        bcc: bcc.map(mailboxLine),
        subject,
        text,
        html,
        attachment: attachments.map(({ filename, contentType, content }) => new File([content], filename, { type: contentType })),
        ...Object.fromEntries(Object.entries({ ...replies, ...headers }).map(([name, value]) => [`h:${name}`, value])),
        'v:tidings_delivery': message.attempt.idempotencyKey,
      },
    };
  },
  words: ({ message }) => message,
  read(answer) {
    const { status, json } = answer;
    if (status !== 200) return failureOf(answer);
    return accepted(typeof json.id === 'string' ? json.id.replace(/^<|>$/g, '') : undefined, false);
  },
  test: {
    request: ({ domain }) => ({ operation: MAILGUN_OPERATIONS.check, parameters: { domain }, body: { 'o:testmode': 'yes' } }),
    read: ({ status }) => (status === 400 ? { ok: true } : undefined),
  },
});

function failureOf({ status, json, error, retryAfterMs }: VendorAnswer): Outcome | undefined {
  const words = String(json.message);
  if (status === 400 && /^'?to'? parameter is not a valid address/i.test(words)) return bounced(error, 'HARD');
  // The domain does not exist, or belongs to the other region.
  if (status === 404) return failed(error, 'configuration');
  const [, seconds] = /after (\d{1,6}) seconds/.exec(words) ?? [];
  if (status === 429) return retry(error, { retryAfterMs: retryAfterMs ?? pauseMs(Number(seconds) * 1_000), outage: true });
  return undefined;
}
