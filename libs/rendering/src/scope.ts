import type { RenderBudget } from './render-budget';
import type { Translator } from './translations/translator';

/** What variables can name. `data` is what a path without prefix looks in. All of it is JSON. */
export interface RenderContext {
  readonly data?: unknown;
  readonly profile?: unknown;
  readonly tenant?: unknown;
  readonly brand?: unknown;
  /** Names every message has, such as `messageId` and `datetime`; found behind what `data` holds under the same name. */
  readonly builtIns?: Readonly<Record<string, unknown>>;
}

/** All that the texts of one message for one channel are rendered with. */
export interface RenderScope extends RenderContext {
  /** Inside a `loop`: the element, named `$.item`. */
  readonly item?: unknown;
  /** Inside a `loop`: its number from 0, named `$.index`. */
  readonly index?: number;
  /** What earlier elements with a `ref` are, by that name; texts read them as `refs.<name>.…`. */
  readonly refs?: Readonly<Record<string, unknown>>;
  /** Handlebars sources by name, for `{{> name}}`. */
  readonly snippets?: Readonly<Record<string, string>>;
  /** What `{{t}}` asks. Without it every text is its own translation. */
  readonly catalogue?: Translator;
  /**
   * `show` (default): `{name}` stays visible and `{{name}}` prints nothing when there is nothing to put in its place.
   * `throw`: either fails with `Variable not found: <path>`.
   */
  readonly onMissing?: 'show' | 'throw';
  /** Collects what an author should know though the text was rendered. Write through `warn`. */
  readonly warnings?: string[];
  /** What the whole rendering may cost; shared by all its texts. Without it each text has a budget of its own. */
  readonly budget?: RenderBudget;
}

const WARNINGS_MAX = 50;

/** Adds to the warnings of a rendering, each sentence once and `WARNINGS_MAX` at most. */
export function warn({ warnings }: Pick<RenderScope, 'warnings'>, sentence: string): void {
  if (warnings && warnings.length < WARNINGS_MAX && !warnings.includes(sentence)) warnings.push(sentence);
}
