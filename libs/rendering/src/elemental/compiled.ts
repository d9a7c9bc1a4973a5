import type { ElementalType } from '@tidings/contracts/content/elemental';
import type { Condition } from '../expressions/expression';
import type { TextStyles } from '../rich-text/rich-text';
import type { Values } from '../scope';
import type { CompiledText } from '../text/template-text';

/** The content of a node in one language. */
export interface CompiledBody {
  /** The node's fields, overridden by those of the language. */
  readonly fields: Values;
  readonly children: readonly CompiledNode[];
  /** Compiled Markdown, by styles. */
  readonly richTexts: WeakMap<TextStyles, CompiledText>;
}

/** A node, ready to be rendered any number of times. */
export interface CompiledNode {
  /** Path in the content: `elements[2].elements[0]`. */
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
