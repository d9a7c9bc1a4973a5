import { isGiven } from '@tidings/contracts/core/refusals';
import type { RenderScope } from '../scope';
import { renderText } from '../text/template-text';
import { type Align, ALIGNS, type LetterStyle } from './blocks';
import type { CompiledNode } from './compile';
import { colorOf, sizeOf } from './style-values';

/** Reads the fields of one node for one message: fills in variables and returns only values safe for their use. */
export class Fields {
  constructor(
    readonly node: CompiledNode,
    readonly scope: RenderScope,
    /** In the recipient's language. */
    readonly body = node.body,
  ) {}

  /** The first present field of these, as plain text; undefined without any. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = this.body.fields[name];
      if (typeof value === 'string') return renderText(value, this.scope);
      if (typeof value === 'number') return String(value);
    }
    return undefined;
  }

  /** The unrendered text of a field; empty without one. */
  source(name: string): string {
    const value = this.body.fields[name];
    return typeof value === 'string' ? value : '';
  }

  color(...names: readonly string[]): string | undefined {
    return colorOf(this.text(...names));
  }

  size(name: string, unit?: string): string | undefined {
    return sizeOf(this.text(name), unit);
  }

  flag(name: string): boolean {
    const value = this.body.fields[name];
    return value === true || (typeof value === 'string' && renderText(value, this.scope).trim().toLowerCase() === 'true');
  }

  oneOf<Value extends string>(allowed: readonly Value[], ...names: readonly string[]): Value | undefined {
    const value = this.text(...names)?.toLowerCase();
    return allowed.find((one) => one === value);
  }

  align(): Align | undefined {
    return this.oneOf(ALIGNS, 'align');
  }

  letters(): LetterStyle {
    if (!LETTER_FIELDS.some((name) => isGiven(this.body.fields[name]))) return NO_STYLE;
    return {
      color: this.color('color'),
      bold: this.flag('bold'),
      italic: this.flag('italic'),
      strikethrough: this.flag('strikethrough'),
      underline: this.flag('underline'),
      fontSize: this.size('font_size'),
      lineHeight: this.size('line_height', ''),
    };
  }
}

const LETTER_FIELDS = ['color', 'bold', 'italic', 'strikethrough', 'underline', 'font_size', 'line_height'];
const NO_STYLE: LetterStyle = {};
