import { LruCache } from '../lru-cache';
import { RenderBudget } from '../render-budget';
import { RENDERED_CHARS_MAX, tooLong } from '../render-limits';
import type { RenderScope } from '../scope';
import { compileContent } from './compile-content';
import { compileTemplate } from './compile-template';
import { escape, type Escaping } from './escaping';
import { ROOT, type ValueSink, type Writer } from './frame';
import { readingCost } from './template-bounds';
import { templateError } from './template-error';

export interface CompiledText {
  /**
   * The text with its values filled in. Throws `invalid_request` for what the author or the data did wrong (naming the
   * line, or `Variable not found: <path>` where the scope asks for that) and for more work than the budget allows,
   * `payload_too_large` for a result above `RENDERED_CHARS_MAX` characters.
   */
  render(scope: RenderScope): string;
}

const TEMPLATES_CACHED = 2_000;
const TEMPLATE_CHARS_CACHED = 16_000_000;

const writers = new LruCache<Writer>(TEMPLATES_CACHED, TEMPLATE_CHARS_CACHED);

interface TextOptions {
  readonly escape: Escaping;
  /** Pays for reading the text, where that is the first time. */
  readonly budget?: RenderBudget;
}

/**
 * Compiles a text with variables `{path}` and Handlebars `{{…}}`. What the author wrote stays as it is; every value is made
 * harmless as `escape` says, with two braces as with three. Throws `invalid_request` for a text that is no template.
 */
export function compileText(source: string, { escape: escaping, budget }: TextOptions): CompiledText {
  const write = compileWriter(source, budget);
  const sink: ValueSink = escaping === 'none' ? (text) => text : (text) => escape(text, escaping);
  return { render: (scope) => writeText(write, scope, sink) };
}

/** The function that writes a text; compiled once per source. Without `{{` there is nothing for Handlebars in it. */
function compileWriter(source: string, budget?: RenderBudget): Writer {
  return writers.get(source, () => {
    budget?.spendReading(readingCost(source));
    return source.includes('{{') ? compileTemplate(source) : compileContent(source);
  });
}

/** Writes a text, its values through `sink`. */
function writeText(write: Writer, scope: RenderScope, sink: ValueSink): string {
  const run = { scope, budget: scope.budget ?? new RenderBudget(), sink, locals: new Map<string, unknown>(), depth: 0 };
  const text = runWithin(() => write(run, { self: ROOT }));
  if (text.length > RENDERED_CHARS_MAX) throw tooLong();
  return text;
}

/** Blocks and partials are bounded each by itself, both together may still pass the end of the stack. */
function runWithin(write: () => string): string {
  try {
    return write();
  } catch (error) {
    if (error instanceof RangeError) throw templateError('The text has too many blocks and partials within one another');
    throw error;
  }
}
