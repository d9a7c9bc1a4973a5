import { Parser, Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { CompileCache } from './compile-cache';

const nothing = (): void => undefined;
const IGNORED: TokenizerCallbacks = {
  onattribdata: nothing,
  onattribend: nothing,
  onattribentity: nothing,
  onattribname: nothing,
  oncdata: nothing,
  onclosetag: nothing,
  oncomment: nothing,
  ondeclaration: nothing,
  onend: nothing,
  onopentagend: nothing,
  onopentagname: nothing,
  onprocessinginstruction: nothing,
  onselfclosingtag: nothing,
  ontext: nothing,
  ontextentity: nothing,
};

/** Reports the parts of any HTML mostly as browsers find them, by their offsets, in one pass. Entities are not decoded. */
export function tokenize(html: string, callbacks: Partial<TokenizerCallbacks>): void {
  const tokenizer = new Tokenizer({ decodeEntities: false }, Object.assign({}, IGNORED, callbacks));
  tokenizer.write(html);
  tokenizer.end();
}

/** In an attribute value `&copy=1` is not an entity, so parameters of addresses stay intact. */
type EntityContext = 'text' | 'attribute';

/** Includes the characters that end an entity without a semicolon. */
const ENTITY = /&(?:#[0-9a-z]+|[a-z][0-9a-z]*)[;=]?/gi;
const decoded = new CompileCache<string>(500, 20_000);
// eslint-disable-next-line no-control-regex -- matched on purpose
const CONTROL_CHARACTERS = /[\u0000-\u0009\u000b-\u001f]/g;

/** Decodes HTML text or an attribute value as browsers do. Control characters, which no channel shows, become spaces. */
export function decodeEntities(html: string, context: EntityContext): string {
  if (!html.includes('&')) return html;
  return html.replace(ENTITY, (entity) => decoded.getOrMake(`${context}${entity}`, () => decodeEntity(entity, context)));
}

function decodeEntity(entity: string, context: EntityContext) {
  let text = '';
  const parser = new Parser({ ontext: (part) => (text += part), onattribute: (_, value) => (text = value) });
  parser.end(context === 'text' ? entity : `<a b="${entity}">`);
  return text.replace(CONTROL_CHARACTERS, ' ');
}
