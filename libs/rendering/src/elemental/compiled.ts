import type { ElementalType } from '@tidings/contracts/content/elemental';
import type { Condition } from '../expressions/expression';
import type { TextStyles } from '../rich-text/rich-text';
import type { CompiledText } from '../text/template-text';

/** A field of a node: finished, or a text with variables. */
export type Field = string | CompiledText;

/** A compiled Markdown text, and whether HTML tags pass in it. */
interface RichText {
  readonly rawHtml: boolean;
  readonly text: CompiledText;
}

/** What a node says, in one language. */
export interface CompiledBody {
  /** The node's own fields with those of the language in their place. */
  readonly fields: Readonly<Record<string, unknown>>;
  readonly children: readonly CompiledNode[];
  /** Fields that may hold variables, compiled when first asked for. */
  readonly texts: Map<string, Field>;
  /** Its Markdown, by how it is to styles. */
  readonly richTexts: WeakMap<TextStyles, RichText>;
}

/** A node, ready to be rendered any number of times. */
export interface CompiledNode {
  /** Where it stands, as its author finds it: `elements[2].elements[0]`. */
  readonly path: string;
  readonly type: ElementalType;
  readonly channels: ReadonlySet<string> | undefined;
  readonly loop: string | undefined;
  readonly condition: Condition | undefined;
  readonly ref: string | undefined;
  readonly body: CompiledBody;
  /** By canonical locale: `fr_FR`. */
  readonly languages: ReadonlyMap<string, CompiledBody>;
}

/** Content, ready to be rendered any number of times. */
export interface CompiledContent {
  readonly nodes: readonly CompiledNode[];
}
