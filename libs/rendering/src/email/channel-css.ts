import type { CompiledNode } from '../elemental/compiled';
import { Fields } from '../elemental/fields';
import { cssOf } from '../elemental/inline';
import type { RenderScope } from '../scope';

/** CSS for all texts in a `channel` element with sizes. */
export function channelCss(element: CompiledNode | undefined, scope: RenderScope): string {
  if (!element) return '';
  const fields = new Fields(element.body, scope);
  return cssOf({ 'font-size': fields.size('font_size'), 'line-height': fields.size('line_height', '') });
}
