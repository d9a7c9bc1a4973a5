import { ServiceError } from '@tidings/contracts/core/errors';
import { escapeHtml, HTML_TYPE, htmlPage } from '@tidings/gateway/pages/html';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Mailbox, MailboxMail } from './mailbox';

/** Loopback addresses and host names. A page of another site cannot send such a `Host` header. */
const LOOPBACK_ADDRESS = /^(?:127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/;
const LOOPBACK_HOST = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::\d+)?$/i;

export const MAILBOX_PATH = '/dev/mailbox';

/** Serves the mailbox at `/dev/mailbox` and `/dev/mailbox/:id`, to this machine only: it needs no key and shows every mail. */
export function mountMailbox(instance: FastifyInstance, mailbox: Mailbox) {
  const answer = async (request: FastifyRequest<{ Params: { id?: string } }>, reply: FastifyReply) => {
    const isLocal = LOOPBACK_ADDRESS.test(request.socket.remoteAddress ?? '') && LOOPBACK_HOST.test(request.headers.host ?? '');
    if (!isLocal) throw new ServiceError('not_found', 'Not Found');
    const { headers, body } = await showMailbox(mailbox, { id: request.params.id, accept: request.headers.accept });
    return reply.headers(headers).send(body);
  };
  instance.get(MAILBOX_PATH, answer);
  instance.get(`${MAILBOX_PATH}/:id`, answer);
}

interface MailboxResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const LISTED_MAX = 200;

/**
 * Shows the newest mails, or the mail `id`: as a page where `accept` has `text/html`, otherwise as JSON. Mails are untrusted, so nothing in
 * them runs: their text is escaped, their HTML is shown in a sandboxed frame, and the page may load images only. Throws `not_found` for a
 * mail that is not in the mailbox.
 */
export async function showMailbox(mailbox: Mailbox, { id, accept = '' }: { id?: string; accept?: string }): Promise<MailboxResponse> {
  const asPage = accept.includes('text/html');
  if (id === undefined) {
    const mails = await mailbox.list(200);
    return asPage ? page(listPage(mails, mailbox.url)) : json({ results: mails });
  }
  const mail = await mailbox.get(id);
  if (!mail) throw new ServiceError('not_found', `Mail ${id} is not in the mailbox`);
  return asPage ? page(mailPage(mail)) : json(mail);
}

const PRIVATE = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src http: https: data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

function page(body: string) {
  return { headers: { ...PRIVATE, 'content-type': HTML_TYPE, 'content-security-policy': POLICY }, body };
}

function json(value: unknown) {
  return { headers: { ...PRIVATE, 'content-type': 'application/json; charset=utf-8' }, body: JSON.stringify(value) };
}

function listPage(mails: readonly MailboxMail[], url: string) {
  const rows = mails.map(
    ({ id, to, subject, received_at }) =>
      `<tr><td><a href="${MAILBOX_PATH}/${encodeURIComponent(id)}">${escapeHtml(subject || '(no subject)')}</a></td>` +
      `<td>${escapeHtml(to.join(', '))}</td><td>${escapeHtml(received_at)}</td></tr>`,
  );
  const newest = mails.length === LISTED_MAX ? `<p>The newest ${LISTED_MAX} mails.</p>\n` : '';
  const table = `${newest}<table><thead><tr><th>Subject</th><th>To</th><th>Received</th></tr></thead><tbody>\n${rows.join('\n')}\n</tbody></table>`;
  return htmlPage(
    'Mailbox',
    `<h1>Mailbox</h1>\n${mails.length > 0 ? table : `<p>No mail yet. It is received at <code>${escapeHtml(url)}</code>.</p>`}`,
  );
}

function mailPage({ from, to, subject, received_at, message_id, text, html, raw }: MailboxMail & { readonly raw: string }) {
  const facts = Object.entries({ From: from, To: to.join(', '), Received: received_at, 'Message-ID': message_id });
  return htmlPage(
    subject || '(no subject)',
    `<p><a href="/dev/mailbox">All mails</a></p>
<h1>${escapeHtml(subject || '(no subject)')}</h1>
<table><tbody>${facts.map(([name, value]) => `<tr><th>${name}</th><td>${escapeHtml(value)}</td></tr>`).join('')}</tbody></table>
${html ? `<h2>HTML</h2>\n<iframe sandbox="" title="The mail's HTML" srcdoc="${escapeHtml(html)}"></iframe>` : ''}
${text ? `<h2>Text</h2>\n<pre>${escapeHtml(text)}</pre>` : ''}
<details><summary>Source</summary><pre>${escapeHtml(raw)}</pre></details>`,
  );
}
