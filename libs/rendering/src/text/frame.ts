import type { RenderBudget } from '../render-budget';
import type { RenderScope, Values } from '../scope';
import { descend, ELEMENTS_MAX, hasPrefix, lookUp, ownValue, type PathStep, visitsMany } from './paths';

/** Pieces of a compiled template: writers return their text, evaluators a value. */
export type Writer = (frame: Frame) => string;
export type Evaluator = (frame: Frame) => unknown;

/** One rendering of one text. */
export interface Run {
  readonly scope: RenderScope;
  readonly budget: RenderBudget;
  /** Escapes a value for the result. */
  readonly sink: (text: string) => string;
  /** Values of `{{set}}`. */
  readonly locals: Map<string, unknown>;
  /** Nesting depth of partials. */
  depth: number;
  /** `this` outside of all blocks, built on first use. */
  root?: unknown;
}

/** `@index` and the like of one loop. */
export interface LoopData {
  readonly values: Values;
  readonly parent: LoopData | undefined;
}

/** Name resolution at one point of a template. */
export interface Frame {
  readonly run: Run;
  /** Handlebars' `this`; `ROOT` outside of all blocks. */
  readonly self: unknown;
  /** The frame `../` names. */
  readonly parent?: Frame;
  readonly loop?: LoopData;
  /** Names of `as |item index|` and of a partial's parameters. */
  readonly names?: Values;
  /** Partials the text itself defined (`{{#*inline}}`). */
  readonly partials?: ReadonlyMap<string, Writer>;
  /** The block of `{{> @partial-block}}`. */
  readonly block?: Writer;
}

/** `self` outside of all blocks: every name a path can resolve there. */
export const ROOT = Symbol('root');

/** Handlebars' name resolution: names of the block, then `this`; prefixed paths and built-ins resolve alike everywhere. */
export function resolve(path: readonly PathStep[], frame: Frame, prefixed = hasPrefix(path)): unknown {
  const { run, self, names } = frame;
  if (path.length === 0) return selfOf(frame);
  const first = path[0];
  if (typeof first !== 'string') return undefined;
  const named = names && ownValue(names, first);
  if (named !== undefined) return descend(named, path, 1);
  const own = ownValue(self, first);
  if (own !== undefined) return descend(own, path, 1);
  if (run.locals.has(first)) return descend(run.locals.get(first), path, 1);
  if (!prefixed && self !== ROOT) return descend(run.scope.builtIns, path);
  return lookUp(path, run.scope, prefixed);
}

/** Resolution of `{name}`, `var` and `path`: as Handlebars in each enclosing block, then in `data`. */
export function resolveOutward(path: readonly PathStep[], frame: Frame): unknown {
  const { budget, scope } = frame.run;
  if (visitsMany(path)) budget.spend(ELEMENTS_MAX);
  for (let at: Frame | undefined = frame; at; at = at.parent) {
    budget.spend(1);
    const value = resolve(path, at);
    if (value !== undefined) return value;
  }
  return lookUp(path, scope);
}

/** The value of `this`; outside of all blocks an object of `data` and the prefixes. */
function selfOf({ run, self }: Frame) {
  if (self !== ROOT) return self;
  const { data, profile, tenant, brand, builtIns } = run.scope;
  run.root ??= { ...builtIns, profile, tenant, brand, ...(typeof data === 'object' ? data : {}) };
  return run.root;
}
