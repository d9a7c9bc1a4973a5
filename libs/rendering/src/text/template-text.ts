import { CompileCache } from '../compile-cache';
import { RenderBudget } from '../render-budget';
import { RENDERED_CHARS_MAX, tooLong } from '../render-limits';
import type { RenderScope } from '../scope';
import { compileContent } from './compile-content';
import { compileTemplate } from './compile-template';
import { escape, type Escaping } from './escaping';
import { ROOT, type ValueSink, type Writer } from './frame';
import { readingCost, templateError } from './template-bounds';

export interface CompiledText {
  /**
   * The text with its values filled in. Throws `invalid_request` for mistakes of the author or the data (naming the line) and for
   * more work than the budget allows, `payload_too_large` for a result above `RENDERED_CHARS_MAX` characters.
   */
  render(scope: RenderScope): string;
}

const TEMPLATES_CACHED = 2_000;
const TEMPLATE_CHARS_CACHED = 16_000_000;

const writers = new CompileCache<Writer>(TEMPLATES_CACHED, TEMPLATE_CHARS_CACHED);

interface TextOptions {
  readonly escape: Escaping;
  /** Pays for the first compilation of the text. */
  readonly budget?: RenderBudget;
}

/**
 * Compiles a text with variables `{path}` and Handlebars `{{…}}`. The author's text is unchanged; every value is escaped by
 * `escape`, with two braces as with three. Throws `invalid_request` for an invalid template.
 */
export function compileText(source: string, { escape: escaping, budget }: TextOptions): CompiledText {
  const write = compileWriter(source, budget);
  const sink: ValueSink = escaping === 'none' ? (text) => text : (text) => escape(text, escaping);
  return { render: (scope) => writeText(write, scope, sink) };
}

/** The writer of a text, compiled once per source; without `{{` no Handlebars is needed. */
function compileWriter(source: string, budget?: RenderBudget) {
  return writers.getOrMake(source, () => {
    budget?.spendReading(readingCost(source));
    return source.includes('{{') ? compileTemplate(source) : compileContent(source);
  });
}

/** Writes a text, its values through `sink`. */
function writeText(write: Writer, scope: RenderScope, sink: ValueSink) {
  const run = { scope, budget: scope.budget ?? new RenderBudget(), sink, locals: new Map<string, unknown>(), depth: 0 };
  const text = runWithin(() => write(run, { self: ROOT }));
  if (text.length > RENDERED_CHARS_MAX) throw tooLong();
  return text;
}

/** Blocks and partials are bounded separately; together they may still overflow the stack. */
function runWithin(write: () => string) {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) throw templateError('The text has too many blocks and partials within one another');
    throw error;
  }
}
