const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f4f4f4;padding:.8rem;white-space:pre-wrap;overflow-wrap:anywhere}a{color:#1d4ed8}
table{border-collapse:collapse;width:100%}iframe{width:100%;height:36rem;border:1px solid #e4e4e7;background:#fff}td,th{text-align:left;vertical-align:top;padding:.25rem .6rem .25rem 0;border-bottom:1px solid #e4e4e7}
h2{margin-top:2.5rem;border-top:1px solid #e4e4e7;padding-top:1rem}h2 code{font-size:1.1rem;font-weight:600}h3{margin:1rem 0 .2rem;font-size:1rem}ul{padding-left:1.2rem}
.off{color:#777}.path{overflow-wrap:anywhere}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#222}
a{color:#93c5fd}td,th,h2{border-color:#333}}`;

/** Pages are self-contained: they load nothing. */
export const PAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
export const HTML_TYPE = 'text/html; charset=utf-8';

/** A complete page; `body` is HTML. */
export function htmlPage(title: string, body: string) {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head>
<body>
${body}
</body></html>
`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** Escapes text for element content and quoted attributes. */
export function escapeHtml(text: string) {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
