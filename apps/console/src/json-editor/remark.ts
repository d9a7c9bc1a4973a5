/** A remark on a JSON text: of its syntax, or of the gateway, which names an element or a variable. */
export interface Remark {
  severity: 'error' | 'warning';
  message: string;
}

/** A path in a sentence: `content.elements[1].align is none of …`, `message.to must name …`. */
const PATH = /(?:^|[^\w.])((?:message|notification|content|elements)(?:\.[\w$-]+|\[\d+\])+)/;
/** Fields around the text in the body that a sentence is about. */
const AROUND = ['notification', 'content'];
const VARIABLE = /^Variable not found: (\S+)/;

/** The keys from the text to what a sentence names: `['elements', 1, 'align']`; `undefined` where it names nothing. */
export function pathIn(message: string): (string | number)[] | undefined {
  const keys = PATH.exec(message)?.[1]?.match(/[\w$-]+/g);
  const first = keys?.findIndex((key) => !AROUND.includes(key));
  return keys?.slice(first).map((key) => (/^\d+$/.test(key) ? Number(key) : key));
}

/** Where a text shows the variable that a sentence names: `{order}` or `{{order}}`. */
export function variableIn(message: string, text: string): { from: number; to: number } | undefined {
  const name = VARIABLE.exec(message)?.[1];
  if (name === undefined) return undefined;
  const shown = new RegExp(`\\{[^{}]*?(?<![\\w.])${escaped(name)}(?![\\w.])[^{}]*\\}`).exec(text);
  return shown ? { from: shown.index, to: shown.index + shown[0].length } : undefined;
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
