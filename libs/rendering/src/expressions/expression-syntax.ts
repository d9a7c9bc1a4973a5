import jsep from 'jsep';

/** The longest expression, the most parts, and the most parts within one another. */
export const EXPRESSION_CHARS_MAX = 2_000;
export const EXPRESSION_NODES_MAX = 200;
export const EXPRESSION_DEPTH_MAX = 32;

const RECURSIVE = /[([!?+-]/g;

// To the parser `undefined` is a name, to authors a value. Operators on bits are nothing an author means.
jsep.literals.undefined = undefined;
for (const operator of ['^', '|', '&', '<<', '>>', '>>>', '**']) jsep.removeBinaryOp(operator);
jsep.removeUnaryOp('~');

/**
 * The syntax tree of an expression. `{{…}}` or `${…}` around the whole is taken off. Throws an `Error` whose message says what
 * is wrong with it.
 */
export function parseExpression(source: string): jsep.Expression {
  if (source.length > EXPRESSION_CHARS_MAX)
    throw new Error(`An expression has at most ${EXPRESSION_CHARS_MAX} characters (got ${source.length})`);
  // The parser calls itself for each of these: counting first keeps it off the end of the stack.
  if ((source.match(RECURSIVE)?.length ?? 0) > EXPRESSION_NODES_MAX) throw new Error('The expression has too many parts');
  return jsep(unwrap(source));
}

function unwrap(source: string): string {
  const text = source.trim();
  const [, inner] = /^\{\{([^]*)\}\}$/.exec(text) ?? /^\$\{([^]*)\}$/.exec(text) ?? [];
  return inner === undefined ? text : inner;
}
