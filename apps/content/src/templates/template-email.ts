import type { TemplateEmail } from '@tidings/contracts/content/template-fields';
import { invalid } from '@tidings/contracts/core/refusals';
import { parseMailbox } from '@tidings/contracts/messaging/mailbox';

/** Characters of a refused value that its error repeats. */
const SHOWN_LENGTH_MAX = 80;

/**
 * Checks the addresses of a template's e-mails. An empty `from` or `reply_to` counts as absent.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function assertEmail({ from, reply_to, cc, bcc, ...rest }: TemplateEmail, path: string) {
  rest satisfies Record<string, never>;
  if (from) assertMailbox(from, `${path}.from`);
  if (reply_to) assertMailbox(reply_to, `${path}.reply_to`);
  cc?.forEach((address, index) => assertMailbox(address, `${path}.cc[${index}]`));
  bcc?.forEach((address, index) => assertMailbox(address, `${path}.bcc[${index}]`));
}

function assertMailbox(text: string, path: string) {
  const shown = JSON.stringify(text.slice(0, SHOWN_LENGTH_MAX).toWellFormed());
  if (/[{}]/.test(text)) throw invalid(`${path} must be the address itself: variables are not filled in there (got ${shown})`);
  if (parseMailbox(text)) return;
  throw invalid(`${path} must be one e-mail address, as a@example.com or Name <a@example.com> (got ${shown})`);
}
