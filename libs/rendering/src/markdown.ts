import MarkdownIt, { type Token } from 'markdown-it';
import type { Segment, UrlFilter } from './compiled-text';
import { Placeholders } from './placeholders';
import { markdownToText } from './markdown-text';

/** A Markdown text, parsed once; its variables are filled in per message. */
export interface CompiledMarkdown {
  readonly html: readonly Segment[];
  readonly text: readonly Segment[];
}

export interface MarkdownOptions {
  /** Whether HTML tags in the text pass as they are. */
  readonly rawHtml: boolean;
}

/** What mail clients need to be told on each element, as few of them read a style sheet. */
const STYLES: Record<string, string> = {
  p: 'margin:0 0 16px',
  h1: 'margin:0 0 16px;font-size:26px;line-height:34px',
  h2: 'margin:0 0 16px;font-size:22px;line-height:30px',
  h3: 'margin:0 0 16px;font-size:18px;line-height:26px',
  ul: 'margin:0 0 16px;padding:0 0 0 24px',
  ol: 'margin:0 0 16px;padding:0 0 0 24px',
  blockquote: 'margin:0 0 16px;padding:0 0 0 16px;border-left:4px solid #d4d4d8;color:#52525b',
  a: 'color:#2563eb',
  img: 'max-width:100%;border:0',
  pre: 'margin:0 0 16px;padding:12px;background:#f4f4f5;white-space:pre-wrap',
  hr: 'margin:24px 0;border:0;border-top:1px solid #d4d4d8',
  table: 'margin:0 0 16px;border-collapse:collapse',
  th: 'padding:4px 12px;border:1px solid #d4d4d8',
  td: 'padding:4px 12px;border:1px solid #d4d4d8',
};

/** Only used for its rules about addresses. */
const addressRules = new MarkdownIt();
const PLAIN_URL = /^https?:\/\/[A-Za-z0-9][A-Za-z0-9.:-]*(?:[/?#][A-Za-z0-9\-._~/?#@!$&()*+,;=:]*)?$/;

/** An address that is safe to follow and rightly encoded; `#` for one that would run code or open a file. */
export const safeUrl: UrlFilter = (url) => {
  if (PLAIN_URL.test(url)) return url;
  const normalized = addressRules.normalizeLink(url.trim());
  return addressRules.validateLink(normalized) ? normalized : '#';
};

/**
 * Parses Markdown (CommonMark, tables, strikethrough; a line end is a line break). Never fails: everything is some Markdown.
 * Takes time linear in the text but for constructs nested within one another, which markdown-it bounds.
 */
export function compileMarkdown(source: string, { rawHtml }: MarkdownOptions): CompiledMarkdown {
  return (rawHtml ? withHtml : withoutHtml)(source);
}

const withHtml = compiler(true);
const withoutHtml = compiler(false);

/** A parser takes long to make, so there is one for all texts; parsing is synchronous, so it serves one text at a time. */
function compiler(rawHtml: boolean): (source: string) => CompiledMarkdown {
  let placeholders = new Placeholders();
  const markdown = new MarkdownIt({ html: rawHtml, breaks: true });
  markdown.validateLink = (url) => placeholders.has(url) || addressRules.validateLink(url);
  markdown.normalizeLink = (url) => (placeholders.has(url) ? placeholders.markAddress(url) : addressRules.normalizeLink(url));
  markdown.normalizeLinkText = (url) => (placeholders.has(url) ? url : addressRules.normalizeLinkText(url));
  markdown.renderer.rules.html_inline = (tokens, i) => placeholders.asRaw(tokens[i]?.content ?? '');
  markdown.renderer.rules.html_block = markdown.renderer.rules.html_inline;

  return (source) => {
    placeholders = new Placeholders();
    const tokens = markdown.parse(placeholders.mark(source), {});
    const text = markdownToText(tokens, placeholders);
    addStyles(tokens);
    return {
      html: placeholders.compile(markdown.renderer.render(tokens, markdown.options, {}), 'html'),
      text: placeholders.compile(text, 'none'),
    };
  };
}

function addStyles(tokens: readonly Token[]): void {
  for (const token of tokens) {
    const style = token.nesting >= 0 && STYLES[token.tag === 'code' && token.block ? 'pre' : token.tag];
    if (style) token.attrJoin('style', style);
    if (token.children) addStyles(token.children);
  }
}
