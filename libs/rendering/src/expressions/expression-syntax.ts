import jsep from 'jsep';

/** Bounds of an expression: characters, nodes and nesting depth. */
export const EXPRESSION_CHARS_MAX = 2_000;
export const EXPRESSION_NODES_MAX = 200;
export const EXPRESSION_DEPTH_MAX = 32;

const RECURSIVE = /[([!?+-]/g;

// The parser treats `undefined` as a name, authors as a value. Bit operators are not supported.
jsep.literals.undefined = undefined;
for (const operator of ['^', '|', '&', '<<', '>>', '>>>', '**']) jsep.removeBinaryOp(operator);
jsep.removeUnaryOp('~');

/**
 * The syntax tree of an expression. `{{…}}` or `${…}` around the whole is removed. Throws an `Error` whose message states the
 * mistake.
 */
export function parseExpression(source: string): jsep.Expression {
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
