import { lineOf } from './compile-call';
import { literalName, PARTIAL_DEPTH_MAX } from './compile-partial';
import { parseTemplate } from './parse-template';
import { templateError } from './template-error';

/** Calls that are followed in one text; with more it is rendering that says what is wrong. */
const CALLS_FOLLOWED_MAX = 2_000;

/** Characters of a name where several are told. */
const NAME_CHARS_MAX = 40;
/** A text without these calls no partial. */
const ANY_CALL = /\{\{~?#?>/;

type Bodies = ReadonlyMap<string, hbs.AST.Program>;
type Call = hbs.AST.PartialStatement | hbs.AST.PartialBlockStatement;

/** Where a call is met. */
interface CallContext {
  /** What the text's own partials mean there. */
  readonly inlines: Bodies;
  /** Names of the partials around it, the outermost first. */
  readonly callers: readonly string[];
  /** Of the first call; absent for the calls of the text itself. */
  readonly line?: number;
}

/**
 * Refuses a text in which a partial of its own (`{{#*inline "name"}}`) always calls itself, at once or through others: wherever it is called
 * nothing can be rendered, whatever the data. One that calls itself within a block, such as a loop over what is below, may end.
 * Followed are the calls that come by the program as rendering would follow them: a name means what is defined around the caller.
 * @throws ServiceError `invalid_request` naming the line of the first call.
 */
export function assertPartialsEnd(program: hbs.AST.Program): void {
  new CallGraph(NONE).checkText(program, NONE);
}

/**
 * Of snippets by name, asks of one whether it always comes back to itself, or to another that does, as `assertPartialsEnd` does of a text's own.
 * @param sources texts that can be read.
 * @returns throws ServiceError `invalid_request` naming the line of the snippet's own call.
 */
export function snippetEnds(sources: ReadonlyMap<string, string>): (name: string) => void {
  const snippets = new Map([...sources].map(([name, source]) => [name, parseTemplate(ANY_CALL.test(source) ? source : '')]));
  const graph = new CallGraph(snippets);
  return (name) => {
    const program = snippets.get(name);
    if (program) graph.calls(program, { inlines: NONE, callers: [name] });
  };
}

const NONE: Bodies = new Map();

class CallGraph {
  private followed = 0;
  /** Partials within one another that a call of a snippet brings about, itself counted, where no text around it has partials of its own. */
  private readonly heights = new Map<string, number>();

  constructor(private readonly snippets: Bodies) {}

  /** A text, or what stands in one of its blocks. */
  checkText(program: hbs.AST.Program, around: Bodies): void {
    const inlines = withOwn(program, around);
    this.calls(program, { inlines: around, callers: [] });
    for (const statement of program.body) {
      if (statement.type !== 'BlockStatement') continue;
      const { program: body, inverse } = statement as hbs.AST.BlockStatement;
      // A block without a body has none, whatever the types say.
      for (const part of [body, inverse] as (hbs.AST.Program | undefined)[]) if (part) this.checkText(part, inlines);
    }
  }

  /** Follows what a text always calls. Answers how many partials come to stand within one another. */
  calls(program: hbs.AST.Program, { inlines: around, callers, line }: CallContext): number {
    const inlines = withOwn(program, around);
    let height = 0;
    for (const statement of program.body) {
      if (isCall(statement)) height = Math.max(height, this.follow(statement, { inlines, callers, line: line ?? lineOf(statement) }));
    }
    return height;
  }

  private follow(call: Call, { inlines, callers, line }: Required<CallContext>): number {
    const name = nameOf(call);
    const body = name === undefined ? undefined : (inlines.get(name) ?? this.snippets.get(name));
    if (name === undefined || !body) return 0;
    const isAlone = inlines.size === 0;
    const cached = isAlone ? this.heights.get(name) : undefined;
    if (!isAlone) this.followed += 1;
    if (this.followed > CALLS_FOLLOWED_MAX) return 0;
    // Where partials are defined on the way, a name may mean another one the second time.
    if (callers.length + (cached ?? 1) > PARTIAL_DEPTH_MAX || (isAlone && callers.includes(name))) throw endless(name, callers, line);
    if (cached !== undefined) return cached;
    const height = 1 + this.calls(body, { inlines, callers: [...callers, name], line });
    if (isAlone) this.heights.set(name, height);
    return height;
  }
}

function endless(name: string, callers: readonly string[], line: number): Error {
  const first = callers.lastIndexOf(name);
  if (first < 0) return templateError(`more than ${PARTIAL_DEPTH_MAX} partials within one another`, line);
  const cycle = [...callers.slice(first), name].map((one) => JSON.stringify(one.slice(0, NAME_CHARS_MAX)));
  const through = cycle.length > 2 ? ` (${cycle.join(' > ')})` : '';
  const always = `always calls itself${through}: let it call itself within a block that ends, such as {{#if}} or {{#each}}`;
  return templateError(`the partial ${JSON.stringify(name.slice(0, 100))} ${always}`, line);
}

function withOwn(program: hbs.AST.Program, around: Bodies): Bodies {
  const own = program.body.flatMap((statement): [string, hbs.AST.Program][] => {
    if (statement.type !== 'DecoratorBlock') return [];
    const { params, program: body } = statement as hbs.AST.DecoratorBlock;
    return [[(params[0] as hbs.AST.StringLiteral).value, body]];
  });
  return own.length > 0 ? new Map([...around, ...own]) : around;
}

function isCall(statement: hbs.AST.Statement): statement is Call {
  return statement.type === 'PartialStatement' || statement.type === 'PartialBlockStatement';
}

/** Undefined where only the data says the name. */
function nameOf({ name }: Call): string | undefined {
  if (name.type === 'SubExpression') return undefined;
  return literalName(name);
}
