import { createHash } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { escapeHtml, HTML_TYPE, htmlPage } from '@tidings/gateway/pages/html';
import { MAILBOX_ERASE_PATH } from '@tidings/messaging/erasure/remote-mails';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MailboxMail } from './mail-parts';
import type { Mailbox } from './mailbox';

/** Loopback addresses and host names. A page of another site cannot send such a `Host` header. */
const LOOPBACK_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

export const MAILBOX_PATH = '/dev/mailbox';

/** Serves the mailbox below `/dev/mailbox`, to this machine only: it needs no key and shows every mail. */
export function mountMailbox(instance: FastifyInstance, mailbox: Mailbox) {
  const route = (method: 'GET' | 'DELETE', path: string, answer: (request: MailboxRequest) => Promise<MailboxResponse>) =>
    instance.route<{ Params: MailboxRequest['params'] }>({
      method,
      url: `${MAILBOX_PATH}${path}`,
      handler: async (request, reply) => {
        checkLocal(request);
        const { status = 200, headers, body } = await answer(request);
        return reply.status(status).headers(headers).send(body);
      },
    });
  route('GET', '', ({ headers: { accept } }) => showMailbox(mailbox, { accept }));
  route('GET', '/:id', ({ params: { id }, headers: { accept } }) => showMailbox(mailbox, { id, accept }));
  route('GET', '/:id/attachments/:number', ({ params: { id, number } }) => downloadAttachment(mailbox, id!, number!));
  route('DELETE', '', async (request) => {
    checkOwnPage(request);
    await mailbox.empty();
    return { status: 204, headers: PRIVATE };
  });
}

/**
 * Serves the erasure of the mails to some addresses, for the messaging of this machine: where mailbox and messaging are one process, it
 * calls `Mailbox.erase`.
 */
export function mountErasure(instance: FastifyInstance, mailbox: Mailbox) {
  instance.post<{ Params: MailboxRequest['params']; Body?: { addresses?: unknown } }>(MAILBOX_ERASE_PATH, async (request) => {
    checkLocal(request);
    checkOwnPage(request);
    const addresses = request.body?.addresses;
    if (!Array.isArray(addresses) || !addresses.every((one) => typeof one === 'string'))
      throw invalid('addresses must be an array of texts');
    return { removed: await mailbox.erase(addresses) };
  });
}

type MailboxRequest = Pick<FastifyRequest<{ Params: { id?: string; number?: string } }>, 'params' | 'headers' | 'socket'>;

/** Headers of a proxy: it connects from this machine, for clients that may be anywhere. */
const PROXY_HEADER = /^(?:forwarded|via|x-forwarded(?:-.*)?)$/;

/** @throws ServiceError `not_found` for a request of another machine, of a proxy, or with the name of another host. */
function checkLocal({ socket, headers }: MailboxRequest) {
  const isLocal = LOOPBACK_ADDRESS.test(socket.remoteAddress ?? '') && LOOPBACK_HOST.test(headers.host ?? '');
  if (!isLocal || Object.keys(headers).some((name) => PROXY_HEADER.test(name))) throw new ServiceError('not_found', 'Not Found');
}

/** The gateway allows pages of every origin to call it, because they need a key; the mailbox needs none. @throws ServiceError */
function checkOwnPage({ headers: { origin, host } }: MailboxRequest) {
  if (origin === undefined || origin === `http://${host}`) return;
  throw new ServiceError('forbidden', `A page of ${origin} may not change the mailbox`);
}

interface MailboxResponse {
  /** Default 200. */
  readonly status?: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

const LISTED_MAX = 200;

/**
 * Shows the newest mails, or the mail `id`: as a page where `accept` has `text/html`, otherwise as JSON. Mails are untrusted, so nothing in
 * them runs: their text is escaped, their HTML is shown in a sandboxed frame, and a mail's page may load images only. The list's one script
 * empties the mailbox. Throws `not_found` for a
 * mail that is not in the mailbox.
 */
export async function showMailbox(
  mailbox: Mailbox,
  { id, accept = '' }: { id?: string; accept?: string },
): Promise<MailboxResponse & { readonly body: string }> {
  const asPage = accept.includes('text/html');
  if (id === undefined) {
    const mails = await mailbox.list(LISTED_MAX);
    return asPage ? page(listPage(mails, mailbox.url), LIST_POLICY) : json({ results: mails.map(withUrls) });
  }
  const mail = await mailbox.get(id);
  if (!mail) throw new ServiceError('not_found', `Mail ${id} is not in the mailbox`);
  return asPage ? page(mailPage(mail)) : json(withUrls(mail));
}

/**
 * An attachment as a download. Its content is untrusted: whatever its type, a browser stores it and shows nothing of it.
 * Throws `not_found` where the mail has no such attachment.
 */
export async function downloadAttachment(mailbox: Mailbox, id: string, number: string): Promise<MailboxResponse> {
  const attachment = /^[1-9]\d{0,5}$/.test(number) ? await mailbox.attachment(id, Number(number)) : undefined;
  if (!attachment) throw new ServiceError('not_found', `Mail ${id} has no attachment ${number} in the mailbox`);
  const headers = {
    ...PRIVATE,
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; ${fileNameParameters(attachment.name)}`,
    'content-security-policy': "default-src 'none'; sandbox",
  };
  return { headers, body: attachment.content };
}

const FILE_NAME_LENGTH_MAX = 200;
/** Control characters, lone surrogates, separators of folders, and characters that change the direction of text. */
const UNSAFE_IN_FILE_NAME = /[\p{Cc}\p{Cf}\p{Cs}/\\:]/gu;

/** The name for a file in the two forms of RFC 6266: in ASCII, and percent-encoded. */
function fileNameParameters(name: string) {
  const safe = [...name.replace(UNSAFE_IN_FILE_NAME, '_')].slice(0, FILE_NAME_LENGTH_MAX).join('');
  const encoded = encodeURIComponent(safe).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
  return `filename="${safe.replace(/[^ !#-~]/g, '_')}"; filename*=UTF-8''${encoded}`;
}

const attachmentPath = (id: string, number: number) => `${MAILBOX_PATH}/${encodeURIComponent(id)}/attachments/${number}`;

/** A mail whose attachments have the path of their content. */
function withUrls<Mail extends MailboxMail>(mail: Mail) {
  return { ...mail, attachments: mail.attachments.map((one) => ({ ...one, url: attachmentPath(mail.id, one.number) })) };
}

const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Of the button: after a confirmation it calls `DELETE /dev/mailbox`, then shows what the mailbox has. */
const EMPTY_SCRIPT = `const button = document.querySelector('#empty');
button.addEventListener('click', async () => {
  if (!confirm('Remove all mails?')) return;
  button.disabled = true;
  try {
    const { ok, status } = await fetch('${MAILBOX_PATH}', { method: 'DELETE' });
    if (!ok) throw new Error('the answer is ' + status);
    location.reload();
  } catch (error) {
    button.disabled = false;
    alert('The mails are not removed: ' + error.message);
  }
});`;
const LIST_POLICY = `${POLICY}; script-src 'sha256-${createHash('sha256').update(EMPTY_SCRIPT).digest('base64')}'; connect-src 'self'`;

function page(body: string, policy = POLICY) {
  return { headers: { ...PRIVATE, 'content-type': HTML_TYPE, 'content-security-policy': policy }, body };
}

function json(value: unknown) {
  return { headers: { ...PRIVATE, 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

function listPage(mails: readonly MailboxMail[], url: string) {
  const rows = mails.map(
    ({ id, to, subject, received_at, attachments }) =>
      `<tr><td><a href="${MAILBOX_PATH}/${encodeURIComponent(id)}">${escapeHtml(subject || '(no subject)')}</a></td>` +
      `<td>${escapeHtml(to.join(', '))}</td><td>${attachments.length || ''}</td><td>${escapeHtml(received_at)}</td></tr>`,
  );
  const newest = mails.length === LISTED_MAX ? `The newest ${LISTED_MAX} mails. ` : '';
  const table = `<p>${newest}<button id="empty" type="button">Remove all mails</button></p>\n<table><thead><tr><th>Subject</th><th>To</th><th>Attachments</th><th>Received</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>\n<script>${EMPTY_SCRIPT}</script>`;
  return htmlPage(
    'Mailbox',
    `<h1>Mailbox</h1>\n${mails.length > 0 ? table : `<p>No mail. It is received at <code>${escapeHtml(url)}</code>.</p>`}`,
  );
}

function mailPage(mail: MailboxMail & { readonly raw: string }) {
  const { id, from, to, from_header, cc, reply_to, subject, received_at, message_id, text, html, attachments, raw } = mail;
  const addresses = { From: from_header || from, To: to.join(', '), Cc: cc.join(', '), 'Reply-To': reply_to.join(', ') };
  const facts = Object.entries({ ...addresses, 'Envelope sender': from, Received: received_at, 'Message-ID': message_id });
  const rows = facts.filter(([, value]) => value !== '').map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value)}</td></tr>`);
  const files = attachments.map(
    ({ number, name, type, size }) =>
      `<tr><td><a href="${attachmentPath(id, number)}">${escapeHtml(name)}</a></td><td>${escapeHtml(type)}</td><td>${size} bytes</td></tr>`,
  );
  return htmlPage(
    subject || '(no subject)',
    `<p><a href="${MAILBOX_PATH}">All mails</a></p>
<h1>${escapeHtml(subject || '(no subject)')}</h1>
<table><tbody>${rows.join('')}</tbody></table>
${files.length > 0 ? `<h2>Attachments</h2>\n<table><tbody>${files.join('\n')}</tbody></table>` : ''}
${html ? `<h2>HTML</h2>\n<iframe sandbox="" title="The mail's HTML" srcdoc="${escapeHtml(html)}"></iframe>` : ''}
${text ? `<h2>Text</h2>\n<pre>${escapeHtml(text)}</pre>` : ''}
<details><summary>Source</summary><pre>${escapeHtml(raw)}</pre></details>`,
  );
}
