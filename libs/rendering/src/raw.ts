import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { htmlToFormat } from './rich-text/html-to-format';
import { PLAIN } from './rich-text/text-format';
import { type RenderScope, warn } from './scope';
import { type CompiledText, compileText } from './text/template-text';
import { addressesFor, type Utm } from './urls';
import { secureAddresses } from './email/address-pass';
import { readMjml, sentenceOf, textOfMjml } from './email/mjml';
import type { RenderBudget } from './render-budget';

/** A raw e-mail of its author; a missing text part is derived from the HTML. */
interface RawEmail {
  readonly subject?: string;
  readonly html: string;
  readonly text: string;
}

/** Fills in `{subject, html, text, transformers}`. With the transformer `mjml` the HTML is MJML, converted once and cached. */
export function renderRawEmail(raw: Readonly<Record<string, unknown>>, scope: RenderScope, utm: Utm | undefined): RawEmail {
  const { subject, text } = raw;
  const template = rawEmailTemplate(raw, scope.budget);
  const filledIn = template ? secureAddresses(template.render(scope), utm) : '';
  const { budget } = scope;
  if (template && isMjml(raw))
    for (const element of readMjml(raw.html as string, budget).unknown) warn(scope, `raw.html: ${sentenceOf(element)}`);
  return {
    subject: typeof subject === 'string' ? compileText(subject, { escape: 'none', budget }).render(scope) : undefined,
    html: filledIn,
    text:
      typeof text === 'string'
        ? compileText(text, { escape: 'none', budget }).render(scope)
        : htmlToFormat(filledIn, PLAIN, addressesFor('email', utm)),
  };
}

/**
 * The HTML of `{html, transformers}` as a template; undefined without HTML. Throws `invalid_request` for invalid MJML or
 * Handlebars.
 */
export function rawEmailTemplate(raw: Readonly<Record<string, unknown>>, budget?: RenderBudget): CompiledText | undefined {
  const { html } = raw;
  if (typeof html !== 'string' || html === '') return undefined;
  return isMjml(raw) ? textOfMjml(html, budget) : compileText(html, { escape: 'attribute', budget });
}

/** Whether the transformers contain `mjml`: the HTML is MJML. */
export function isMjml({ transformers }: Readonly<Record<string, unknown>>): boolean {
  return Array.isArray(transformers) && transformers.includes('mjml');
}

/** Any JSON with variables filled into its strings, as it is passed to a channel. */
export function renderRaw(value: unknown, scope: RenderScope): unknown {
  const { budget } = scope;
  if (typeof value === 'string') return value.includes('{') ? compileText(value, { escape: 'none', budget }).render(scope) : value;
  if (Array.isArray(value)) return value.map((item) => renderRaw(item, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderRaw(item, scope)]));
}
