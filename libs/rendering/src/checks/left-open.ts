import { invalid } from '@tidings/contracts/core/refusals';
import { tokenize } from '../html';
import { maskedParts } from '../rich-text/template-marks';
import { lineAt } from '../text/template-bounds';

const NAME_CHARS_MAX = 30;
/** A tag appended to the HTML; the tokenizer reports it unless an unclosed construct hides it. */
const PROBE = '<p>';

/**
 * Refuses a part of a mail that hides the content after it: an unclosed comment, `<style>` or similar element, or tag.
 * @param isConditionEndedLater whether later content ends an Outlook condition: `<!--[if mso]>` here and `<![endif]-->` there.
 * @param source of the HTML; errors name its lines.
 * @throws ServiceError `invalid_request` that names the line.
 */
export function assertNothingLeftOpen(html: string, isConditionEndedLater?: () => boolean, source = html): void {
  if (!html.includes('<')) return;
  const open = leftOpen(html);
  if (!open || (html.startsWith('<!--[if', open.at) && isConditionEndedLater?.())) return;
  const at = source === html ? open.at : source.lastIndexOf(html.slice(open.at).split('\n', 1)[0] ?? '');
  const line = at < 0 ? '' : `line ${lineAt(source, at)}: `;
  throw invalid(`${line}${open.name} is not closed; content after it would not be shown`);
}

/** The unclosed construct at the end that hides all content after it. Finds tags as browsers do; template parts are masked. */
function leftOpen(html: string) {
  // `--!>` also ends a comment, which the tokenizer does not support.
  const text = maskedParts(html).replaceAll('--!>', '--->');
  /** Where it starts, and its name: `the comment <!--`, `<style>`, `the tag <a`. */
  let last: { readonly at: number; readonly name: string } | undefined;
  let isProbeSeen = false;
  const tag = (from: number, to: number) => {
    if (from > text.length) isProbeSeen = true;
    else last = { at: from - 1, name: `the tag <${html.slice(from, Math.min(to, from + NAME_CHARS_MAX))}` };
  };
  /** From here on only the element's own end tag can end its text. */
  const endOfTag = (at: number) => {
    if (last && at < text.length) last = { ...last, name: last.name.replace('the tag ', '').concat('>') };
  };
  tokenize(text + PROBE, {
    onopentagname: tag,
    onopentagend: endOfTag,
    onselfclosingtag: endOfTag,
    oncomment: (from) => (last = { at: from - 4, name: 'the comment <!--' }),
  });
  return isProbeSeen ? undefined : last;
}
