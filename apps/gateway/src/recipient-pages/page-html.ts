import type { PageBrand } from '@tidings/contracts/content/recipient-pages';
import type { PageTopic, PreferencePage } from '@tidings/contracts/identity/recipient-choices';
import { languageOf } from '@tidings/rendering/elemental/locale';
import { contrastOf } from '@tidings/rendering/elemental/style-values';
import { escapeHtml } from '../pages/html';
import type { TranslateText } from './page-texts';
import { CHANNEL_TEXTS } from './translated-texts';

/** The language and the brand of a page. */
export interface PageStyle {
  readonly locale: string;
  readonly translate: TranslateText;
  readonly brand: PageBrand | null;
  /** Allows the style of this answer, and no other (Content-Security-Policy). */
  readonly nonce: string;
}

/** Names of the fields of the preference form. Values are ids of topics; of a channel `topic channel`, of offers `topic count`. */
export const FIELDS = { shown: 'topic', optedIn: 'in', offered: 'offered', channel: 'channel' } as const;

const DEFAULT_COLOR = '#1d4ed8';
const BACKGROUND = '#ffffff';
/** What running text needs (WCAG, level AA). Of white and black letters one always has it, as their contrasts multiply to 21. */
const CONTRAST_MIN = 4.5;

/** A complete page. `title` is text, `body` HTML below the heading. */
export function pageHtml({ locale, brand, nonce }: PageStyle, title: string, body: string): string {
  const { tag, direction } = languageOf(locale);
  const of = brand?.name ? ` · ${brand.name}` : '';
  return `<!doctype html><html lang="${escapeHtml(tag)}" dir="${direction}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="robots" content="noindex"><title>${escapeHtml(title)}${escapeHtml(of)}</title><style nonce="${nonce}">${styleOf(brand)}</style></head>
<body>
${headerHtml(brand)}
<main>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
${footerHtml(brand)}
</body></html>
`;
}

/** Paragraphs of text, one for each that is not empty. */
export function paragraphs(...texts: readonly (string | undefined)[]): string {
  return texts.map((text) => (text ? `<p>${escapeHtml(text)}</p>` : '')).join('');
}

/** A message about what was done, which screen readers read at once. */
export function statusHtml(text: string): string {
  return `<p role="status" class="done">${escapeHtml(text)}</p>`;
}

/** A form of one button that posts to the page itself. */
export function buttonForm(label: string): string {
  return `<form method="post"><button type="submit">${escapeHtml(label)}</button></form>`;
}

export function linkHtml(href: string, text: string): string {
  return `<p><a href="${escapeHtml(href)}">${escapeHtml(text)}</a></p>`;
}

/** The form with every topic, by section. */
export function preferenceForm({ sections }: Pick<PreferencePage, 'sections'>, translate: TranslateText): string {
  if (sections.length === 0) return paragraphs(translate('There is nothing to choose from.'));
  const parts = sections.map(({ name, description, topics }, section) => {
    const rows = topics.map((topic, index) => topicHtml(topic, `t${section}-${index}`, translate));
    return `<section aria-labelledby="s${section}"><h2 id="s${section}">${escapeHtml(translate(name))}</h2>
${paragraphs(description && translate(description))}
${rows.join('\n')}</section>`;
  });
  return `<form method="post">
${parts.join('\n')}
<button type="submit">${escapeHtml(translate('Save'))}</button></form>`;
}

function topicHtml(topic: PageTopic, id: string, translate: TranslateText) {
  const { topic_id, topic_name, status, description } = topic;
  const isRequired = status === 'REQUIRED';
  const value = escapeHtml(topic_id);
  const state = `${status === 'OPTED_OUT' ? '' : ' checked'}${isRequired ? ' disabled' : ''}`;
  const described = description ? ` aria-describedby="${id}-about"` : '';
  return `<div class="topic"><input type="hidden" name="${FIELDS.shown}" value="${value}">
<input type="checkbox" id="${id}" name="${FIELDS.optedIn}" value="${value}"${state}${described}>
<label id="${id}-name" for="${id}">${escapeHtml(translate(topic_name))}${isRequired ? ` <small>(${escapeHtml(translate('Required'))})</small>` : ''}</label>
${description ? `<p id="${id}-about">${escapeHtml(translate(description))}</p>` : ''}${channelsHtml(topic, id, translate)}</div>`;
}

function channelsHtml({ topic_id, channels, has_custom_routing, custom_routing }: PageTopic, id: string, translate: TranslateText) {
  if (channels.length === 0) return '';
  const topic = escapeHtml(topic_id);
  const boxes = channels.map((channel) => {
    const isChosen = !has_custom_routing || custom_routing.includes(channel);
    const box = `<input type="checkbox" id="${id}-${channel}" name="${FIELDS.channel}" value="${topic} ${channel}"${isChosen ? ' checked' : ''}>`;
    return `<span>${box} <label for="${id}-${channel}">${escapeHtml(translate(CHANNEL_TEXTS[channel]))}</label></span>`;
  });
  return `<fieldset aria-labelledby="${id}-name ${id}-by"><legend id="${id}-by">${escapeHtml(translate('By which channels?'))}</legend>
<input type="hidden" name="${FIELDS.offered}" value="${topic} ${channels.length}">${boxes.join('\n')}</fieldset>`;
}

function headerHtml(brand: PageBrand | null) {
  if (!brand || (!brand.logo && !brand.name)) return '';
  const { logo, name } = brand;
  const shown = logo ? `<img src="${escapeHtml(logo.image)}" alt="${escapeHtml(name)}">` : escapeHtml(name);
  // Without a name the link would have none for screen readers.
  return `<header>${logo?.href === undefined || !name ? shown : `<a href="${escapeHtml(logo.href)}" rel="noopener noreferrer">${shown}</a>`}</header>`;
}

/** The footer is sanitised by content, which made it. */
function footerHtml(brand: PageBrand | null) {
  if (!brand || (!brand.footer && brand.social.length === 0)) return '';
  const links = brand.social.map(
    ({ name, url }) => `<li><a href="${escapeHtml(url)}" rel="noopener noreferrer">${escapeHtml(name)}</a></li>`,
  );
  return `<footer>${brand.footer}${links.length > 0 ? `<ul>${links.join('')}</ul>` : ''}</footer>`;
}

/** Colours of buttons and links. Those of brands are checked by content: they are safe in CSS. */
function paletteOf(primary = DEFAULT_COLOR): Record<'button' | 'letters' | 'link', string> {
  const contrast = contrastOf(primary, BACKGROUND);
  if (contrast === undefined) return paletteOf();
  const isDark = contrast >= CONTRAST_MIN;
  return { button: primary, letters: isDark ? '#ffffff' : '#000000', link: isDark ? primary : DEFAULT_COLOR };
}

/** A box and its label are one inline block: in a page from right to left a Latin label would else stand beside the next box. */
function styleOf(brand: PageBrand | null) {
  const { button, letters, link } = paletteOf(brand?.primary);
  return `body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:0 auto;padding:1.5rem 1rem;color:#18181b;background:${BACKGROUND};overflow-wrap:anywhere}
header{margin-bottom:1.5rem;font-weight:600}header img{max-width:12rem;max-height:5rem}h1{font-size:1.5rem;line-height:1.25}h2{font-size:1.125rem}
a{color:${link}}button{font:inherit;font-weight:600;padding:.6rem 1.2rem;border:2px solid #18181b;border-radius:.375rem;
background:${button};color:${letters};cursor:pointer}:focus-visible{outline:3px solid #18181b;outline-offset:2px}
.done{border-inline-start:4px solid #15803d;padding:.5rem .75rem;background:#f0fdf4}.topic{margin:.75rem 0}.topic p{margin:0;margin-inline-start:1.75rem}
input{width:1.1rem;height:1.1rem;vertical-align:middle}fieldset{border:0;margin:.25rem 0 0;margin-inline-start:1.25rem;padding:.25rem .5rem}
fieldset span{display:inline-block;margin-inline-end:1rem}
footer{margin-top:3rem;border-top:1px solid #71717a;padding-top:1rem;font-size:.875rem}footer ul{list-style:none;padding:0}footer img{max-width:100%}`;
}
