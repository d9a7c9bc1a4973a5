import { RENDERED_CHARS_MAX, tooLong } from '../render-limits';
import { blockHelpers, chooseBlock } from './block-helpers';
import { compileArguments, compileCall, type Compilation, lineOf, named } from './compile-call';
import { compileContent, writeMissing, writeValue } from './compile-content';
import { compilePartial, compilePartialBlock } from './compile-partial';
import { assertPartialsEnd } from './endless-partials';
import type { Evaluator, Writer } from './frame';
import { parseTemplate } from './parse-template';
import { NESTING_MAX, templateError } from './template-bounds';
import { toText } from './value-text';

const NODES_MAX = 50_000;

/** Compiles a Handlebars text to a closure over its syntax tree; generates no code. */
export function compileTemplate(source: string): Writer {
  const program = parseTemplate(source);
  const write = compileProgram(program, { nodes: 0, depth: 0, compile: compileProgram, compileSource: compileTemplate });
  assertPartialsEnd(program);
  return write;
}

const NOTHING: Writer = () => '';

function compileProgram(program: hbs.AST.Program | undefined, compilation: Compilation): Writer {
  if (!program) return NOTHING;
  compilation.depth += 1;
  if (compilation.depth > NESTING_MAX) throw templateError(`more than ${NESTING_MAX} blocks within one another`, lineOf(program));
  const inlines: [string, Writer][] = [];
  const writers: Writer[] = [];
  for (const statement of program.body) {
    const writer = compileStatement(statement, compilation, inlines);
    if (writer !== NOTHING) writers.push(writer);
  }
  compilation.depth -= 1;
  const write = sequence(writers);
  if (inlines.length === 0) return write;
  const own = new Map(inlines);
  return (run, frame) => {
    const partials = frame.partials && frame.partials !== own ? new Map([...frame.partials, ...own]) : own;
    if (partials !== own) run.budget.spend(partials.size);
    return write(run, { ...frame, partials });
  };
}

function sequence(writers: readonly Writer[]): Writer {
  if (writers.length === 0) return NOTHING;
  if (writers.length === 1) return writers[0] as Writer;
  return (run, frame) => {
    run.budget.spend(writers.length);
    let text = '';
    for (const write of writers) text += write(run, frame);
    if (text.length > RENDERED_CHARS_MAX) throw tooLong();
    return text;
  };
}

function compileStatement(statement: hbs.AST.Statement, compilation: Compilation, inlines: [string, Writer][]): Writer {
  compilation.nodes += 1;
  if (compilation.nodes > NODES_MAX) throw templateError(`more than ${NODES_MAX} parts`, lineOf(statement));
  switch (statement.type) {
    case 'ContentStatement':
      return compileContent((statement as hbs.AST.ContentStatement).value);
    case 'CommentStatement':
      return NOTHING;
    case 'MustacheStatement':
      return compileMustache(statement as hbs.AST.MustacheStatement, compilation);
    case 'BlockStatement':
      return compileBlock(statement as hbs.AST.BlockStatement, compilation);
    case 'PartialStatement':
      return compilePartial(statement as hbs.AST.PartialStatement, compilation);
    case 'PartialBlockStatement':
      return compilePartialBlock(statement as hbs.AST.PartialBlockStatement, compilation);
    case 'DecoratorBlock':
      inlines.push(compileInline(statement as hbs.AST.DecoratorBlock, compilation));
      return NOTHING;
    default:
      throw templateError('decorators are not supported, except {{#*inline "name"}}', lineOf(statement));
  }
}

function compileMustache(statement: hbs.AST.MustacheStatement, compilation: Compilation): Writer {
  const { evaluate, isVariable, label } = compileCall(statement, compilation);
  if (label === 'var' && !isVariable) return compileVar(statement, compilation, evaluate);
  return (run, frame) => writeValue(evaluate(run, frame), run);
}

/** `{{var "path"}}` prints `{path}` for a missing value, as `{path}` itself does. */
function compileVar(statement: hbs.AST.MustacheStatement, compilation: Compilation, evaluate: Evaluator): Writer {
  const { args } = compileArguments(statement, compilation);
  return (run, frame) => {
    const value = evaluate(run, frame);
    if (value !== undefined) return writeValue(value, run);
    return writeMissing(`{${toText(args(run, frame)[0]) ?? ''}}`, run);
  };
}

function compileBlock(statement: hbs.AST.BlockStatement, compilation: Compilation): Writer {
  const program = statement.program as hbs.AST.Program | undefined;
  const inverse = statement.inverse as hbs.AST.Program | undefined;
  const blockParams = program?.blockParams ?? inverse?.blockParams ?? [];
  const name = statement.path.original;
  const helper = blockHelpers.get(name);
  const line = lineOf(statement);
  const call = helper ? compileArguments(statement, compilation) : undefined;
  const evaluate = helper ? undefined : compileCall(statement, compilation).evaluate;
  const body = compilation.compile(program, compilation);
  const otherwise = compilation.compile(inverse, compilation);
  return (run, frame) => {
    run.budget.spend(1);
    const parts = { run, frame, body, otherwise, blockParams };
    if (!helper || !call) return chooseBlock(evaluate?.(run, frame), { ...parts, hash: {} });
    return named(name, line, () => helper(call.args(run, frame), { ...parts, hash: call.hash(run, frame) }));
  };
}

function compileInline(statement: hbs.AST.DecoratorBlock, compilation: Compilation): [string, Writer] {
  const [name] = statement.params;
  if (statement.path.original !== 'inline' || name?.type !== 'StringLiteral') {
    throw templateError('decorators are not supported, except {{#*inline "name"}}', lineOf(statement));
  }
  return [(name as hbs.AST.StringLiteral).value, compileProgram(statement.program, compilation)];
}
