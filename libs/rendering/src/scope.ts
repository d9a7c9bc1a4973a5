import type { RenderBudget } from './render-budget';
import type { Translator } from './translations/catalogue';

/** JSON values by name. */
export type Values = Readonly<Record<string, unknown>>;

/** Everything that the texts of one message for one channel are rendered with. Values are JSON; a path without prefix is one of `data`. */
export interface RenderScope {
  readonly data?: unknown;
  readonly profile?: unknown;
  readonly tenant?: unknown;
  readonly brand?: unknown;
  /** Names of every message, such as `messageId` and `datetime`; `data` of the same name overrides them. */
  readonly builtIns?: Values;
  /** Inside a `loop`: the element, named `$.item`. */
  readonly item?: unknown;
  /** Inside a `loop`: its number from 0, named `$.index`. */
  readonly index?: number;
  /** Earlier elements with a `ref`, by that name; texts read them as `refs.<name>.…`. */
  readonly refs?: Values;
  /** Handlebars sources by name, for `{{> name}}`. */
  readonly snippets?: Readonly<Record<string, string>>;
  /** Translator of `{{t}}`. Without it every text is its own translation. */
  readonly catalogue?: Translator;
  /** Collects warnings to the author. Write through `warn`. */
  readonly warnings?: string[];
  /** Collects the paths of variables that are shown and have no value. Write through `addMissing`. */
  readonly missing?: MissingVariables;
  /** Budget of the whole rendering, shared by all its texts. Without it each text has its own. */
  readonly budget?: RenderBudget;
}

const WARNINGS_MAX = 50;

/** Adds to the warnings of a rendering, each sentence once and `WARNINGS_MAX` at most. */
export function warn({ warnings }: Pick<RenderScope, 'warnings'>, sentence: string): void {
  if (warnings && warnings.length < WARNINGS_MAX && !warnings.includes(sentence)) warnings.push(sentence);
}

/** Paths of the variables that a rendering shows and that have no value. */
export interface MissingVariables {
  readonly paths: string[];
  /** Those of title and preheader, which some channels do not show. */
  inTitle?: readonly string[];
}

/** Missing variables that one rendering names. */
export const MISSING_MAX = 10;
const PATH_LENGTH_MAX = 200;

/** The path of a variable as warnings name it: cut where it is too long. */
export function shownPath(path: string): string {
  return path.length <= PATH_LENGTH_MAX ? path : `${path.slice(0, PATH_LENGTH_MAX).toWellFormed()}…`;
}

/** Adds to the missing variables of a rendering, each path once and `MISSING_MAX` at most. `path` is a `shownPath`. */
export function addMissing({ missing }: Pick<RenderScope, 'missing'>, path: string): void {
  if (missing && missing.paths.length < MISSING_MAX && !missing.paths.includes(path)) missing.paths.push(path);
}
