import { CompileCache } from '../compile-cache';
import { compileArguments, compileExpression, type Compilation, lineOf, nameOf } from './compile-call';
import { type Frame, type Run, type Writer } from './frame';
import { readingCost, templateError } from './template-bounds';

/** Nesting depth of partials; bounds a partial that calls itself. */
export const PARTIAL_DEPTH_MAX = 20;
const SNIPPETS_CACHED = 1_000;
const SNIPPET_CHARS_CACHED = 8_000_000;

const compiledSnippets = new CompileCache<Writer>(SNIPPETS_CACHED, SNIPPET_CHARS_CACHED);

/** `{{> name context key=value}}`. */
export function compilePartial(statement: hbs.AST.PartialStatement, compilation: Compilation): Writer {
  const write = partialWriter(statement, compilation, undefined);
  const { indent } = statement;
  if (!indent) return write;
  return (run, frame) => {
    const text = write(run, frame);
    run.budget.spendChars(text.length);
    return text.replace(/^(?!$)/gm, indent);
  };
}

/** `{{#> name}}…{{/name}}`: `{{> @partial-block}}` writes the block; without such a partial the block is written itself. */
export function compilePartialBlock(statement: hbs.AST.PartialBlockStatement, compilation: Compilation): Writer {
  return partialWriter(statement, compilation, compilation.compile(statement.program, compilation));
}

function partialWriter(
  statement: hbs.AST.PartialStatement | hbs.AST.PartialBlockStatement,
  compilation: Compilation,
  block: Writer | undefined,
): Writer {
  const line = lineOf(statement);
  const nameIn = compileName(statement.name, compilation);
  const { args, hash } = compileArguments(statement, compilation);
  const hasContext = statement.params.length > 0;
  return (run, frame) => {
    run.budget.spend(1);
    const name = nameIn(run, frame);
    const write = name === '@partial-block' ? frame.block : findPartial(name, run, frame, compilation, block, line);
    if (!write) throw templateError('@partial-block has meaning only inside of a partial called with a block', line);
    if (run.depth >= PARTIAL_DEPTH_MAX) throw templateError(`more than ${PARTIAL_DEPTH_MAX} partials within one another`, line);
    run.depth += 1;
    const text = write(run, partialFrame(frame, hasContext ? { self: args(run, frame)[0] } : undefined, hash(run, frame), block, name));
    run.depth -= 1;
    return text;
  };
}

function partialFrame(
  frame: Frame,
  context: { self: unknown } | undefined,
  hash: Readonly<Record<string, unknown>>,
  block: Writer | undefined,
  name: string,
): Frame {
  const names = Object.keys(hash).length > 0 ? { ...frame.names, ...hash } : frame.names;
  // A block passed to a partial is written in the caller's frame: with the caller's partial block, not with itself.
  const own = block && ((run: Run, at: Frame) => block(run, { ...at, block: frame.block }));
  const inherited = name === '@partial-block' ? undefined : frame.block;
  return { ...frame, ...(context && { self: context.self, parent: frame }), names, block: own ?? inherited };
}

function compileName(name: hbs.AST.PathExpression | hbs.AST.SubExpression, compilation: Compilation): (run: Run, frame: Frame) => string {
  if (name.type === 'SubExpression') {
    const evaluate = compileExpression(name, compilation, 0);
    return (run, frame) => String(evaluate(run, frame));
  }
  const text = nameOf(name);
  return () => text;
}

/** The text's own partials first, then the brand's snippets, then the passed block. */
function findPartial(name: string, run: Run, frame: Frame, compilation: Compilation, block: Writer | undefined, line: number) {
  const inline = frame.partials?.get(name);
  if (inline) return inline;
  const { snippets } = run.scope;
  const source = snippets && Object.hasOwn(snippets, name) ? snippets[name] : undefined;
  if (source !== undefined) {
    return compiledSnippets.getOrMake(source, () => {
      run.budget.spendReading(readingCost(source));
      return compilation.compileSource(source);
    });
  }
  if (block) return block;
  throw templateError(`there is no snippet named ${JSON.stringify(name.slice(0, 100))}`, line);
}
