import { ServiceError } from '@tidings/contracts/core/errors';
import { addMissing, shownPath, type Values } from '../scope';
import { type Evaluator, type Frame, resolve, ROOT } from './frame';
import { helpers } from './helpers';
import { descend, hasPrefix, ownValue } from './paths';
import { type Block, type Expression, lineOf, type Mustache, nameOf, type Path, type SubExpression } from './syntax';
import { EXPRESSION_DEPTH_MAX, templateError } from './template-bounds';
import { pieceSpender } from './value-text';

/** State of one compilation. */
export interface Compilation {
  nodes: number;
  depth: number;
}

type Call = Mustache | Block | SubExpression;

/** Whether a call only names a value: a bare name is a variable, so data may have the name of a helper. */
export function isVariable({ type, params, hash }: Call): boolean {
  return type !== 'SubExpression' && params.length === 0 && !hash?.pairs.length;
}

/** Helpers that show the value of their arguments: a missing one is missing in the text. */
const SHOWING = new Set(['capitalize', 'concat', 'format', 'trim', 'trim-left', 'trim-right', 'trim-one-char-right', 'truncate', 't']);
/** Helpers whose value is that of the variable that their argument names. */
const NAMING = new Set(['var', 'path']);

/**
 * Compiles a mustache, block without helper, or subexpression: a variable or a helper call.
 * @param isShown whether its value is shown, so that a variable without one is missing.
 */
export function compileCall(node: Call, compilation: Compilation, depth = 0, isShown = false): Evaluator {
  if (isVariable(node)) return compileExpression(node.path, compilation, depth, isShown);
  const name = nameOf(node.path);
  const line = lineOf(node);
  const helper = helpers.get(name);
  if (!helper) throw templateError(`there is no helper named ${JSON.stringify(name.slice(0, 100))}`, line);
  const { args, hash } = compileArguments(node, compilation, depth, isShown && SHOWING.has(name));
  const names = isShown && NAMING.has(name);
  return (frame) => {
    const given = args(frame);
    const { budget } = frame.run;
    budget.spend(1 + given.length);
    for (const value of given) if (typeof value === 'string') budget.spendChars(value.length);
    const value = named(name, line, () => helper(given, frame, hash(frame)));
    if (names && value === undefined) addMissing(frame.run.scope, shownPath(String(given[0])));
    return typeof value === 'string' ? pieceSpender(budget)(value) : value;
  };
}

/** Arguments of a helper, by position and by name. `areShown`: those by position are shown. */
export function compileArguments({ params, hash }: Pick<Call, 'params' | 'hash'>, compilation: Compilation, depth = 0, areShown = false) {
  const evaluators = params.map((param) => compileExpression(param, compilation, depth + 1, areShown));
  const pairs = (hash?.pairs ?? []).map(({ key, value }) => [key, compileExpression(value, compilation, depth + 1)] as const);
  return {
    args: (frame: Frame) => evaluators.map((evaluate) => evaluate(frame)),
    hash: (frame: Frame): Values =>
      pairs.length === 0 ? NO_HASH : Object.fromEntries(pairs.map(([key, evaluate]) => [key, evaluate(frame)])),
  };
}

const NO_HASH = Object.freeze({});

/** Runs a helper; its errors name the helper and the line. */
export function named<Value>(name: string, line: number, call: () => Value): Value {
  try {
    return call();
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw templateError(`${name} ${error instanceof Error ? error.message : String(error)}`, line);
  }
}

/**
 * @param isShown as for `compileCall`.
 * @throws ServiceError `invalid_request` for more than `EXPRESSION_DEPTH_MAX` expressions within one another.
 */
export function compileExpression(node: Expression, compilation: Compilation, depth: number, isShown = false): Evaluator {
  if (depth > EXPRESSION_DEPTH_MAX) throw templateError(`more than ${EXPRESSION_DEPTH_MAX} expressions within one another`, lineOf(node));
  compilation.nodes += 1;
  switch (node.type) {
    case 'SubExpression':
      return compileCall(node, compilation, depth, isShown);
    case 'PathExpression':
      return isShown ? compileShown(node) : compilePath(node);
    default: {
      const { value } = node;
      return () => value;
    }
  }
}

function compileShown(node: Path): Evaluator {
  const evaluate = compilePath(node);
  const path = shownPath(node.original);
  return (frame) => {
    const value = evaluate(frame);
    if (value === undefined) addMissing(frame.run.scope, path);
    return value;
  };
}

function compilePath({ data, depth, parts, original }: Path): Evaluator {
  if (data) return compileLoopValue(parts, depth);
  const prefixed = hasPrefix(parts);
  const own = /^(?:\.\.\/)*(?:this|\.)(?:[./]|$)/.test(original);
  return (frame) => {
    let at: Frame | undefined = frame;
    for (let up = 0; up < depth; up += 1) at = at?.parent;
    if (!at) return undefined;
    return own && at.self !== ROOT ? descend(at.self, parts) : resolve(parts, at, prefixed);
  };
}

/** `@index`, `@../index`, `@root.name`. */
function compileLoopValue([first = '', ...rest]: readonly string[], depth: number): Evaluator {
  if (first === 'root') return ({ run }) => resolve(rest, { run, self: ROOT });
  return ({ loop }) => {
    let at = loop;
    for (let up = 0; up < depth; up += 1) at = at?.parent;
    return at && descend(ownValue(at.values, first), rest);
  };
}
