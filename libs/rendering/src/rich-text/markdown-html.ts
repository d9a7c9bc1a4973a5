import MarkdownIt, { type StateBlock, type Token } from 'markdown-it';
import { BLOCK_LINE, literalBraces, TemplateMarks } from './template-marks';

/** CSS of an element's `style` attribute, by the name of the element (`p`, `a`, `td`, …), or `pre code`. */
export type ElementStyles = Readonly<Record<string, string>>;

const TEMPLATE_LINE = 'template_line';
/** One parser for all texts, since creating it is slow; parsing is synchronous, so it handles one text at a time. */
const markdown = new MarkdownIt({ html: true, breaks: true });
// Addresses are checked at output, when variables are filled in.
markdown.validateLink = () => true;
markdown.normalizeLink = (url) => url;
markdown.normalizeLinkText = (url) => url;
markdown.block.ruler.before('code', TEMPLATE_LINE, templateLine, { alt: ['paragraph', 'reference', 'blockquote', 'list'] });
markdown.renderer.rules[TEMPLATE_LINE] = (tokens, i) => `${tokens[i]?.content}\n`;
markdown.renderer.rules.fence = codeBlock;
markdown.renderer.rules.code_block = codeBlock;
const { escapeHtml, unescapeAll } = markdown.utils;

/**
 * CommonMark with tables and strikethrough; a line end is a line break. Never fails, since every text is valid Markdown. Runs in time
 * linear in the text but for constructs nested within one another, which markdown-it bounds.
 * @returns HTML with the template parts of the source; `valuesInTags`: some are inside a raw tag, where a space may end an attribute.
 */
export function markdownToHtml(source: string, styles: ElementStyles) {
  const marks = new TemplateMarks();
  const tokens = listsAroundLoops(markdown.parse(marks.mark(source), {}));
  const all = withInner(tokens);
  for (const token of all) {
    addStyle(token, styles);
    putLiteralBraces(token);
  }
  const html = markdown.renderer.render(tokens, markdown.options, {});
  return { html: marks.restore(html), valuesInTags: all.some((token) => isHtml(token) && /<[^>]*\ufdd0/.test(token.content)) };
}

/** Styles the `<pre>` of fenced and indented code alike; markdown-it itself sets a fence's attributes on the `<code>`. */
function codeBlock(tokens: Token[], index: number) {
  const token = tokens[index] as Token;
  const attribute = (name: string, value: unknown) => (typeof value === 'string' && value ? ` ${name}="${escapeHtml(value)}"` : '');
  const [language] = unescapeAll(token.info).trim().split(/\s+/, 1);
  return `<pre${attribute('style', token.attrGet('style'))}><code${attribute('style', token.meta?.code)}${attribute('class', language && `language-${language}`)}>${escapeHtml(token.content)}</code></pre>\n`;
}

/** A line of nothing but `{{#if …}}`, `{{/each}}` and similar tags is not a paragraph, and ends the one before it. */
function templateLine(state: StateBlock, startLine: number, _endLine: number, silent: boolean) {
  const start = (state.bMarks[startLine] as number) + (state.tShift[startLine] as number);
  if (state.src[start] !== '\ufdd0') return false;
  const line = state.src.slice(start, state.eMarks[startLine]);
  if (!BLOCK_LINE.test(line)) return false;
  if (silent) return true;
  const token = state.push(TEMPLATE_LINE, '', 0);
  token.content = line.trim();
  token.map = [startLine, startLine + 1];
  state.line = startLine + 1;
  return true;
}

/** `{{#each}}` around a whole list must repeat its items, not the list: swaps the two. */
function listsAroundLoops(tokens: Token[]) {
  const result = [...tokens];
  for (let i = 0; i < result.length; i += 1) {
    const [before, open] = [result[i], result[i + 1]];
    if (before?.type !== TEMPLATE_LINE || (open?.type !== 'bullet_list_open' && open?.type !== 'ordered_list_open')) continue;
    const close = closeOf(result, i + 1);
    const after = result[close + 1];
    if (after?.type !== TEMPLATE_LINE) continue;
    [result[i], result[i + 1]] = [open, before];
    [result[close], result[close + 1]] = [after, result[close] as Token];
    i += 1;
  }
  return result;
}

function closeOf(tokens: readonly Token[], open: number) {
  const { level, type } = tokens[open] as Token;
  const closing = type.replace('_open', '_close');
  for (let i = open + 1; i < tokens.length; i += 1) {
    if (tokens[i]?.level === level && tokens[i]?.type === closing) return i;
  }
  return tokens.length;
}

/** All tokens, also those within others. */
function withInner(tokens: readonly Token[]): Token[] {
  return tokens.flatMap((token) => [token, ...withInner(token.children ?? [])]);
}

function isHtml({ type }: Token) {
  return type === 'html_inline' || type === 'html_block';
}

/** Remaining braces, such as `\\{`, are literal: all template parts are already marked. */
function putLiteralBraces(token: Token) {
  if (!isHtml(token)) token.content = literalBraces(token.content);
  for (const attribute of token.attrs ?? []) attribute[1] = literalBraces(String(attribute[1]));
}

function addStyle(token: Token, styles: ElementStyles) {
  const isCodeBlock = token.tag === 'code' && token.block;
  if (isCodeBlock) token.meta = { code: styles['pre code'] };
  const style = token.nesting >= 0 && styles[isCodeBlock ? 'pre' : token.tag];
  // An existing style, the alignment of a table column, has no final semicolon.
  if (style) token.attrSet('style', [token.attrGet('style'), style].filter(Boolean).join('; '));
}
