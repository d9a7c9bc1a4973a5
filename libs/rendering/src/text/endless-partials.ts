import { lineOf } from './compile-call';
import { literalName, PARTIAL_DEPTH_MAX } from './compile-partial';
import { templateError } from './template-error';

/** Calls that are followed in one text; with more it is rendering that says what is wrong. */
const CALLS_FOLLOWED_MAX = 2_000;

type Inlines = ReadonlyMap<string, hbs.AST.Program>;
type Call = hbs.AST.PartialStatement | hbs.AST.PartialBlockStatement;

/**
 * Refuses a text in which a partial of its own (`{{#*inline "name"}}`) always calls itself, at once or through others: wherever it is called
 * nothing can be rendered, whatever the data. One that calls itself within a block, such as a loop over what is below, may end.
 * Followed are the calls that come by the program as rendering would follow them: a name means what is defined around the caller.
 * @throws ServiceError `invalid_request` naming the line of the first call.
 */
export function assertPartialsEnd(program: hbs.AST.Program): void {
  const walk = new Walk();
  walk.place(program, new Map());
}

class Walk {
  private followed = 0;

  /** A text, or what stands in one of its blocks. */
  place(program: hbs.AST.Program, around: Inlines): void {
    const inlines = withOwn(program, around);
    for (const statement of program.body) {
      if (isCall(statement)) this.follow(statement, inlines, [], lineOf(statement));
      if (statement.type !== 'BlockStatement') continue;
      const { program: body, inverse } = statement as hbs.AST.BlockStatement;
      // A block without a body has none, whatever the types say.
      for (const part of [body, inverse] as (hbs.AST.Program | undefined)[]) if (part) this.place(part, inlines);
    }
  }

  /** @param callers names of the partials around the call, the outermost first. */
  private follow(call: Call, inlines: Inlines, callers: readonly string[], line: number): void {
    const name = nameOf(call);
    const body = name === undefined ? undefined : inlines.get(name);
    if (name === undefined || !body || this.followed >= CALLS_FOLLOWED_MAX) return;
    this.followed += 1;
    if (callers.length >= PARTIAL_DEPTH_MAX) throw endless(name, callers, line);
    const within = withOwn(body, inlines);
    for (const statement of body.body) if (isCall(statement)) this.follow(statement, within, [...callers, name], line);
  }
}

function endless(name: string, callers: readonly string[], line: number): Error {
  if (!callers.includes(name)) return templateError(`more than ${PARTIAL_DEPTH_MAX} partials within one another`, line);
  const always = 'always calls itself: let it call itself within a block that ends, such as {{#if}} or {{#each}}';
  return templateError(`the partial ${JSON.stringify(name.slice(0, 100))} ${always}`, line);
}

function withOwn(program: hbs.AST.Program, around: Inlines): Inlines {
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
