import { CompileCache } from '../compile-cache';
import { assertLength, RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import { compileContent } from './compile-content';
import { compileTemplate } from './compile-template';
import { escape, type Escaping } from './escaping';
import { ROOT, type Writer } from './frame';
import { compileCost, templateError } from './template-bounds';

/**
 * A text that is parsed once and rendered for each message: returns it with its values filled in. Throws `invalid_request` for
 * mistakes of the author or the data (naming the line) and for more work than the budget allows, `payload_too_large` for a result
 * above `RENDERED_CHARS_MAX` characters.
 */
export type CompiledText = (scope: RenderScope) => string;

const writers = new CompileCache<Writer>(2_000, 16_000_000);

/**
 * Compiles a text with variables `{path}` and Handlebars `{{…}}`. The author's text is unchanged; every value is escaped by
 * `escaping`, with two braces as with three. `budget` pays for the first compilation. Throws `invalid_request` for an invalid template.
 */
export function compileText(source: string, escaping: Escaping, budget?: RenderBudget): CompiledText {
  const write = writers.getOrMake(source, () => {
    budget?.spendCompilation(compileCost(source));
    // Without `{{` no Handlebars is needed.
    return source.includes('{{') ? compileTemplate(source) : compileContent(source);
  });
  const sink = (text: string) => escape(text, escaping);
  return (scope) => {
    const run = { scope, budget: scope.budget ?? new RenderBudget(), sink, locals: new Map<string, unknown>(), depth: 0 };
    try {
      const text = write({ run, self: ROOT });
      assertLength(text.length);
      return text;
    } catch (error) {
      // Blocks and partials are bounded separately; together they may still overflow the stack.
      if (error instanceof RangeError) throw templateError('The text has too many blocks and partials within one another');
      throw error;
    }
  };
}

/** A text with its values filled in, compiled at its first rendering. */
export function renderText(source: string, scope: RenderScope, escaping: Escaping = 'none'): string {
  return source.includes('{') ? compileText(source, escaping, scope.budget)(scope) : source;
}
