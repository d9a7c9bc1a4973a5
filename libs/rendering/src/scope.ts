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
  /** Budget of the whole rendering, shared by all its texts. Without it each text has its own. */
  readonly budget?: RenderBudget;
}

const WARNINGS_MAX = 50;

/** Adds to the warnings of a rendering, each sentence once and `WARNINGS_MAX` at most. */
export function warn({ warnings }: Pick<RenderScope, 'warnings'>, sentence: string): void {
  if (warnings && warnings.length < WARNINGS_MAX && !warnings.includes(sentence)) warnings.push(sentence);
}
