import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { EmailOutput } from '@tidings/contracts/messaging/channel-outputs';
import { oneLine } from './one-line';
import { htmlToFormat } from './rich-text/html-to-format';
import { PLAIN } from './rich-text/text-format';
import { type RenderScope, type Values, warn } from './scope';
import { type CompiledText, compileText, renderText } from './text/template-text';
import { addressesFor, type Utm } from './urls';
import { secureAddresses } from './email/address-pass';
import { compileMjml, sentenceOf, textOfMjml } from './email/mjml';
import type { RenderBudget } from './render-budget';

/**
 * Fills in `{subject, html, text, transformers}`; a missing text part is derived from the HTML. With the transformer `mjml` the HTML is
 * MJML, converted once and cached.
 */
export function renderRawEmail(raw: Values, scope: RenderScope, utm: Utm | undefined): EmailOutput {
  const { subject, text } = raw;
  const template = rawEmailTemplate(raw, scope.budget);
  const html = template ? secureAddresses(template(scope), utm) : '';
  if (template && isMjml(raw))
    for (const element of compileMjml(raw.html as string, scope.budget).unknown) warn(scope, `raw.html: ${sentenceOf(element)}`);
  return {
    subject: typeof subject === 'string' ? oneLine(renderText(subject, scope)) : '',
    html,
    text: typeof text === 'string' ? renderText(text, scope) : htmlToFormat(html, PLAIN, addressesFor('email', utm)),
  };
}

/**
 * The HTML of `{html, transformers}` as a template; undefined without HTML. Throws `invalid_request` for invalid MJML or
 * Handlebars.
 */
export function rawEmailTemplate(raw: Values, budget?: RenderBudget): CompiledText | undefined {
  const { html } = raw;
  if (typeof html !== 'string' || html === '') return undefined;
  return isMjml(raw) ? textOfMjml(html, budget) : compileText(html, 'attribute', budget);
}

/** Whether the transformers contain `mjml`: the HTML is MJML. */
export function isMjml({ transformers }: Values): boolean {
  return Array.isArray(transformers) && transformers.includes('mjml');
}

/** Any JSON with variables filled into its strings, as it is passed to a channel. */
export function renderRaw(value: unknown, scope: RenderScope): unknown {
  if (typeof value === 'string') return renderText(value, scope);
  if (Array.isArray(value)) return value.map((item) => renderRaw(item, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderRaw(item, scope)]));
}
