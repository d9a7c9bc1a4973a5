import { Tokenizer } from 'htmlparser2';
import { LruCache } from './lru-cache';

/** In the value of an attribute `&copy=1` is no entity, so that addresses keep their parameters. */
type EntityContext = 'text' | 'attribute';

/** With all characters that decide where an entity without a semicolon ends. */
const ENTITY = /&(?:#[0-9a-z]+|[a-z][0-9a-z]*)[;=]?/gi;
const ENTITIES_CACHED = 500;
const decoded = new LruCache<string>(ENTITIES_CACHED, 20_000);

/** HTML's text, or the value of an attribute, as browsers read it. Control characters, which no channel shows, are spaces. */
export function decodeEntities(html: string, context: EntityContext): string {
  if (!html.includes('&')) return html;
  return html.replace(ENTITY, (entity) => decoded.get(`${context}${entity}`, () => decodeEntity(entity, context)));
}

function decodeEntity(entity: string, context: EntityContext): string {
  const html = context === 'text' ? entity : `<a b="${entity}">`;
  let text = '';
  const data = (from: number, to: number): void => void (text += html.slice(from, to));
  const character = (point: number): void => void (text += point < 32 && point !== 10 ? ' ' : String.fromCodePoint(point));
  const nothing = (): void => undefined;
  const tokenizer = new Tokenizer(
    {},
    {
      ontext: data,
      ontextentity: character,
      onattribdata: data,
      onattribentity: character,
      onopentagname: nothing,
      onattribname: nothing,
      onattribend: nothing,
      onopentagend: nothing,
      onselfclosingtag: nothing,
      onclosetag: nothing,
      oncomment: nothing,
      oncdata: nothing,
      ondeclaration: nothing,
      onprocessinginstruction: nothing,
      onend: nothing,
    },
  );
  tokenizer.write(html);
  tokenizer.end();
  return text;
}
