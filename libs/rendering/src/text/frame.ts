import { type RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import { descend, ELEMENTS_MAX, hasPrefix, lookUp, lookUpPrefixed, ownValue, type PathStep, visitsMany } from './paths';

/** Where the values of a text go: returns what stands in the result for `text`. */
export type ValueSink = (text: string) => string;

/** Pieces of a compiled template. Those that write return the text they write. */
export type Writer = (run: Run, frame: Frame) => string;
export type Evaluator = (run: Run, frame: Frame) => unknown;

/** One rendering of one text. */
export interface Run {
  readonly scope: RenderScope;
  readonly budget: RenderBudget;
  readonly sink: ValueSink;
  /** What `{{set}}` has set. */
  readonly locals: Map<string, unknown>;
  /** How many partials stand around the current place. */
  depth: number;
  /** What `this` is outside of all blocks, once it was asked for. */
  root?: unknown;
}

/** `@index` and the like of one loop. */
export interface LoopData {
  readonly values: Readonly<Record<string, unknown>>;
  readonly parent: LoopData | undefined;
}

/** What names mean at one place of a template. */
export interface Frame {
  /** Handlebars' `this`; `ROOT` outside of all blocks. */
  readonly self: unknown;
  /** The frame `../` names. */
  readonly parent?: Frame;
  readonly loop?: LoopData;
  /** Names of `as |item index|` and of a partial's parameters. */
  readonly names?: Readonly<Record<string, unknown>>;
  /** Partials the text itself defined (`{{#*inline}}`). */
  readonly partials?: ReadonlyMap<string, Writer>;
  /** What `{{> @partial-block}}` writes. */
  readonly block?: Writer;
}

/** Stands for everything a path can name from outside of all blocks. */
export const ROOT = Symbol('root');

/** Handlebars' look-up: names of the block, then `this`; paths with a prefix and built-ins mean the same everywhere. */
export function resolve(path: readonly PathStep[], run: Run, frame: Frame, prefixed = hasPrefix(path)): unknown {
  const first = path[0];
  if (typeof first !== 'string') return undefined;
  const named = frame.names && ownValue(frame.names, first);
  if (named !== undefined) return descend(named, path, 1);
  if (frame.self !== ROOT) {
    const own = ownValue(frame.self, first);
    if (own !== undefined) return descend(own, path, 1);
  }
  if (run.locals.size > 0 && run.locals.has(first)) return descend(run.locals.get(first), path, 1);
  if (prefixed) return lookUpPrefixed(path, run.scope);
  const value = frame.self === ROOT ? descend(run.scope.data, path) : undefined;
  return value === undefined ? descend(run.scope.builtIns, path) : value;
}

/** The look-up of `{name}`, `var` and `path`: that of Handlebars in each enclosing block, then in `data`. */
export function resolveOutward(path: readonly PathStep[], run: Run, frame: Frame): unknown {
  if (visitsMany(path)) run.budget.spend(ELEMENTS_MAX);
  for (let at: Frame | undefined = frame; at; at = at.parent) {
    run.budget.spend(1);
    const value = resolve(path, run, at);
    if (value !== undefined) return value;
  }
  return lookUp(path, run.scope);
}

/** What `this` is; everything of `data` and the prefixes outside of all blocks. */
export function selfOf(run: Run, frame: Frame): unknown {
  if (frame.self !== ROOT) return frame.self;
  const { data, profile, tenant, brand, builtIns } = run.scope;
  run.root ??= { ...builtIns, profile, tenant, brand, ...(typeof data === 'object' ? data : {}) };
  return run.root;
}
