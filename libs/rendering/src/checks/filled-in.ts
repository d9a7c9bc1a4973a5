/** Nodes whose `content` is Markdown. */
export const OF_MARKDOWN = new Set<string>(['text', 'quote', 'list-item']);
/** Nodes that are never rendered. */
export const SILENT = new Set<string>(['comment', 'jsonnet']);
/** Fields whose variables are filled in, in any node. */
export const FILLED_IN = new Set(
  (
    'title preheader content href src align text_style textStyle color alt_text altText border_color borderColor background_color ' +
    'backgroundColor style action_id actionId list_type imgSrc imgHref font_size line_height padding width border_size border_radius ' +
    'bold italic strikethrough underline'
  ).split(' '),
);
