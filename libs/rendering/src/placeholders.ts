import type { Escaping, Segment } from './compiled-text';
import { parseVariables, type Variable } from './variables';

// Noncharacters: no text may hold them, and Markdown sees in them an ordinary letter.
const OPEN = '\ufdd0';
const CLOSE = '\ufdd1';
const MARK = /\ufdd0([var])(\d+)\ufdd1/g;
const ANY_MARK = /[\ufdd0\ufdd1]/g;

/**
 * Stands in for the variables of one text while Markdown is parsed, so a value is never read as Markdown: what is filled in
 * later is text, whatever it contains.
 */
export class Placeholders {
  private readonly variables: Variable[] = [];
  private readonly indexes = new Map<string, number>();
  private readonly addresses: (readonly (string | Variable)[])[] = [];

  /** The text with a mark in the place of every variable. */
  mark(text: string): string {
    let marked = '';
    for (const part of parseVariables(text.replace(ANY_MARK, '\ufffd'))) {
      marked += typeof part === 'string' ? part : `${OPEN}v${this.indexOf(part)}${CLOSE}`;
    }
    return marked;
  }

  has(text: string): boolean {
    return text.includes(OPEN);
  }

  /** Keeps a whole address together, so it can be judged once it is filled in. */
  markAddress(address: string): string {
    this.addresses.push(this.split(address));
    return `${OPEN}a${this.addresses.length - 1}${CLOSE}`;
  }

  /** The address behind the mark of `markAddress`, variables marked; undefined for other text. */
  markedAddress(mark: string): string | undefined {
    if (!mark.startsWith(`${OPEN}a`)) return undefined;
    const parts = this.addresses[Number(mark.slice(2, -1))];
    return parts?.map((part) => (typeof part === 'string' ? part : `${OPEN}v${this.indexOf(part)}${CLOSE}`)).join('');
  }

  /** Says of the variables in a text that they stand in raw HTML. */
  asRaw(text: string): string {
    return text.replaceAll(`${OPEN}v`, `${OPEN}r`);
  }

  /** The segments of a text with marks. */
  compile(text: string, escaping: Escaping): Segment[] {
    const segments: Segment[] = [];
    let literalStart = 0;
    for (const found of text.matchAll(MARK)) {
      const segment = this.segment(found[1] as string, Number(found[2]), escaping);
      if (!segment) continue;
      if (found.index > literalStart) segments.push(text.slice(literalStart, found.index));
      literalStart = found.index + found[0].length;
      segments.push(segment);
    }
    if (literalStart < text.length) segments.push(text.slice(literalStart));
    return segments;
  }

  /** Undefined for a mark we did not make. */
  private segment(kind: string, index: number, escaping: Escaping): Segment | undefined {
    if (kind === 'a') {
      const parts = this.addresses[index];
      return parts && { kind: 'url', parts, escaping };
    }
    const variable = this.variables[index];
    return variable && { kind: 'variable', variable, escaping: kind === 'r' ? 'attribute' : escaping };
  }

  private split(text: string): (string | Variable)[] {
    return this.compile(text, 'none').map((segment) => {
      if (typeof segment === 'string') return segment;
      return segment.kind === 'variable' ? segment.variable : '';
    });
  }

  /** The same variable has the same mark everywhere. */
  private indexOf(variable: Variable): number {
    const known = this.indexes.get(variable.source);
    if (known !== undefined) return known;
    this.indexes.set(variable.source, this.variables.length);
    return this.variables.push(variable) - 1;
  }
}
