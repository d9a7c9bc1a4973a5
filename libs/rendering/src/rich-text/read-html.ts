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

  const flush = () => {
    if (pending !== '') visitor.text(pending);
    pending = '';
  };

  // Browsers also end comments with `--!>`, which the tokenizer does not support.
  tokenize(html.replaceAll('--!>', '--->'), {
    ontext(from, to) {
      pending += decodeEntities(html.slice(from, to), 'text');
    },
    onelement(name) {
      flush();
      element = name;
      attributes = {};
    },
    onattribute(name, from, to) {
      // Of duplicate attributes browsers use the first.
      if (!READ_ATTRIBUTES.has(name) || Object.hasOwn(attributes, name)) return;
      attributes = { ...attributes, [name]: decodeEntities(html.slice(from, to), 'attribute') };
    },
    onopentagend: () => visitor.open(element, attributes),
    onclosetag(from, to) {
      flush();
      visitor.close(html.slice(from, to).toLowerCase());
    },
    onend: flush,
  });
}
