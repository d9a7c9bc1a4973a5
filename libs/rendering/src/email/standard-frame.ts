import { colorOf } from '../elemental/style-values';
import { markdownToHtml } from '../rich-text/markdown-html';
import { escapeHtml } from '../text/escaping';
import type { BrandParts } from './brand';
import { SLOTS } from './frame-slots';
import type { EmailStyles } from './email-styles';

const TABLE = '<table role="presentation" cellpadding="0" cellspacing="0" border="0"';
const LOGO_WIDTH = 140;
const BAR_HEIGHT = 6;

/** The document around an e-mail's blocks as a template, with the brand's parts or its own HTML in their places. */
export function standardFrame(brand: BrandParts | null, styles: EmailStyles): string {
  const { theme, parts } = styles;
  const override = brand?.override;
  const header = override ? (override.header ?? '') : standardHeader(brand, styles);
  const footer = override ? (override.footer ?? '') : standardFooter(brand, styles);
  // A brand's own header and footer have their own paddings.
  const padded = override ? '' : ' c--padded';
  const footerGround = colorOf(override?.footerBackgroundColor);
  const footerRow =
    footer &&
    `<tr><td class="c--email-footer${padded}" style="${override ? '' : parts.footer}${footerGround ? `background-color:${footerGround};` : ''}">\n${footer}\n</td></tr>\n`;
  const isWide = override?.footerFullWidth === true;
  return (
    `<!doctype html>\n<html ${SLOTS.language} xmlns:v="urn:schemas-microsoft-com:vml" xmlns:o="urn:schemas-microsoft-com:office:office">\n<head>\n` +
    '<meta charset="utf-8">\n<meta name="viewport" content="width=device-width,initial-scale=1">\n' +
    '<meta name="x-apple-disable-message-reformatting">\n<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">\n' +
    '<meta name="color-scheme" content="light">\n<meta name="supported-color-schemes" content="light">\n' +
    `<title>${SLOTS.subject}</title>\n` +
    '<!--[if mso]><xml><o:OfficeDocumentSettings><o:PixelsPerInch>96</o:PixelsPerInch></o:OfficeDocumentSettings></xml><![endif]-->\n' +
    `<style>${SMALL_SCREENS}</style>\n${(override ? override.head : brand?.head) ?? ''}\n</head>\n` +
    `<body class="c--email-body" style="${parts.body}">\n${SLOTS.preheader}` +
    `${TABLE} width="100%" bgcolor="${theme.ground}" style="width:100%;background-color:${theme.ground};">\n<tr><td class="c--ground" align="center" style="padding:24px 12px;">\n` +
    `<!--[if mso]>${TABLE} width="${theme.width}"><tr><td><![endif]-->\n` +
    `${TABLE} width="100%" style="width:100%;max-width:${theme.width}px;">\n` +
    (header &&
      `<tr><td class="c--email-header${padded}" style="${override ? '' : parts.header}${bar(override ? undefined : theme.barColor)}">\n${header}\n</td></tr>\n`) +
    `<tr><td class="c--blocks c--padded" bgcolor="${theme.surface}" style="${parts.blocks}${header ? '' : bar(override ? undefined : theme.barColor)}">\n${SLOTS.blocks}</td></tr>\n` +
    (isWide ? '' : footerRow) +
    '</table>\n<!--[if mso]></td></tr></table><![endif]-->\n</td></tr>\n' +
    (isWide ? footerRow : '') +
    '</table>\n</body>\n</html>\n'
  );
}

/** What a phone is told beside the styles in place, where it listens. */
export const SMALL_SCREENS =
  '@media (max-width:480px){.c--padded{padding-left:20px!important;padding-right:20px!important}' +
  '.c--ground{padding:0!important}.c--column{max-width:100%!important}.c--column-cell{padding-left:0!important;padding-right:0!important}}';

function bar(color: string | undefined): string {
  return color ? `border-top:${BAR_HEIGHT}px solid ${color};` : '';
}

function standardHeader(brand: BrandParts | null, { elements }: EmailStyles): string {
  if (!brand?.logo) return '';
  const { image, href } = brand.logo;
  const logo = `<img src="${escapeHtml(image)}" width="${LOGO_WIDTH}" alt="${escapeHtml(brand.name)}" style="${elements.img}display:block;width:${LOGO_WIDTH}px;height:auto;font-weight:bold;">`;
  return href ? `<a href="${escapeHtml(href)}" target="_blank">${logo}</a>` : logo;
}

function standardFooter(brand: BrandParts | null, { elements, parts }: EmailStyles): string {
  if (!brand) return '';
  const small = { ...elements, p: `${elements.p}margin:0 0 8px;` };
  const text = brand.footer ? markdownToHtml(brand.footer, small).html : '';
  const link = ({ name, url }: BrandParts['social'][number]) =>
    `<a href="${escapeHtml(url)}" target="_blank" style="${elements.a}">${name}</a>`;
  const social = brand.social.map(link).join(' &nbsp;·&nbsp; ');
  return text + (social && `<div class="c--social" style="${parts.social}">${social}</div>`);
}
