import type { JsonSchema } from '@tidings/contracts/core/json-schema';
import { servedOperations } from './documented-operations';
import { escapeHtml } from './html';

/** What the reference shows in a browser that runs no scripts, and to programs: every operation, one line each. */
export function docsWithoutScript(document: JsonSchema): string {
  const lines = servedOperations(document).map(
    ({ method, path, summary = '' }) => `<li><code>${escapeHtml(`${method} ${path}`)}</code> ${escapeHtml(summary)}</li>`,
  );
  return `<p>Search, schemas and examples need JavaScript; <a href="/openapi.json">/openapi.json</a> and
<a href="/asyncapi.json">/asyncapi.json</a> have all of it for tools.</p>
<ul>${lines.join('\n')}</ul>`;
}
