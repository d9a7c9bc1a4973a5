import { CompileCache } from '../compile-cache';
import { assertLength } from '../render-budget';
import { blockHelpers, chooseBlock } from './block-helpers';
import { compileArguments, compileCall, type Compilation, compileExpression, isVariable, named } from './compile-call';
import { compileContent, writeValue } from './compile-content';
import { assertPartialsEnd } from './endless-partials';
import type { Frame, Writer } from './frame';
import {
  type Block,
  inlineNameOf,
  lineOf,
  type Mustache,
  nameOf,
  parseTemplate,
  type PartialCall,
  type Program,
  type Statement,
} from './syntax';
import { NESTING_MAX, PARTIAL_DEPTH_MAX, compileCost, templateError } from './template-bounds';
import { toText } from './value-text';

const NODES_MAX = 50_000;

/** Compiles a Handlebars text to a closure over its syntax tree; generates no code. */
export function compileTemplate(source: string): Writer {
  const program = parseTemplate(source);
  const write = compileProgram(program, { nodes: 0, depth: 0 });
  assertPartialsEnd(program);
  return write;
}

const NOTHING: Writer = () => '';

function compileProgram(program: Program | undefined, compilation: Compilation): Writer {
  if (!program) return NOTHING;
  compilation.depth += 1;
  if (compilation.depth > NESTING_MAX) throw templateError(`more than ${NESTING_MAX} blocks within one another`, lineOf(program));
  const own = new Map<string, Writer>();
  const writers = program.body.map((statement) => compileStatement(statement, compilation, own)).filter((writer) => writer !== NOTHING);
  compilation.depth -= 1;
  const write = sequence(writers);
  if (own.size === 0) return write;
  return (frame) => {
    const partials = frame.partials && frame.partials !== own ? new Map([...frame.partials, ...own]) : own;
    if (partials !== own) frame.run.budget.spend(partials.size);
    return write({ ...frame, partials });
  };
}

function sequence(writers: readonly Writer[]): Writer {
  const [first = NOTHING] = writers;
  if (writers.length <= 1) return first;
  return (frame) => {
    frame.run.budget.spend(writers.length);
    let text = '';
    for (const write of writers) text += write(frame);
    assertLength(text.length);
    return text;
  };
}

function compileStatement(statement: Statement, compilation: Compilation, inlines: Map<string, Writer>): Writer {
  compilation.nodes += 1;
  if (compilation.nodes > NODES_MAX) throw templateError(`more than ${NODES_MAX} parts`, lineOf(statement));
  switch (statement.type) {
    case 'ContentStatement':
      return compileContent(statement.value);
    case 'CommentStatement':
      return NOTHING;
    case 'MustacheStatement':
      return compileMustache(statement, compilation);
    case 'BlockStatement':
      return compileBlock(statement, compilation);
    case 'PartialStatement':
    case 'PartialBlockStatement':
      return compilePartial(statement, compilation);
    case 'DecoratorBlock': {
      const name = inlineNameOf(statement);
      if (name === undefined) break;
      inlines.set(name, compileProgram(statement.program, compilation));
      return NOTHING;
    }
  }
  throw templateError('decorators are not supported, except {{#*inline "name"}}', lineOf(statement));
}

function compileMustache(statement: Mustache, compilation: Compilation): Writer {
  const evaluate = compileCall(statement, compilation, 0, true);
  if (isVariable(statement) || nameOf(statement.path) !== 'var') return (frame) => writeValue(evaluate(frame), frame.run);
  // `{{var "path"}}` prints `{path}` for a missing value, as `{path}` itself does.
  const { args } = compileArguments(statement, compilation);
  return (frame) => {
    const value = evaluate(frame);
    return writeValue(value === undefined ? `{${toText(args(frame)[0]) ?? ''}}` : value, frame.run);
  };
}

function compileBlock(statement: Block, compilation: Compilation): Writer {
  const { program, inverse } = statement;
  const blockParams = program?.blockParams ?? inverse?.blockParams ?? [];
  const name = nameOf(statement.path);
  const helper = blockHelpers.get(name);
  const line = lineOf(statement);
  const call = helper && compileArguments(statement, compilation);
  const evaluate = helper ? undefined : compileCall(statement, compilation);
  const body = compileProgram(program, compilation);
  const otherwise = compileProgram(inverse, compilation);
  return (frame) => {
    frame.run.budget.spend(1);
    const parts = { frame, body, otherwise, blockParams };
    if (!helper || !call) return chooseBlock(evaluate?.(frame), { ...parts, hash: {} });
    return named(name, line, () => helper(call.args(frame), { ...parts, hash: call.hash(frame) }));
  };
}

const compiledSnippets = new CompileCache<Writer>(1_000, 8_000_000);

/**
 * `{{> name context key=value}}`, and `{{#> name}}…{{/name}}`, where `{{> @partial-block}}` writes the block: without such a partial
 * the block is written itself.
 */
function compilePartial(statement: PartialCall, compilation: Compilation): Writer {
  const line = lineOf(statement);
  const block = statement.type === 'PartialBlockStatement' ? compileProgram(statement.program, compilation) : undefined;
  const nameIn = compileName(statement.name, compilation);
  const { args, hash } = compileArguments(statement, compilation);
  const hasContext = statement.params.length > 0;
  const write: Writer = (frame) => {
    const { run } = frame;
    run.budget.spend(1);
    const name = nameIn(frame);
    const isBlock = name === '@partial-block';
    const partial = isBlock ? frame.block : (findPartial(name, frame) ?? block);
    if (!partial) throw templateError(isBlock ? NO_BLOCK : `there is no snippet named ${JSON.stringify(name.slice(0, 100))}`, line);
    if (run.depth >= PARTIAL_DEPTH_MAX) throw templateError(`more than ${PARTIAL_DEPTH_MAX} partials within one another`, line);
    run.depth += 1;
    const context = hasContext ? { self: args(frame)[0], parent: frame } : undefined;
    const names = { ...frame.names, ...hash(frame) };
    // A block passed to a partial is written in the caller's frame: with the caller's partial block, not with itself.
    const own = block && ((at: Frame) => block({ ...at, block: frame.block }));
    const text = partial({ ...frame, ...context, names, block: own ?? (isBlock ? undefined : frame.block) });
    run.depth -= 1;
    return text;
  };
  const indent = statement.type === 'PartialStatement' ? statement.indent : '';
  if (!indent) return write;
  return (frame) => {
    const text = write(frame);
    frame.run.budget.spendChars(text.length);
    return text.replace(/^(?!$)/gm, indent);
  };
}

const NO_BLOCK = '@partial-block has meaning only inside of a partial called with a block';

function compileName(name: PartialCall['name'], compilation: Compilation): (frame: Frame) => string {
  if (name.type === 'SubExpression') {
    const evaluate = compileExpression(name, compilation, 0);
    return (frame) => String(evaluate(frame));
  }
  const text = nameOf(name);
  return () => text;
}

/** The text's own partials first, then the brand's snippets. */
function findPartial(name: string, { partials, run }: Frame) {
  const { snippets } = run.scope;
  const source = snippets && Object.hasOwn(snippets, name) ? snippets[name] : undefined;
  const inline = partials?.get(name);
  if (inline || source === undefined) return inline;
  return compiledSnippets.getOrMake(source, () => {
    run.budget.spendCompilation(compileCost(source));
    return compileTemplate(source);
  });
}
