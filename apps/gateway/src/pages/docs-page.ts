import type { JsonSchema } from '@tidings/contracts/core/json-schema';

interface Documented {
  summary?: string;
  tags?: string[];
  parameters?: JsonSchema[];
  requestBody?: JsonSchema;
  responses?: JsonSchema;
  'x-scope'?: string;
  'x-not-served'?: boolean;
}

interface Document {
  info: { title: string; version: string };
  paths: Record<string, Record<string, Documented>>;
  components: { schemas: Record<string, JsonSchema> };
}

const STYLE = `body{font:15px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a}
summary{cursor:pointer;padding:.3rem 0}code,pre{font:13px/1.45 ui-monospace,monospace}pre{background:#f4f4f4;padding:.8rem;overflow:auto}
b{display:inline-block;min-width:4.5rem}.off{color:#888}@media(prefers-color-scheme:dark){body{background:#161616;color:#ddd}pre{background:#222}}`;

/** Everything on the page is in the page: it works without a network, and loads nothing from anyone. */
export const DOCS_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'";

/** One page that lists the operations of an OpenAPI document, by resource. */
export function docsPage(document: JsonSchema): string {
  const { info, paths, components } = document as unknown as Document;
  const byTag = new Map<string, string[]>();
  for (const [path, verbs] of Object.entries(paths)) {
    for (const [verb, operation] of Object.entries(verbs)) {
      const tag = operation.tags?.[0] ?? '';
      byTag.set(tag, [...(byTag.get(tag) ?? []), operationHtml(verb, path, operation)]);
    }
  }
  const sections = [...byTag].map(([tag, operations]) => `<h2>${escape(tag)}</h2>${operations.join('')}`);
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<details id="${escape(name)}"><summary><code>${escape(name)}</code></summary>${json(schema)}</details>`,
  );
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(info.title)}</title>
<style>${STYLE}</style><h1>${escape(info.title)} <small>${escape(info.version)}</small></h1>
<p>The same as a document for machines: <a href="/openapi.json">/openapi.json</a>; events on Kafka topics: <a href="/asyncapi.json">/asyncapi.json</a>.
Send <code>Authorization: Bearer &lt;key&gt;</code> with every request.</p>
${sections.join('\n')}<h2>Schemas</h2>${schemas.join('\n')}</html>
`;
}

function operationHtml(verb: string, path: string, operation: Documented): string {
  const { summary = '', parameters, requestBody, responses } = operation;
  const scope = operation['x-scope'];
  const parts = [
    scope ? `<p>Scope <code>${escape(scope)}</code></p>` : '',
    parameters?.length ? `<h4>Parameters</h4>${json(parameters)}` : '',
    requestBody ? `<h4>Body</h4>${json(requestBody)}` : '',
    responses ? `<h4>Answers</h4>${json(responses)}` : '',
  ];
  const head = `<b>${escape(verb.toUpperCase())}</b> <code>${escape(path)}</code> ${escape(summary)}`;
  return `<details${operation['x-not-served'] ? ' class="off"' : ''}><summary>${head}</summary>${parts.join('')}</details>`;
}

function json(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
}

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
