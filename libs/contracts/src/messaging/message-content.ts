import { assertElemental } from '../content/assert-elemental';
import type { ElementalContent } from '../content/elemental';
import { buildOf } from '../core/compiled-class';
import { invalid } from '../core/refusals';
import { violationsOf } from '../core/violations';
import { assertElementChannels } from './channel-names';
import { SimpleContent } from './send';

/**
 * The validated content of a request: Elemental if it has `elements`, else the simple form.
 * @param name its name in errors.
 * @throws ServiceError `invalid_request` naming the path and the problem.
 */
export function acceptedContent(content: object, name: string): SimpleContent | ElementalContent {
  if ('elements' in content) {
    assertElemental(content, name);
    assertElementChannels(content.elements, `${name}.elements`);
    return content;
  }
  const simple = buildOf(SimpleContent)(content, 0);
  if (!simple) throw invalid(violationsOf(SimpleContent, content, { path: name }).join('; '));
  return simple as SimpleContent;
}
