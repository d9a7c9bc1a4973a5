import type { TemplateEmail } from '@tidings/contracts/content/template-fields';
import { assertMailbox } from '@tidings/contracts/messaging/mailbox';

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
