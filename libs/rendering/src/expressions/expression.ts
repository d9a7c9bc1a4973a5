import { CompileCache } from '../compile-cache';
import { BudgetSpent } from '../render-budget';
import { type RenderScope, warn } from '../scope';
import { compileSource, type Evaluate } from './compile-source';

/** Evaluates a condition. A condition that cannot be evaluated is false with a warning; throws only `BudgetSpent`. */
export type Condition = (scope: RenderScope) => boolean;

const SOURCE_SHOWN_MAX = 100;

const conditions = new CompileCache<Condition>(5_000, 2_000_000);

/**
 * Compiles an `if`: JavaScript's comparisons, `&& || !`, `?:`, arithmetic, member and index access, `.length`, `includes`,
 * `startsWith`, `endsWith` over `data`, `profile`, `tenant`, `brand`, `refs`, `$`; a bare name is one of `data`. `==` is `===`,
 * but null and nothing are equal. No code is generated, own properties only. Never throws.
 */
export function compileExpression(source: string): Condition {
  return conditions.getOrMake(source, () => {
    let evaluate: Evaluate;
    try {
      evaluate = compileSource(source);
    } catch (error) {
      evaluate = () => {
        throw error;
      };
    }
    return (scope) => {
      try {
        return Boolean(evaluate(scope));
      } catch (error) {
        if (error instanceof BudgetSpent) throw error;
        warn(scope, `The condition ${shown(source)} counts as false: ${reasonOf(error)}`);
        return false;
      }
    };
  });
}

/** The syntax error of an expression; undefined for a valid one. */
export function expressionProblem(source: string): string | undefined {
  try {
    compileSource(source);
    return undefined;
  } catch (error) {
    return `The condition ${shown(source)} cannot be read: ${reasonOf(error)}`;
  }
}

function shown(source: string) {
  return JSON.stringify(source.length > SOURCE_SHOWN_MAX ? `${source.slice(0, SOURCE_SHOWN_MAX)}…` : source);
}

function reasonOf(error: unknown) {
  return error instanceof Error ? error.message : String(error);
}
