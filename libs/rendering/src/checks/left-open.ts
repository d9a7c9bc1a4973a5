import { Tokenizer } from 'htmlparser2';
import { invalid } from '@tidings/contracts/core/refusals';
import { maskedParts } from '../rich-text/template-marks';

/** What HTML, or MJML, leaves open at its end in such a way that all that is put behind it is taken in, and not shown. */
interface LeftOpen {
  /** Where it begins. */
  readonly at: number;
  /** `the comment <!--`, `<style>`, `the tag <a` */
  readonly name: string;
}

const NAME_CHARS_MAX = 30;
/** A tag put behind the HTML, which is seen where nothing takes it in. */
const PROBE = '<p>';

/** What a part of a mail stands in. */
interface Surroundings {
  /** Whether what comes behind it ends an Outlook condition, `<!--[if mso]>` here and `<![endif]-->` there. */
  readonly isConditionEndedLater?: () => boolean;
  /** What the HTML was made of, whose lines are told. */
  readonly source?: string;
}

/**
 * Refuses a part of a mail that hides what comes behind it: a comment, a `<style>` or the like, or a tag that it does not close.
 * @throws ServiceError `invalid_request` that names the line.
 */
export function assertNothingLeftOpen(html: string, { isConditionEndedLater, source = html }: Surroundings = {}): void {
  if (!html.includes('<')) return;
  const open = leftOpen(html);
  if (!open || (html.startsWith('<!--[if', open.at) && isConditionEndedLater?.())) return;
  const at = source === html ? open.at : source.lastIndexOf(html.slice(open.at).split('\n', 1)[0] ?? '');
  const line = at < 0 ? '' : `line ${source.slice(0, at).split('\n').length}: `;
  throw invalid(`${line}${open.name} is not closed; what comes behind it would not be shown`);
}

/** Reads tags as browsers do. Template parts are no tags, whatever is written in them. */
function leftOpen(html: string): LeftOpen | undefined {
  // `--!>` ends a comment too, which the tokenizer does not know.
  const text = maskedParts(html).replaceAll('--!>', '--->');
  let last: LeftOpen | undefined;
  let isProbeSeen = false;
  const tag = (from: number, to: number): void => {
    if (from > text.length) isProbeSeen = true;
    else last = { at: from - 1, name: `the tag <${html.slice(from, Math.min(to, from + NAME_CHARS_MAX))}` };
  };
  /** What is open from here on is its text, which nothing ends but its own end. */
  const endOfTag = (at: number): void => {
    if (last && at < text.length) last = { ...last, name: last.name.replace('the tag ', '').concat('>') };
  };
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    { decodeEntities: false },
    {
      onopentagname: tag,
      onclosetag: nothing,
      onopentagend: endOfTag,
      onselfclosingtag: endOfTag,
      oncomment: (from) => {
        last = { at: from - 4, name: 'the comment <!--' };
      },
      oncdata: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onattribname: nothing,
      onattribdata: nothing,
      onattribend: nothing,
      onattribentity: nothing,
      ontext: nothing,
      ontextentity: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(text);
  tokenizer.write(PROBE);
  tokenizer.end();
  return isProbeSeen ? undefined : last;
}
