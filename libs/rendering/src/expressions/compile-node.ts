import type jsep from 'jsep';
import type { RenderScope } from '../scope';
import { lookUp, ownValue, type PathStep } from '../text/paths';
import { EXPRESSION_DEPTH_MAX, EXPRESSION_NODES_MAX } from './expression-syntax';
import { binaryOperators, methods, unaryOperators } from './operators';

export type Evaluate = (scope: RenderScope) => unknown;
type Inner = (part: unknown) => Evaluate;

/** Compiles a syntax tree to a function. Throws an `Error` for syntax that conditions do not support. */
export function compileNode(node: jsep.Expression): Evaluate {
  const counter = { nodes: 0 };
  const evaluate = compile(node, counter, 0);
  return (scope) => {
    scope.budget?.spend(counter.nodes);
    return evaluate(scope);
  };
}

function compile(expression: jsep.Expression, counter: { nodes: number }, depth: number): Evaluate {
  counter.nodes += 1;
  if (counter.nodes > EXPRESSION_NODES_MAX || depth > EXPRESSION_DEPTH_MAX) throw new Error('it has too many parts');
  const inner: Inner = (part) => compile(part as jsep.Expression, counter, depth + 1);
  const node = expression as jsep.CoreExpression;
  switch (node.type) {
    case 'Literal':
      return () => node.value;
    case 'Identifier':
      return compileName([node.name]);
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

/** A dotted name is one path, resolved in scopes and data as for variables. */
function compileMember(node: jsep.MemberExpression, inner: Inner): Evaluate {
  const prefix = prefixOf(node);
  if (prefix) return compileName(prefix);
  const object = inner(node.object);
  const name: Evaluate = node.computed ? inner(node.property) : () => (node.property as jsep.Identifier).name;
  return (scope) => member(object(scope), name(scope), node.optional === true);
}

/** `data.x`, `$.item`, `profile.email`: the first two names of a path that starts in a scope. */
function prefixOf({ object, property, computed }: jsep.MemberExpression) {
  if (computed || object.type !== 'Identifier') return undefined;
  const { name } = object as jsep.Identifier;
  return SCOPES.has(name) ? [name, (property as jsep.Identifier).name] : undefined;
}

const SCOPES = new Set(['$', 'data', 'profile', 'tenant', 'brand', 'refs']);

function compileName(path: readonly PathStep[]): Evaluate {
  const [first] = path;
  if (path.length === 1 && typeof first === 'string' && SCOPES.has(first) && first !== '$') {
    return (scope) => scope[first as 'data'];
  }
  return (scope) => lookUp(path, scope);
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
  const name = (property as jsep.Identifier | undefined)?.name;
  const method = callee.type === 'MemberExpression' && !computed ? methods.get(name as string) : undefined;
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
