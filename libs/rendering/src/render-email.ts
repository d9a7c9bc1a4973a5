import { ServiceError } from '@tidings/contracts/core/errors';
import type { EmailOutput } from './channels/outputs';
import { render } from './render';
import { RENDERED_CHARS_MAX } from './render-limits';
import type { RenderContext } from './scope';

interface SimpleMail {
  readonly title?: string;
  readonly body?: string;
}

interface RenderEmailOptions {
  /** Whether HTML tags in the body pass unchanged (default). Values of variables are always escaped. */
  readonly rawHtml?: boolean;
}

/** Characters of title and body together. */
export const TEMPLATE_CHARS_MAX = RENDERED_CHARS_MAX;

/**
 * Renders an e-mail from simple content without a brand: `title` is one line of text, `body` Markdown; both may contain
 * variables. Values are shown literally: Markdown and HTML in them have no effect, and an address built of variables cannot run
 * code. A subject longer than 998 characters is cut.
 *
 * Throws `payload_too_large` for a template above `TEMPLATE_CHARS_MAX` or a result above `RENDERED_CHARS_MAX` characters,
 * `invalid_request` for Handlebars that cannot be read or rendered, and nothing else.
 */
export function renderEmail(
  { title = '', body = '' }: SimpleMail,
  scope: RenderContext,
  { rawHtml = true }: RenderEmailOptions = {},
): EmailOutput {
  if (title.length + body.length > TEMPLATE_CHARS_MAX) {
    throw new ServiceError('payload_too_large', `The content has more than ${TEMPLATE_CHARS_MAX} characters`);
  }
  const rendered = render({ content: { title, body }, channel: 'email', scope, rawHtml });
  if (rendered?.output.kind !== 'email') throw new Error('Simple content is for every channel');
  return rendered.output.email;
}
