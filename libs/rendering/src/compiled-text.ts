import { ServiceError } from '@tidings/contracts/core/errors';
import { type RenderContext, type Variable, variableText } from './variables';

/** How a value is made harmless where it stands. `attribute` is for raw HTML, where even a space may end an attribute. */
export type Escaping = 'none' | 'html' | 'attribute';

/** A piece of a compiled text: finished text, a variable, or an address that may hold variables. */
export type Segment =
  | string
  | { readonly kind: 'variable'; readonly variable: Variable; readonly escaping: Escaping }
  | { readonly kind: 'url'; readonly parts: readonly (string | Variable)[]; readonly escaping: Escaping };

/** One rendered part (subject, HTML or text) may have so many characters. */
export const RENDERED_CHARS_MAX = 500_000;

/** Makes a whole address safe to follow once its variables are filled in. */
export type UrlFilter = (url: string) => string;

/** Fills a compiled text in. Throws `payload_too_large` when the result passes `RENDERED_CHARS_MAX`. */
export function fill(segments: readonly Segment[], context: RenderContext, filterUrl: UrlFilter): string {
  let result = '';
  for (const segment of segments) {
    if (typeof segment === 'string') result += segment;
    else if (segment.kind === 'variable') result += escape(variableText(segment.variable, context), segment.escaping);
    else result += escape(filterUrl(urlText(segment.parts, context)), segment.escaping);
    if (result.length > RENDERED_CHARS_MAX) {
      throw new ServiceError('payload_too_large', `The rendered content has more than ${RENDERED_CHARS_MAX} characters`);
    }
  }
  return result;
}

function urlText(parts: readonly (string | Variable)[], context: RenderContext): string {
  let url = '';
  for (const part of parts) url += typeof part === 'string' ? part : variableText(part, context);
  return url;
}

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

export function escape(text: string, escaping: Escaping): string {
  switch (escaping) {
    case 'none':
      return text;
    case 'html':
      return escapeHtml(text);
    case 'attribute':
      return escapeHtml(text).replace(/[\s`=/]/g, (character) => `&#${character.charCodeAt(0)};`);
  }
}

/** The text as HTML shows it, in an element or in a quoted attribute. */
export function escapeHtml(text: string): string {
  return /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ENTITIES[character] as string) : text;
}
