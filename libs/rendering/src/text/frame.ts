import { type RenderBudget } from '../render-budget';
import type { RenderScope } from '../scope';
import { descend, ELEMENTS_MAX, hasPrefix, lookUp, lookUpPrefixed, ownValue, type PathStep, visitsMany } from './paths';

/** Escapes a value for the result. */
export type ValueSink = (text: string) => string;

/** Pieces of a compiled template: writers return their text, evaluators a value. */
export type Writer = (run: Run, frame: Frame) => string;
export type Evaluator = (run: Run, frame: Frame) => unknown;

/** One rendering of one text. */
export interface Run {
  readonly scope: RenderScope;
  readonly budget: RenderBudget;
  readonly sink: ValueSink;
  /** Values of `{{set}}`. */
  readonly locals: Map<string, unknown>;
  /** Nesting depth of partials. */
  depth: number;
  /** `this` outside of all blocks, built on first use. */
  root?: unknown;
}

/** `@index` and the like of one loop. */
export interface LoopData {
  readonly values: Readonly<Record<string, unknown>>;
  readonly parent: LoopData | undefined;
}

/** Name resolution at one point of a template. */
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
  /** The block of `{{> @partial-block}}`. */
  readonly block?: Writer;
}

/** `self` outside of all blocks: every name a path can resolve there. */
export const ROOT = Symbol('root');

/** Handlebars' name resolution: names of the block, then `this`; prefixed paths and built-ins resolve alike everywhere. */
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

/** Resolution of `{name}`, `var` and `path`: as Handlebars in each enclosing block, then in `data`. */
export function resolveOutward(path: readonly PathStep[], run: Run, frame: Frame): unknown {
  if (visitsMany(path)) run.budget.spend(ELEMENTS_MAX);
  for (let at: Frame | undefined = frame; at; at = at.parent) {
    run.budget.spend(1);
    const value = resolve(path, run, at);
    if (value !== undefined) return value;
  }
  return lookUp(path, run.scope);
}

/** The value of `this`; outside of all blocks an object of `data` and the prefixes. */
export function selfOf(run: Run, frame: Frame): unknown {
  if (frame.self !== ROOT) return frame.self;
  const { data, profile, tenant, brand, builtIns } = run.scope;
  run.root ??= { ...builtIns, profile, tenant, brand, ...(typeof data === 'object' ? data : {}) };
  return run.root;
}
