import type { CompiledNode } from '../elemental/compiled';
import { Fields } from '../elemental/fields';
import type { RenderScope } from '../scope';

/** CSS for all texts in a `channel` element with sizes. */
export function channelCss(element: CompiledNode | undefined, scope: RenderScope): string {
  if (!element) return '';
  const fields = new Fields(element.body, scope);
  const [fontSize, lineHeight] = [fields.size('font_size'), fields.size('line_height', '')];
  return `${fontSize ? `font-size:${fontSize};` : ''}${lineHeight ? `line-height:${lineHeight};` : ''}`;
}
