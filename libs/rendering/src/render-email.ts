import { ServiceError } from '@tidings/contracts/core/errors';
import { fill, type Segment } from './compiled-text';
import { frameEmail } from './email-frame';
import { LruCache } from './lru-cache';
import { type CompiledMarkdown, compileMarkdown, safeUrl } from './markdown';
import { parseVariables, type RenderContext } from './variables';

/** The simple form of content: `title` is one line of text, `body` Markdown; both may hold variables. */
export interface SimpleContent {
  readonly title?: string;
  readonly body?: string;
}

export interface RenderedMail {
  /** Never holds a line end. */
  readonly subject: string;
  /** A whole HTML document. */
  readonly html: string;
  readonly text: string;
}

export interface RenderEmailOptions {
  /** Whether HTML tags in the body pass as they are (default). The values of variables never do. */
  readonly rawHtml?: boolean;
}

export const TEMPLATE_CHARS_MAX = 500_000;
export const SUBJECT_CHARS_MAX = 998;
const TEMPLATES_KEPT = 1_000;
const TEMPLATE_CHARS_KEPT = 16_000_000;

const titles = new LruCache<readonly Segment[]>(TEMPLATES_KEPT, TEMPLATE_CHARS_KEPT);
const bodies = {
  raw: new LruCache<CompiledMarkdown>(TEMPLATES_KEPT, TEMPLATE_CHARS_KEPT),
  escaped: new LruCache<CompiledMarkdown>(TEMPLATES_KEPT, TEMPLATE_CHARS_KEPT),
};

/**
 * Makes an e-mail of simple content. A template is parsed once and then only filled in, so what a variable holds is always
 * shown literally: neither Markdown nor HTML in it means anything, and an address made of variables cannot run code.
 *
 * A subject longer than 998 characters is cut. Throws `payload_too_large` for a template above `TEMPLATE_CHARS_MAX` or
 * a result above `RENDERED_CHARS_MAX` characters, and nothing else.
 */
export function renderEmail(content: SimpleContent, context: RenderContext, { rawHtml = true }: RenderEmailOptions = {}): RenderedMail {
  const { title = '', body = '' } = content;
  if (title.length + body.length > TEMPLATE_CHARS_MAX) {
    throw new ServiceError('payload_too_large', `The content has more than ${TEMPLATE_CHARS_MAX} characters`);
  }
  const compiledTitle = titles.get(title, () => compileTitle(title));
  const compiledBody = (rawHtml ? bodies.raw : bodies.escaped).get(body, () => compileMarkdown(body, { rawHtml }));

  const subject = toSubject(fill(compiledTitle, context, safeUrl));
  return {
    subject,
    html: frameEmail(subject, fill(compiledBody.html, context, safeUrl)),
    text: fill(compiledBody.text, context, safeUrl),
  };
}

function compileTitle(title: string): Segment[] {
  return parseVariables(title).map((part) => (typeof part === 'string' ? part : { kind: 'variable', variable: part, escaping: 'none' }));
}

// eslint-disable-next-line no-control-regex -- control characters, line ends among them, are what must go
const NOT_ON_A_LINE = /[\u0000-\u001f\u007f\u0085\u2028\u2029]+/g;

function toSubject(text: string): string {
  const line = text.replace(NOT_ON_A_LINE, ' ').trim();
  return line.length <= SUBJECT_CHARS_MAX ? line : `${line.slice(0, SUBJECT_CHARS_MAX - 1).toWellFormed()}…`;
}
