import { inlineNameOf, lineOf, nameOf, parseTemplate, type PartialCall, type Program } from './syntax';
import { PARTIAL_DEPTH_MAX, templateError } from './template-bounds';

/** Calls followed in one text; beyond it the rendering reports the error. */
const CALLS_FOLLOWED_MAX = 2_000;

/** Characters of a name in a list of names. */
const NAME_CHARS_MAX = 40;
/** Matches a partial call. */
const ANY_CALL = /\{\{~?#?>/;

type Bodies = ReadonlyMap<string, Program>;

/**
 * Refuses a text whose own partial (`{{#*inline "name"}}`) always calls itself, directly or through others: it can never be
 * rendered. Recursion within a block, such as a loop over children, may end and is allowed. Calls are followed as rendering
 * follows them: a name resolves to the definition around the caller.
 * @throws ServiceError `invalid_request` naming the line of the first call.
 */
export function assertPartialsEnd(program: Program): void {
  new CallGraph(NONE).checkText(program, NONE);
}

/**
 * Checks snippets for endless recursion, as `assertPartialsEnd` checks a text's own partials.
 * @param sources valid Handlebars by name.
 * @returns check of one snippet; throws ServiceError `invalid_request` naming the line of the snippet's own call.
 */
export function snippetEnds(sources: ReadonlyMap<string, string>): (name: string) => void {
  const snippets = new Map([...sources].map(([name, source]) => [name, parseTemplate(ANY_CALL.test(source) ? source : '')]));
  const graph = new CallGraph(snippets);
  return (name) => {
    const program = snippets.get(name);
    if (program) graph.calls(program, NONE, [name]);
  };
}

const NONE: Bodies = new Map();

class CallGraph {
  private followed = 0;
  /** Nesting depth that a snippet call causes, including itself, without inline partials in scope. */
  private readonly heights = new Map<string, number>();

  constructor(private readonly snippets: Bodies) {}

  /** Checks a text or one of its blocks. */
  checkText(program: Program, around: Bodies): void {
    this.calls(program, around, []);
    const inlines = withOwn(program, around);
    for (const statement of program.body) {
      if (statement.type !== 'BlockStatement') continue;
      for (const part of [statement.program, statement.inverse]) if (part) this.checkText(part, inlines);
    }
  }

  /**
   * Follows the unconditional calls of a text; returns their nesting depth.
   * @param around the text's own partials in scope.
   * @param callers names of the enclosing partials, the outermost first.
   * @param line of the first call; absent for calls of the text itself.
   */
  calls(program: Program, around: Bodies, callers: readonly string[], line?: number): number {
    const inlines = withOwn(program, around);
    let height = 0;
    for (const statement of program.body) {
      if (statement.type !== 'PartialStatement' && statement.type !== 'PartialBlockStatement') continue;
      height = Math.max(height, this.follow(statement, inlines, callers, line ?? lineOf(statement)));
    }
    return height;
  }

  private follow({ name: called }: PartialCall, inlines: Bodies, callers: readonly string[], line: number) {
    // Otherwise the name depends on the data.
    if (called.type === 'SubExpression') return 0;
    const name = nameOf(called);
    const body = inlines.get(name) ?? this.snippets.get(name);
    if (!body) return 0;
    const isAlone = inlines.size === 0;
    const cached = isAlone ? this.heights.get(name) : undefined;
    if (!isAlone) this.followed += 1;
    if (this.followed > CALLS_FOLLOWED_MAX) return 0;
    // With inline partials in scope, a repeated name may resolve to another definition.
    if (callers.length + (cached ?? 1) > PARTIAL_DEPTH_MAX || (isAlone && callers.includes(name))) throw endless(name, callers, line);
    if (cached !== undefined) return cached;
    const height = 1 + this.calls(body, inlines, [...callers, name], line);
    if (isAlone) this.heights.set(name, height);
    return height;
  }
}

function endless(name: string, callers: readonly string[], line: number) {
  const first = callers.lastIndexOf(name);
  if (first < 0) return templateError(`more than ${PARTIAL_DEPTH_MAX} partials within one another`, line);
  const cycle = [...callers.slice(first), name].map((one) => JSON.stringify(one.slice(0, NAME_CHARS_MAX)));
  const through = cycle.length > 2 ? ` (${cycle.join(' > ')})` : '';
  const always = `always calls itself${through}: let it call itself within a block that ends, such as {{#if}} or {{#each}}`;
  return templateError(`the partial ${JSON.stringify(name.slice(0, 100))} ${always}`, line);
}

function withOwn({ body }: Program, around: Bodies) {
  const own = body.filter((statement) => statement.type === 'DecoratorBlock');
  return own.length > 0 ? new Map([...around, ...own.map((inline) => [inlineNameOf(inline) ?? '', inline.program] as const)]) : around;
}
