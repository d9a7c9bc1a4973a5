import { decodeEntities, tokenize } from '../html';

/** Receives tags and texts in document order. Names are lower case. */
interface HtmlVisitor {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Text between two tags, decoded. */
  text(text: string): void;
}

/** Decoded attributes used for text output. */
export type Attributes = Readonly<Partial<Record<'href' | 'src' | 'alt' | 'start', string>>>;

const READ_ATTRIBUTES = new Set(['href', 'src', 'alt', 'start']);

/** Reports tags and text of any HTML as browsers find them, in one pass; comments and declarations are left out. */
export function readHtml(html: string, visitor: HtmlVisitor): void {
  if (!/[<&]/.test(html)) {
    if (html !== '') visitor.text(html);
    return;
  }
  let pending = '';
  let element = '';
  let attributes: Attributes = {};
  let attribute = '';
  let start = 0;
  let end = 0;

  const flush = () => {
    if (pending !== '') visitor.text(pending);
    pending = '';
  };
  const endOfTag = () => visitor.open(element, attributes);

  // Browsers also end comments with `--!>`, which the tokenizer does not support.
  tokenize(html.replaceAll('--!>', '--->'), {
    ontext(from, to) {
      pending += decodeEntities(html.slice(from, to), 'text');
    },
    onopentagname(from, to) {
      flush();
      element = html.slice(from, to).toLowerCase();
      attributes = {};
    },
    onattribname(from, to) {
      attribute = html.slice(from, to).toLowerCase();
      start = end = to;
    },
    onattribdata(from, to) {
      start = from;
      end = to;
    },
    onattribend() {
      // Of duplicate attributes browsers use the first.
      if (!READ_ATTRIBUTES.has(attribute) || Object.hasOwn(attributes, attribute)) return;
      attributes = { ...attributes, [attribute]: decodeEntities(html.slice(start, end), 'attribute') };
    },
    onopentagend: endOfTag,
    onselfclosingtag: endOfTag,
    onclosetag(from, to) {
      flush();
      visitor.close(html.slice(from, to).toLowerCase());
    },
    onend: flush,
  });
}
