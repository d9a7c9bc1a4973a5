import Handlebars from 'handlebars';
import { notClosed } from './not-closed';
import { assertReadable, templateError } from './template-bounds';

/** A node of Handlebars' syntax tree. Its kinds are unions here, so that a check of `type` narrows them. */
interface Node<Type extends string> {
  readonly type: Type;
  readonly loc: hbs.AST.SourceLocation;
}

/** Arguments of a call, by position and by name. */
interface Arguments {
  readonly params: readonly Expression[];
  readonly hash?: { readonly pairs: readonly { readonly key: string; readonly value: Expression }[] };
}

/** A template, or the inside of a block. */
export interface Program extends Node<'Program'> {
  readonly body: Statement[];
  readonly blockParams: string[];
}

/** `{{name}}`. */
export interface Mustache extends Node<'MustacheStatement'>, Arguments {
  readonly path: Path | Literal;
}

/** `{{#name}}…{{else}}…{{/name}}`. */
export interface Block extends Node<'BlockStatement'>, Arguments {
  readonly path: Path;
  readonly program?: Program;
  readonly inverse?: Program;
}

/** `{{#*inline "name"}}`. */
interface Inline extends Node<'DecoratorBlock'>, Arguments {
  readonly path: Path;
  readonly program: Program;
}

/** `{{> name}}`. */
interface PartialStatement extends Node<'PartialStatement'>, Arguments {
  readonly name: Path | SubExpression;
  readonly indent: string;
}

/** `{{#> name}}…{{/name}}`. */
interface PartialBlock extends Node<'PartialBlockStatement'>, Arguments {
  readonly name: Path | SubExpression;
  readonly program: Program;
}

export type PartialCall = PartialStatement | PartialBlock;
export type Statement =
  | (Node<'ContentStatement'> & { readonly value: string })
  | Mustache
  | Block
  | Inline
  | PartialCall
  | Node<'CommentStatement' | 'Decorator'>;

export interface SubExpression extends Node<'SubExpression'>, Arguments {
  readonly path: Path | Literal;
}

export interface Path extends Node<'PathExpression'> {
  /** `@index`. */
  readonly data: boolean;
  /** How often `../` stands before the path. */
  readonly depth: number;
  readonly parts: readonly string[];
  readonly original: string;
}

interface Literal extends Node<'StringLiteral' | 'NumberLiteral' | 'BooleanLiteral' | 'NullLiteral' | 'UndefinedLiteral'> {
  readonly value: string | number | boolean | null | undefined;
  readonly original: Literal['value'];
}

export type Expression = SubExpression | Path | Literal;

/** A name written as a path, a text or a number. */
export function nameOf(path: Path | Literal): string {
  return String(path.original);
}

/** The line of the template in which a node starts, from 1. */
export function lineOf({ loc }: Node<string>): number {
  return loc.start.line;
}

/** The name of `{{#*inline "name"}}`; undefined for any other decorator. */
export function inlineNameOf({ path, params: [name] }: Inline): string | undefined {
  return path.original === 'inline' && name?.type === 'StringLiteral' ? nameOf(name) : undefined;
}

/** Index of a list in a Handlebars path, as authors write it; Handlebars itself knows only `items.[0]`. */
const MUSTACHE = /(?<!\\)\{\{[^{}]{1,2000}\}\}/g;
const INDEX = /"[^"]*"|'[^']*'|(?<=[\p{L}\p{N}_$\]])\[(\d{1,6}|'[^'\]]{1,100}'|"[^"\]]{1,100}")\]/gu;

/** Handlebars' syntax tree of a text. Throws `invalid_request` naming the line. */
export function parseTemplate(source: string): Program {
  assertReadable(source);
  try {
    return Handlebars.parse(source.replace(MUSTACHE, withIndexes)) as Program;
  } catch (error) {
    if (error instanceof RangeError) throw templateError('The text has too many blocks within one another');
    throw explain(error, source);
  }
}

function withIndexes(mustache: string) {
  if (!mustache.includes('[')) return mustache;
  return mustache.replace(INDEX, (found, index: string | undefined) => (index === undefined ? found : `.[${index.replace(/["']/g, '')}]`));
}

/** The parser's multi-line message as one sentence with its line. */
function explain(error: unknown, source: string) {
  const text = error instanceof Error ? error.message : String(error);
  const parse = /^(?:Parse|Lexical) error on line (\d+)/.exec(text);
  if (parse) {
    const open = notClosed(source);
    if (open) return templateError(open.sentence, open.line);
    const near = /\n(.*)\n-*\^/.exec(text)?.[1] ?? '';
    return templateError(`{{…}} is not valid Handlebars${near && `, near “${near.slice(-60)}”`}`, Number(parse[1]));
  }
  const [, sentence = text, line] = /^(.*?)(?: - (\d+):\d+)?$/s.exec(text) ?? [];
  return templateError(sentence, line === undefined ? undefined : Number(line));
}
