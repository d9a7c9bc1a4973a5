import { LIST_DEPTH_MAX } from '../limits';
import { compileRichText, type TextStyles } from '../rich-text/rich-text';
import { type RenderScope, warn } from '../scope';
import { type CompiledText, compileText } from '../text/template-text';
import { ACTION_STYLES, type Block, type ListEntry, type QuoteBlock, TEXT_STYLES, type TextBlock } from './blocks';
import type { CompiledBody, CompiledNode } from './compiled';
import type { Fields } from './fields';
import { styledHtml, textToHtml } from './inline';
import { paddingOf } from './style-values';
import { type Audience, ElementVisitor } from './element-visitor';

interface ResolveOptions extends Audience {
  /** Styles of rich text as HTML. */
  readonly styles: TextStyles;
  /** Whether `html` elements are shown at all: e-mail. */
  readonly showsHtml: boolean;
}

/** Resolved content: title, preheader and blocks, with conditions and variables applied. */
export interface ResolvedContent {
  /** Undefined without a `meta` title. */
  readonly title: string | undefined;
  /** The line that mail clients show beside the subject. */
  readonly preheader: string | undefined;
  readonly blocks: readonly Block[];
}

/** Resolves content for one recipient and channel. Throws a `ServiceError` that starts with the element's path. */
export function resolve(nodes: readonly CompiledNode[], scope: RenderScope, options: ResolveOptions): ResolvedContent {
  const refs: Record<string, unknown> = {};
  const resolver = new Resolver(options, refs);
  return resolver.content(nodes, { ...scope, refs });
}

class Resolver {
  private readonly visitor: ElementVisitor;
  private title: string | undefined;
  private preheader: string | undefined;
  private listDepth = 0;

  constructor(
    private readonly options: ResolveOptions,
    refs: Record<string, unknown>,
  ) {
    this.visitor = new ElementVisitor(options, refs);
  }

  content(nodes: readonly CompiledNode[], scope: RenderScope): ResolvedContent {
    const blocks = this.blocks(nodes, scope);
    return { title: this.title, preheader: this.preheader, blocks };
  }

  private blocks(nodes: readonly CompiledNode[], scope: RenderScope): Block[] {
    const blocks: Block[] = [];
    this.visitor.each(nodes, scope, (node, fields, inner) => this.add(blocks, node, fields, inner));
    return blocks;
  }

  private add(blocks: Block[], node: CompiledNode, fields: Fields, scope: RenderScope): void {
    switch (node.type) {
      case 'meta':
        this.title ??= fields.text('title');
        this.preheader ??= fields.text('preheader');
        return;
      case 'text':
        return void blocks.push(this.text(fields, scope));
      case 'quote':
        return void blocks.push(this.quote(fields, scope));
      case 'action':
        return void blocks.push(this.action(fields));
      case 'image':
        return void blocks.push(this.image(fields));
      case 'divider':
        return void blocks.push({ type: 'divider', color: fields.color('color') });
      case 'html':
        return this.html(blocks, fields, scope);
      // The channel is already chosen; its element is a group here.
      case 'channel':
      case 'group':
      case 'column':
        return void blocks.push(...this.blocks(fields.body.children, scope));
      case 'columns':
        return void blocks.push(this.columns(fields, scope));
      case 'list':
        return this.list(blocks, node, fields, scope);
      case 'list-item':
        return void blocks.push(...this.itemBlocks(fields, scope));
      case 'string':
      case 'link':
      case 'img':
        return void blocks.push({ type: 'text', html: this.inlinePart(node, fields), style: 'text', letters: {} });
      case 'jsonnet':
        return warn(scope, `${node.path}: elements of the type jsonnet are not supported and were left out`);
      case 'comment':
        return;
    }
  }

  private text(fields: Fields, scope: RenderScope): TextBlock {
    const style = fields.oneOf(TEXT_STYLES, 'text', 'text_style', 'textStyle');
    return { type: 'text', html: this.richText(fields, scope), style, align: fields.align(), letters: fields.letters() };
  }

  private quote(fields: Fields, scope: RenderScope): QuoteBlock {
    return { ...this.text(fields, scope), type: 'quote', borderColor: fields.color('border_color', 'borderColor') };
  }

  private richText(fields: Fields, scope: RenderScope): string {
    const { children } = fields.body;
    if (children.length > 0) {
      let html = '';
      this.visitor.each(children, scope, (node, inner) => (html += this.inlinePart(node, inner)));
      return html;
    }
    const source = fields.source('content') ?? '';
    return source && this.richTextOf(fields.body, source, scope).render(scope);
  }

  private richTextOf({ richTexts }: CompiledBody, source: string, { budget }: RenderScope): CompiledText {
    const { styles } = this.options;
    let text = richTexts.get(styles);
    if (!text) richTexts.set(styles, (text = compileRichText(source, { styles, budget })));
    return text;
  }

  private inlinePart(node: CompiledNode, fields: Fields): string {
    const linked = (html: string, href: string | undefined) => {
      const style = this.options.styles.elements.a;
      return href ? `<a href="${attribute(href)}"${style ? ` style="${style}"` : ''}>${html}</a>` : html;
    };
    switch (node.type) {
      case 'string':
        return styledHtml(textToHtml(fields.text('content') ?? ''), fields.letters());
      case 'link':
        return linked(styledHtml(textToHtml(fields.text('content') ?? fields.text('href') ?? ''), fields.letters()), fields.text('href'));
      case 'img': {
        const [src, alt, width] = [fields.text('src') ?? '', fields.text('alt_text', 'altText') ?? '', fields.size('width')];
        const style = `${this.options.styles.elements.img ?? ''}${width ? `width:${width};` : ''}`;
        return linked(`<img src="${attribute(src)}" alt="${attribute(alt)}"${style ? ` style="${style}"` : ''}>`, fields.text('href'));
      }
      default:
        return '';
    }
  }

  private action(fields: Fields): Block {
    return {
      type: 'action',
      label: fields.text('content') ?? '',
      href: fields.text('href') ?? '',
      actionId: fields.text('action_id', 'actionId'),
      style: fields.oneOf(ACTION_STYLES, 'button', 'style'),
      align: fields.align() ?? 'center',
      backgroundColor: fields.color('background_color', 'backgroundColor'),
      color: fields.color('color'),
      borderRadius: fields.size('border_radius'),
      borderSize: fields.size('border_size'),
      fontSize: fields.size('font_size'),
      padding: paddingOf(fields.text('padding')),
    };
  }

  private image(fields: Fields): Block {
    return {
      type: 'image',
      src: fields.text('src') ?? '',
      alt: fields.text('alt_text', 'altText') ?? '',
      href: fields.text('href'),
      align: fields.align() ?? 'center',
      width: fields.size('width'),
      borderColor: fields.color('border_color', 'borderColor'),
      borderSize: fields.size('border_size'),
      padding: paddingOf(fields.text('padding')),
    };
  }

  private html(blocks: Block[], fields: Fields, scope: RenderScope): void {
    if (!this.options.showsHtml) return;
    const source = fields.source('content') ?? '';
    blocks.push({ type: 'html', html: compileText(source, { escape: 'attribute', budget: scope.budget }).render(scope) });
  }

  private columns(fields: Fields, scope: RenderScope): Block {
    const columns: { width?: string; blocks: Block[] }[] = [];
    this.visitor.each(fields.body.children, scope, (node, inner, innerScope) => {
      if (node.type !== 'column') return;
      columns.push({ width: inner.size('width'), blocks: this.blocks(inner.body.children, innerScope) });
    });
    return { type: 'columns', columns };
  }

  private list(blocks: Block[], node: CompiledNode, fields: Fields, scope: RenderScope): void {
    if (this.listDepth >= LIST_DEPTH_MAX) return warn(scope, `${node.path}: lists deeper than ${LIST_DEPTH_MAX} levels were left out`);
    this.listDepth += 1;
    const items: ListEntry[] = [];
    this.visitor.each(fields.body.children, scope, (child, inner, innerScope) => {
      if (child.type === 'list-item') {
        items.push({ isItem: true, backgroundColor: inner.color('background_color'), blocks: this.itemBlocks(inner, innerScope) });
        return;
      }
      const between: Block[] = [];
      this.add(between, child, inner, innerScope);
      if (between.length > 0) items.push({ isItem: false, blocks: between });
    });
    this.listDepth -= 1;
    const src = fields.text('imgSrc');
    const image = src ? { src, href: fields.text('imgHref') } : undefined;
    if (items.length > 0) blocks.push({ type: 'list', ordered: fields.text('list_type')?.toLowerCase() === 'ordered', image, items });
  }

  /** Blocks of an item: inline parts form one text, other elements are separate blocks. */
  private itemBlocks(fields: Fields, scope: RenderScope): readonly Block[] {
    const { children } = fields.body;
    if (children.length === 0 || children.every(({ type }) => INLINE.has(type))) {
      return [{ type: 'text', html: this.richText(fields, scope), style: 'text', letters: {} }];
    }
    return this.blocks(children, scope);
  }
}

const INLINE = new Set(['string', 'link', 'img', 'comment']);

function attribute(value: string): string {
  return textToHtml(value).replaceAll('<br>\n', ' ');
}
