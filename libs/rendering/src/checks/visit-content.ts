import type { ElementalNode, ElementalOverride } from '@tidings/contracts/content/elemental';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { keyPath } from '@tidings/contracts/core/text';
import type { Values } from '../scope';

/** A text whose variables are filled in. */
export interface ContentText {
  readonly path: string;
  readonly source: string;
  readonly isMarkdown?: boolean;
  /** HTML of an `html` element. */
  readonly isHtml?: boolean;
  /** Whether a later sibling of its element ends an Outlook condition. */
  readonly isConditionEndedLater?: () => boolean;
}

/** Called in the order of the content; `path` names what it is called for. */
export interface ContentVisitor {
  /** Before the texts of an element. */
  node?(node: ElementalNode, path: string): void;
  text(text: ContentText): void;
  /** The `html` of raw content. */
  rawHtml(html: string, raw: Values, path: string): void;
}

/** Nodes whose `content` is Markdown. */
const OF_MARKDOWN = new Set<string>(['text', 'quote', 'list-item']);
/** Nodes that are never rendered. */
const SILENT = new Set<string>(['comment', 'jsonnet']);
/** Fields whose variables are filled in, in any node. */
const FILLED_IN = new Set(
  (
    'title preheader content href src align text_style textStyle color alt_text altText border_color borderColor background_color ' +
    'backgroundColor style action_id actionId list_type imgSrc imgHref font_size line_height padding width border_size border_radius ' +
    'bold italic strikethrough underline'
  ).split(' '),
);

/** Visits the texts of the elements that are rendered, in all languages. */
export function visitContent(nodes: readonly ElementalNode[], path: string, visitor: ContentVisitor): void {
  let lastEnd: number | undefined;
  nodes.forEach((node, index) => {
    if (SILENT.has(node.type)) return;
    const at = `${path}[${index}]`;
    const isConditionEndedLater = () => {
      lastEnd ??= nodes.findLastIndex((one) => JSON.stringify(one).includes('<![endif]-->'));
      return lastEnd > index;
    };
    const visitFields = (fields: Values, own: string) => {
      for (const [field, source] of Object.entries(fields)) {
        if (typeof source !== 'string' || !FILLED_IN.has(field)) continue;
        const isMarkdown = field === 'content' && OF_MARKDOWN.has(node.type);
        visitor.text({
          path: `${own}.${field}`,
          source,
          isMarkdown,
          isHtml: field === 'content' && node.type === 'html',
          isConditionEndedLater,
        });
      }
      if (Array.isArray(fields.elements)) visitContent(fields.elements as ElementalNode[], `${own}.elements`, visitor);
    };
    visitor.node?.(node, at);
    visitFields(node, at);
    if (node.type === 'channel' && isJsonObject(node.raw)) visitRaw(node.raw, `${at}.raw`, visitor);
    for (const [locale, override] of Object.entries<ElementalOverride>(node.locales ?? {})) {
      visitFields(override, keyPath(`${at}.locales`, locale));
    }
  });
}

function visitRaw(raw: Values, path: string, visitor: ContentVisitor) {
  for (const [key, value] of Object.entries(raw)) {
    if (key === 'html' && typeof value === 'string') visitor.rawHtml(value, raw, `${path}.html`);
    else visitTextsIn(value, keyPath(path, key), visitor);
  }
}

function visitTextsIn(value: unknown, path: string, visitor: ContentVisitor) {
  if (typeof value === 'string') visitor.text({ path, source: value });
  else if (Array.isArray(value)) value.forEach((item, index) => visitTextsIn(item, `${path}[${index}]`, visitor));
  else if (isJsonObject(value)) for (const [key, item] of Object.entries(value)) visitTextsIn(item, keyPath(path, key), visitor);
}
