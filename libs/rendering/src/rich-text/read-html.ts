import { decodeEntities, tokenize } from '../html';

/** Receives tags and texts in document order. Names are lower case. */
export interface HtmlVisitor {
  open(name: string, attributes: Attributes): void;
  close(name: string): void;
  /** Text between two tags, decoded. */
  text(text: string): void;
}

/** Decoded attributes used for text output. */
export type Attributes = Readonly<Partial<Record<ReadAttribute, string>>>;
type ReadAttribute = 'href' | 'src' | 'alt' | 'start';

const READ_ATTRIBUTES = new Set<string>(['href', 'src', 'alt', 'start'] satisfies ReadAttribute[]);
const NONE: Attributes = {};

/** Reports tags and text of any HTML as browsers find them, in one pass; comments and declarations are left out. */
export function readHtml(html: string, visitor: HtmlVisitor): void {
  if (!/[<&]/.test(html)) {
    if (html !== '') visitor.text(html);
    return;
  }
  let pending = '';
  let element = '';
  let attributes = NONE;
  let attribute: ReadAttribute | undefined;
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
      attributes = NONE;
    },
    onattribname(from, to) {
      const name = html.slice(from, to).toLowerCase();
      // Of duplicate attributes browsers use the first.
      attribute = READ_ATTRIBUTES.has(name) && !Object.hasOwn(attributes, name) ? (name as ReadAttribute) : undefined;
      start = end = to;
    },
    onattribdata(from, to) {
      start = from;
      end = to;
    },
    onattribend() {
      if (attribute) attributes = { ...attributes, [attribute]: decodeEntities(html.slice(start, end), 'attribute') };
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
