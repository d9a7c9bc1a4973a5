import { isGiven } from '@tidings/contracts/core/refusals';
import { compileText } from '../text/template-text';
import type { RenderScope } from '../scope';
import type { Align, LetterStyle } from './blocks';
import type { CompiledBody } from './compiled';
import { colorOf, sizeOf } from './style-values';

/** Reads the fields of one node for one message: fills in variables and returns only values safe for their use. */
export class Fields {
  constructor(
    readonly body: CompiledBody,
    private readonly scope: RenderScope,
  ) {}

  /** The first present field of these, as plain text; undefined without any. */
  text(...names: readonly string[]): string | undefined {
    for (const name of names) {
      const value = this.body.fields[name];
      if (typeof value === 'string') return this.rendered(value);
      if (typeof value === 'number') return String(value);
    }
    return undefined;
  }

  /** The unrendered text of a field. */
  source(name: string): string | undefined {
    const value = this.body.fields[name];
    return typeof value === 'string' ? value : undefined;
  }

  color(...names: readonly string[]): string | undefined {
    return colorOf(this.text(...names));
  }

  size(name: string, unit?: string): string | undefined {
    return sizeOf(this.text(name), unit);
  }

  flag(name: string): boolean {
    const value = this.body.fields[name];
    return value === true || (typeof value === 'string' && this.rendered(value).trim().toLowerCase() === 'true');
  }

  oneOf<Value extends string>(allowed: readonly Value[], fallback: Value, ...names: readonly string[]): Value {
    const value = this.text(...names)?.toLowerCase();
    return allowed.find((one) => one === value) ?? fallback;
  }

  align(): Align | undefined {
    const align = this.text('align')?.toLowerCase();
    return align === 'left' || align === 'center' || align === 'right' || align === 'full' ? align : undefined;
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

  private rendered(source: string) {
    return source.includes('{') ? compileText(source, { escape: 'none', budget: this.scope.budget }).render(this.scope) : source;
  }
}

const LETTER_FIELDS = ['color', 'bold', 'italic', 'strikethrough', 'underline', 'font_size', 'line_height'];
const NO_STYLE: LetterStyle = {};
