import { oneLine } from '../one-line';
import { compileRichText, type TextStyles } from '../rich-text/rich-text';
import { type RenderScope, warn } from '../scope';
import { renderText } from '../text/template-text';
import { actionBlock, type Block, imageBlock, type ListBlock, type ListEntry, TEXT_STYLES, type TextBlock } from './blocks';
import type { CompiledNode } from './compile';
import type { Fields } from './fields';
import { styledHtml, textToHtml } from './inline';
import { type Audience, ElementVisitor } from './element-visitor';

/** Nesting depth of lists; deeper ones are left out with a warning. */
const LIST_DEPTH_MAX = 5;

interface ResolveOptions extends Audience {
  /** Styles of rich text as HTML. */
  readonly styles: TextStyles;
  /** Whether `html` elements are shown at all: e-mail. */
  readonly showsHtml: boolean;
}

/** Resolved content: title, preheader and blocks, with conditions and variables applied. */
export interface ResolvedContent {
  /** One line; empty without a `meta` title. */
  readonly title: string;
  /** The line that mail clients show beside the subject. */
  readonly preheader: string;
  readonly blocks: readonly Block[];
}

/** Resolves content, once, for one recipient and channel. Throws a `ServiceError` that starts with the element's path. */
export class Resolver {
  private readonly visitor: ElementVisitor;
  private title: string | undefined;
  private preheader: string | undefined;
  private listDepth = 0;

  constructor(private readonly options: ResolveOptions) {
    this.visitor = new ElementVisitor(options);
  }

  content(nodes: readonly CompiledNode[], scope: RenderScope): ResolvedContent {
    const blocks = this.blocks(nodes, Object.assign({}, scope, { refs: this.visitor.refs }));
    return { title: oneLine(this.title ?? ''), preheader: oneLine(this.preheader ?? ''), blocks };
  }

  private blocks(nodes: readonly CompiledNode[], scope: RenderScope): Block[] {
    return this.visitor.flatMap(nodes, scope, (fields) => this.blocksOf(fields));
  }

  private blocksOf(fields: Fields): readonly Block[] {
    const { node, scope } = fields;
    const { children } = fields.body;
    switch (node.type) {
      case 'meta':
        this.resolveTitle(fields);
        return [];
      case 'text':
        return [this.text(fields)];
      case 'quote':
        return [{ ...this.text(fields), type: 'quote', borderColor: fields.color('border_color', 'borderColor') }];
      case 'action':
        return [actionBlock(fields)];
      case 'image':
        return [imageBlock(fields)];
      case 'divider':
        return [{ type: 'divider', color: fields.color('color') }];
      case 'html':
        return this.options.showsHtml ? [{ type: 'html', html: renderText(fields.source('content'), scope, 'attribute') }] : [];
      // The channel is already chosen; its element is a group here.
      case 'channel':
      case 'group':
      case 'column':
        return this.blocks(children, scope);
      case 'columns':
        return [{ type: 'columns', columns: this.columns(fields) }];
      case 'list':
        return this.list(fields);
      case 'list-item':
        // Inline parts form one text, other elements are separate blocks.
        if (children.some(({ type }) => !INLINE.has(type))) return this.blocks(children, scope);
        return [inlineText(this.richText(fields))];
      case 'string':
      case 'link':
      case 'img':
        return [inlineText(this.inlinePart(fields))];
      case 'jsonnet':
        warn(scope, `${node.path}: elements of the type jsonnet are not supported and were left out`);
        return [];
      case 'comment':
        return [];
    }
  }

  private resolveTitle(fields: Fields) {
    const { missing } = fields.scope;
    const before = missing?.paths.length ?? 0;
    this.title ??= fields.text('title');
    if (this.options.showsHtml) this.preheader ??= fields.text('preheader');
    if (missing && missing.paths.length > before) missing.inTitle = [...(missing.inTitle ?? []), ...missing.paths.splice(before)];
  }

  private text(fields: Fields): TextBlock {
    const style = fields.oneOf(TEXT_STYLES, 'text_style', 'textStyle') ?? 'text';
    return { type: 'text', html: this.richText(fields), style, align: fields.align(), letters: fields.letters() };
  }

  private richText(fields: Fields) {
    const { body, scope } = fields;
    if (body.children.length > 0) return this.visitor.flatMap(body.children, scope, (inner) => [this.inlinePart(inner)]).join('');
    const source = fields.source('content');
    if (source === '') return '';
    const { styles } = this.options;
    let text = body.richTexts.get(styles);
    if (!text) body.richTexts.set(styles, (text = compileRichText(source, styles, scope.budget)));
    return text(scope);
  }

  private inlinePart(fields: Fields) {
    switch (fields.node.type) {
      case 'string':
        return styledHtml(textToHtml(fields.text('content') ?? ''), fields.letters());
      case 'link':
        return this.linked(styledHtml(textToHtml(fields.text('content', 'href') ?? ''), fields.letters()), fields);
      case 'img': {
        const [src, alt, width] = [fields.text('src') ?? '', fields.text('alt_text', 'altText') ?? '', fields.size('width')];
        const style = `${this.options.styles.elements.img ?? ''}${width ? `width:${width};` : ''}`;
        return this.linked(`<img src="${attribute(src)}" alt="${attribute(alt)}"${style ? ` style="${style}"` : ''}>`, fields);
      }
      default:
        return '';
    }
  }

  private linked(html: string, fields: Fields) {
    const href = fields.text('href');
    const style = this.options.styles.elements.a;
    return href ? `<a href="${attribute(href)}"${style ? ` style="${style}"` : ''}>${html}</a>` : html;
  }

  private columns({ body, scope }: Fields) {
    return this.visitor.flatMap(body.children, scope, (column) =>
      column.node.type === 'column' ? [{ width: column.size('width'), blocks: this.blocks(column.body.children, column.scope) }] : [],
    );
  }

  private list(fields: Fields): ListBlock[] {
    const { node, scope, body } = fields;
    if (this.listDepth >= LIST_DEPTH_MAX) {
      warn(scope, `${node.path}: lists deeper than ${LIST_DEPTH_MAX} levels were left out`);
      return [];
    }
    this.listDepth += 1;
    const items = this.visitor.flatMap(body.children, scope, (child): ListEntry[] => {
      const isItem = child.node.type === 'list-item';
      const backgroundColor = isItem ? child.color('background_color') : undefined;
      const blocks = this.blocksOf(child);
      return isItem || blocks.length > 0 ? [{ isItem, backgroundColor, blocks }] : [];
    });
    this.listDepth -= 1;
    const src = fields.text('imgSrc');
    const image = src ? { src, href: fields.text('imgHref') } : undefined;
    return items.length > 0 ? [{ type: 'list', ordered: fields.text('list_type')?.toLowerCase() === 'ordered', image, items }] : [];
  }
}

const INLINE = new Set(['string', 'link', 'img', 'comment']);

function inlineText(html: string): TextBlock {
  return { type: 'text', html, style: 'text', letters: {} };
}

function attribute(value: string) {
  return textToHtml(value).replaceAll('<br>\n', ' ');
}
