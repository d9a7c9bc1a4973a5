import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { addressesFor } from './channels/addresses';
import { htmlToFormat } from './rich-text/html-to-format';
import { PLAIN } from './rich-text/text-format';
import type { RenderScope } from './scope';
import { compileText } from './text/template-text';
import { LruCache } from './lru-cache';
import type { Utm } from './urls';
import { secureAddresses } from './email/address-pass';
import { mjmlToHtml } from './email/mjml';

/** An e-mail as its author wrote it; whatever is missing is made of the rest. */
export interface RawEmail {
  readonly subject?: string;
  readonly html: string;
  readonly text: string;
}

const SOURCES_KEPT = 500;
const SOURCE_CHARS_KEPT = 16_000_000;
const converted = new LruCache<string>(SOURCES_KEPT, SOURCE_CHARS_KEPT);

/** Fills in `{subject, html, text, transformers}`. With the transformer `mjml` the HTML is MJML, converted once and kept. */
export function renderRawEmail(raw: Readonly<Record<string, unknown>>, scope: RenderScope, utm: Utm | undefined): RawEmail {
  const { subject, html, text, transformers } = raw;
  const usesMjml = Array.isArray(transformers) && transformers.includes('mjml');
  const source = typeof html === 'string' ? html : '';
  const template = usesMjml && source ? converted.get(source, () => mjmlToHtml(source)) : source;
  const filledIn = template && secureAddresses(compileText(template, { escape: 'attribute' }).render(scope), utm);
  return {
    subject: typeof subject === 'string' ? compileText(subject, { escape: 'none' }).render(scope) : undefined,
    html: filledIn,
    text:
      typeof text === 'string'
        ? compileText(text, { escape: 'none' }).render(scope)
        : htmlToFormat(filledIn, PLAIN, addressesFor('email', utm)),
  };
}

/** Any JSON with its texts filled in: what a channel is given as it stands. */
export function renderRaw(value: unknown, scope: RenderScope): unknown {
  if (typeof value === 'string') return value.includes('{') ? compileText(value, { escape: 'none' }).render(scope) : value;
  if (Array.isArray(value)) return value.map((item) => renderRaw(item, scope));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, renderRaw(item, scope)]));
}
