import type { ElementalNode } from '@tidings/contracts/content/elemental';
import { isGiven } from '@tidings/contracts/core/refusals';
import { isBlankText } from '@tidings/contracts/core/text';

/** Fields whose text or picture is shown. */
const SHOWN = ['title', 'content', 'src'] as const;

/**
 * Why elements show nothing on any channel, whatever the data; undefined where they may show something: a title, a text, a picture, a
 * button, in any language, or raw content. Stops at the first that does.
 * @param path names the elements in the sentence.
 */
export function emptinessOf(elements: readonly ElementalNode[], path: string): string | undefined {
  if (elements.length === 0) return `${path} must have one element at least (got an empty array)`;
  return elements.some(shows) ? undefined : `${path} show nothing on any channel, as their texts are blank`;
}

/** The validated depth of content bounds the recursion. */
function shows(node: ElementalNode): boolean {
  switch (node.type) {
    case 'comment':
    case 'jsonnet':
    case 'divider':
      return false;
    case 'action':
      return true;
    case 'channel':
      if (isGiven(node.raw)) return true;
  }
  return [node, ...Object.values(node.locales ?? {})].some((fields) => {
    const elements = fields.elements as ElementalNode[] | null | undefined;
    return SHOWN.some((field) => isVisible(fields[field])) || elements?.some(shows);
  });
}

function isVisible(value: unknown) {
  return typeof value === 'string' && !isBlankText(value);
}
