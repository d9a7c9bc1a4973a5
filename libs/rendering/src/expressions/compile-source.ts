import jsep from 'jsep';
import type { RenderScope } from '../scope';
import { isScope, lookUp, ownValue } from '../text/paths';
import { binaryOperators, methods, unaryOperators } from './operators';

/** Bounds of an expression: characters, nodes and nesting depth. */
export const EXPRESSION_CHARS_MAX = 2_000;
const EXPRESSION_NODES_MAX = 200;
const EXPRESSION_DEPTH_MAX = 32;

const RECURSIVE = /[([!?+-]/g;

// The parser treats `undefined` as a name, authors as a value. Bit operators are not supported.
jsep.literals.undefined = undefined;
for (const operator of ['^', '|', '&', '<<', '>>', '>>>', '**']) jsep.removeBinaryOp(operator);
jsep.removeUnaryOp('~');

/** A compiled expression: its value in a scope. */
export type Evaluate = (scope: RenderScope) => unknown;
type Inner = (part: unknown) => Evaluate;

/**
 * Compiles an expression to a function. Throws an `Error` whose message states the mistake, also for syntax that conditions do not
 * support.
 */
export function compileSource(source: string): Evaluate {
  const node = parse(source);
  let nodes = 0;
  const compileAt =
    (depth: number): Inner =>
    (part) => {
      nodes += 1;
      if (nodes > EXPRESSION_NODES_MAX || depth > EXPRESSION_DEPTH_MAX) throw new Error('it has too many parts');
      return compile(part as jsep.Expression, compileAt(depth + 1));
    };
  const evaluate = compileAt(0)(node);
  return (scope) => {
    scope.budget?.spend(nodes);
    return evaluate(scope);
  };
}

/**
 * The syntax tree of an expression. `{{…}}` or `${…}` around the whole is removed. Throws an `Error` whose message states the
 * mistake.
 */
function parse(source: string) {
  if (source.length > EXPRESSION_CHARS_MAX)
    throw new Error(`An expression has at most ${EXPRESSION_CHARS_MAX} characters (got ${source.length})`);
  // The parser recurses for each of these: counting first prevents a stack overflow.
  if ((source.match(RECURSIVE)?.length ?? 0) > EXPRESSION_NODES_MAX) throw new Error('The expression has too many parts');
  return jsep(unwrap(source));
}

function unwrap(source: string) {
  const text = source.trim();
  const [, inner] = /^\{\{([^]*)\}\}$/.exec(text) ?? /^\$\{([^]*)\}$/.exec(text) ?? [];
  return inner === undefined ? text : inner;
}

function compile(expression: jsep.Expression, inner: Inner): Evaluate {
  const node = expression as jsep.CoreExpression;
  switch (node.type) {
    case 'Literal':
      return () => node.value;
    case 'Identifier':
      return compileName(node.name);
    case 'MemberExpression':
      return compileMember(node, inner);
    case 'CallExpression':
      return compileCall(node, inner);
    case 'ArrayExpression': {
      const elements = node.elements.map(inner);
      return (scope) => elements.map((evaluate) => evaluate(scope));
    }
    case 'ConditionalExpression': {
      const [test, yes, no] = [inner(node.test), inner(node.consequent), inner(node.alternate)];
      return (scope) => (test(scope) ? yes(scope) : no(scope));
    }
    case 'UnaryExpression': {
      const operation = operationOf(unaryOperators, node.operator);
      const evaluate = inner(node.argument);
      return (scope) => operation(evaluate(scope));
    }
    case 'BinaryExpression':
      return compileBinary(node, inner);
    case 'Compound':
      throw new Error(node.body.length === 0 ? 'it is empty' : 'it is more than one expression');
    case 'SequenceExpression':
      throw new Error('it is more than one expression');
    default:
      throw new Error(`it uses a ${expression.type}, which conditions do not support`);
  }
}

function compileBinary({ operator, left, right }: jsep.BinaryExpression, inner: Inner): Evaluate {
  const [a, b] = [inner(left), inner(right)];
  switch (operator) {
    case '&&':
      return (scope) => a(scope) && b(scope);
    case '||':
      return (scope) => a(scope) || b(scope);
    case '??':
      return (scope) => a(scope) ?? b(scope);
  }
  const operation = operationOf(binaryOperators, operator);
  return (scope) => operation(a(scope), b(scope));
}

function operationOf<Operation>(operators: ReadonlyMap<string, Operation>, operator: string): Operation {
  const operation = operators.get(operator);
  if (!operation) throw new Error(`it uses ${operator}, which conditions do not support`);
  return operation;
}

function compileName(name: string): Evaluate {
  return isScope(name) ? (scope) => scope[name] : compilePath([name]);
}

function compilePath(path: readonly string[]): Evaluate {
  return (scope) => lookUp(path, scope);
}

/** `data.x`, `$.item`, `profile.email`: a dotted name in a scope is one path, resolved as for variables. */
function compileMember({ object: owner, property, computed, optional = false }: jsep.MemberExpression, inner: Inner): Evaluate {
  const { name: scopeName } = owner as jsep.Identifier;
  const { name } = property as jsep.Identifier;
  if (!computed && owner.type === 'Identifier' && (scopeName === '$' || isScope(scopeName))) return compilePath([scopeName, name]);
  const object = inner(owner);
  const key = computed ? inner(property) : () => name;
  return (scope) => member(object(scope), key(scope), optional);
}

function member(object: unknown, name: unknown, optional: boolean) {
  if (object === undefined || object === null) {
    if (optional) return undefined;
    throw new Error(`there is no ${String(name).slice(0, 100)} in ${String(object)}`);
  }
  if (typeof name !== 'string' && typeof name !== 'number') throw new Error('an index is a text or a number');
  if (name === 'length' && typeof object === 'string') return object.length;
  return ownValue(object, String(name));
}

function compileCall({ callee, arguments: given }: jsep.CallExpression, inner: Inner): Evaluate {
  const { object, property, computed, optional } = callee as jsep.MemberExpression;
  const isMethod = callee.type === 'MemberExpression' && !computed;
  const method = isMethod ? methods.get((property as jsep.Identifier).name) : undefined;
  if (!method || given.length !== 1) throw new Error('it calls something other than includes, startsWith or endsWith with one argument');
  const [on, argument] = [inner(object), inner(given[0])];
  return (scope) => {
    const value = on(scope);
    if (optional && (value === undefined || value === null)) return undefined;
    if (typeof value === 'string') scope.budget?.spendChars(value.length);
    else if (Array.isArray(value)) scope.budget?.spend(value.length);
    return method(value, argument(scope));
  };
}
