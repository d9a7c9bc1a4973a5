import { ServiceError } from '@tidings/contracts/core/errors';
import { type Evaluator, type Frame, resolve, ROOT, type Run, selfOf, type Writer } from './frame';
import type { Helper } from './helper';
import { helpers } from './helpers';
import { descend, hasPrefix, ownValue } from './paths';
import { EXPRESSION_DEPTH_MAX, templateError } from './template-bounds';
import { spendValue } from './value-text';

/** State of one compilation. */
export interface Compilation {
  nodes: number;
  depth: number;
  readonly compile: (program: hbs.AST.Program | undefined, compilation: Compilation) => Writer;
  readonly compileSource: (source: string) => Writer;
}

/** A compiled mustache, block without helper, or subexpression. */
interface CompiledCall {
  readonly evaluate: Evaluator;
  /** Whether it names a value rather than calling a helper. */
  readonly isVariable: boolean;
  /** The name as the author wrote it. */
  readonly label: string;
}

type CallNode = hbs.AST.MustacheStatement | hbs.AST.BlockStatement | hbs.AST.SubExpression;

/** Compiles a helper call; a bare name is a variable, so data may have the name of a helper. */
export function compileCall(node: CallNode, compilation: Compilation, depth = 0): CompiledCall {
  const label = nameOf(node.path);
  const hasArguments = node.params.length > 0 || Boolean(node.hash?.pairs.length);
  if (!hasArguments && node.type !== 'SubExpression') {
    return { evaluate: compileExpression(node.path, compilation, depth), isVariable: true, label };
  }
  const helper = helpers.get(label);
  if (!helper) throw templateError(`there is no helper named ${JSON.stringify(label.slice(0, 100))}`, lineOf(node));
  return { evaluate: compileHelper(label, helper, node, compilation, depth), isVariable: false, label };
}

function compileHelper(name: string, helper: Helper, node: CallNode, compilation: Compilation, depth: number): Evaluator {
  const { args, hash } = compileArguments(node, compilation, depth);
  const line = lineOf(node);
  return (run, frame) => {
    const given = args(run, frame);
    run.budget.spend(1 + given.length);
    for (const value of given) if (typeof value === 'string') run.budget.spendChars(value.length);
    const value = named(name, line, () => helper(given, { run, frame, hash: hash(run, frame) }));
    spendValue(value, run.budget);
    return value;
  };
}

/** Arguments of a helper, by position and by name. */
export function compileArguments({ params, hash }: Pick<CallNode, 'params' | 'hash'>, compilation: Compilation, depth = 0) {
  const evaluators = params.map((param) => compileExpression(param, compilation, depth + 1));
  const pairs = (hash?.pairs ?? []).map(({ key, value }) => [key, compileExpression(value, compilation, depth + 1)] as const);
  return {
    args: (run: Run, frame: Frame) => evaluators.map((evaluate) => evaluate(run, frame)),
    hash: (run: Run, frame: Frame): Readonly<Record<string, unknown>> => {
      if (pairs.length === 0) return NO_HASH;
      const values: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
      for (const [key, evaluate] of pairs) values[key] = evaluate(run, frame);
      return values;
    },
  };
}

const NO_HASH: Readonly<Record<string, unknown>> = Object.freeze({});

/** Runs a helper; its errors name the helper and the line. */
export function named<Value>(name: string, line: number, call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw templateError(`${name} ${error instanceof Error ? error.message : String(error)}`, line);
  }
}

export function compileExpression(node: hbs.AST.Expression, compilation: Compilation, depth: number): Evaluator {
  if (depth > EXPRESSION_DEPTH_MAX) throw templateError(`more than ${EXPRESSION_DEPTH_MAX} expressions within one another`, lineOf(node));
  compilation.nodes += 1;
  switch (node.type) {
    case 'StringLiteral':
    case 'NumberLiteral':
    case 'BooleanLiteral': {
      const { value } = node as hbs.AST.StringLiteral | hbs.AST.NumberLiteral | hbs.AST.BooleanLiteral;
      return () => value;
    }
    case 'NullLiteral':
      return () => null;
    case 'UndefinedLiteral':
      return () => undefined;
    case 'SubExpression':
      return compileCall(node as hbs.AST.SubExpression, compilation, depth).evaluate;
    case 'PathExpression':
      return compilePath(node as hbs.AST.PathExpression);
    default:
      throw templateError(`${node.type} is not supported here`, lineOf(node));
  }
}

function compilePath({ data, depth, parts, original }: hbs.AST.PathExpression): Evaluator {
  const path: readonly string[] = parts.map(String);
  if (data) return (run, frame) => loopValue(path, depth, run, frame);
  const prefixed = hasPrefix(path);
  const own = /^(?:\.\.\/)*(?:this|\.)(?:[./]|$)/.test(original);
  return (run, frame) => {
    let at: Frame | undefined = frame;
    for (let up = 0; up < depth; up += 1) at = at?.parent;
    if (!at) return undefined;
    if (path.length === 0) return selfOf(run, at);
    return own && at.self !== ROOT ? descend(at.self, path) : resolve(path, run, at, prefixed);
  };
}

/** `@index`, `@../index`, `@root.name`. */
function loopValue(path: readonly string[], up: number, run: Run, frame: Frame) {
  if (path[0] === 'root') return path.length > 1 ? resolve(path.slice(1), run, { self: ROOT }) : selfOf(run, { self: ROOT });
  let loop = frame.loop;
  for (let i = 0; i < up; i += 1) loop = loop?.parent;
  return loop && descend(ownValue(loop.values, path[0] ?? ''), path, 1);
}

/** A name written as a path, a text or a number. */
export function nameOf(path: hbs.AST.PathExpression | hbs.AST.Literal): string {
  return path.type === 'PathExpression' ? (path as hbs.AST.PathExpression).original : String((path as hbs.AST.StringLiteral).value);
}

export function lineOf(node: hbs.AST.Node): number {
  return node.loc.start.line;
}
