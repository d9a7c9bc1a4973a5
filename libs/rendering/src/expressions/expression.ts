import { LruCache } from '../lru-cache';
import { BudgetSpent } from '../render-budget';
import { type RenderScope, warn } from '../scope';
import { compileNode, type Evaluate } from './compile-node';
import { parseExpression } from './expression-syntax';

/** Whether something applies to this rendering. Never throws: what cannot be evaluated is false, and a warning; only a spent budget ends it. */
export type Condition = (scope: RenderScope) => boolean;

const EXPRESSIONS_CACHED = 5_000;
const EXPRESSION_CHARS_CACHED = 2_000_000;
const SOURCE_SHOWN_MAX = 100;

const conditions = new LruCache<Condition>(EXPRESSIONS_CACHED, EXPRESSION_CHARS_CACHED);

/**
 * Compiles an `if`: JavaScript's comparisons, `&& || !`, `?:`, arithmetic, member and index access, `.length`, `includes`,
 * `startsWith`, `endsWith` over `data`, `profile`, `tenant`, `brand`, `refs`, `$`; a bare name is one of `data`. `==` is `===`,
 * but null and nothing are equal. No code is generated, own properties only. Never throws.
 */
export function compileExpression(source: string): Condition {
  return conditions.get(source, () => {
    let evaluate: Evaluate;
    try {
      evaluate = compileNode(parseExpression(source));
    } catch (error) {
      const sentence = problem(source, error);
      return (scope) => {
        warn(scope, sentence);
        return false;
      };
    }
    return (scope) => {
      try {
        return Boolean(evaluate(scope));
      } catch (error) {
        if (error instanceof BudgetSpent) throw error;
        warn(scope, problem(source, error));
        return false;
      }
    };
  });
}

/** What is wrong with an expression whatever it is evaluated on; undefined for a good one. */
export function expressionProblem(source: string): string | undefined {
  try {
    compileNode(parseExpression(source));
    return undefined;
  } catch (error) {
    return `The condition ${shown(source)} cannot be read: ${reasonOf(error)}`;
  }
}

function problem(source: string, error: unknown): string {
  return `The condition ${shown(source)} counts as false: ${reasonOf(error)}`;
}

function shown(source: string): string {
  return JSON.stringify(source.length > SOURCE_SHOWN_MAX ? `${source.slice(0, SOURCE_SHOWN_MAX)}…` : source);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
