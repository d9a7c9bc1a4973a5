import { formsOf, referredName, type Schema, typeOf } from '@tidings/contracts/core/documented-schema';
import { exampleOf } from './example-of';
import { escapeHtml, htmlPage } from './html';
import { bodyOf, type DocumentedOperation, type Reference, successOf } from './reference';

/** Address of the gateway in the examples, as in README; pages are answered with the address of their request. */
export const BASE_URL = 'http://127.0.0.1:8080';

/** Most values of an enumeration that are shown. */
const VALUES_MAX = 20;

/** The page with every operation, one line each, by resource. */
export function docsIndex({ title, version, resources }: Reference) {
  const sections = [...resources].map(([resource, operations]) => {
    const path = `/docs/${encodeURIComponent(resource)}`;
    return `<h2><a href="${escapeHtml(path)}">${escapeHtml(resource)}</a></h2>\n${operationList(operations, path)}`;
  });
  return htmlPage(
    `${title}: operations`,
    `<p><a href="/">${escapeHtml(title)}</a> ${escapeHtml(version)}</p>
<h1>Operations</h1>
<p>Send <code>Authorization: Bearer &lt;API key&gt;</code> with every request. What is not served yet answers 501.
The same for machines: <a href="/openapi.json">/openapi.json</a>; events on Kafka topics: <a href="/asyncapi.json">/asyncapi.json</a>.</p>
${sections.join('\n')}`,
  );
}

/** The page of one resource: its operations with parameters and an example; `undefined` for an unknown resource. */
export function resourcePage(resource: string, reference: Reference) {
  const operations = reference.resources.get(resource);
  if (!operations) return undefined;
  const sections = operations.map((operation) => operationHtml(operation, reference));
  const objects = objectsOf(operations, reference).map((name) => {
    const title = escapeHtml(name);
    return `<h3 id="${title}">${title}</h3>\n${fieldsTable(reference.schemas[name] ?? {})}`;
  });
  return htmlPage(
    `${reference.title}: ${resource}`,
    `<p><a href="/docs">All operations</a></p>
<h1>${escapeHtml(resource)}</h1>
${operationList(operations)}
${sections.join('\n')}
${objects.length > 0 ? `<h2>Objects</h2>\n${objects.join('\n')}` : ''}`,
  );
}

/** Links to operations on the page at `path`. */
function operationList(operations: readonly DocumentedOperation[], path = '') {
  const lines = operations.map(
    (operation) =>
      `<li${offClass(operation)}><a href="${escapeHtml(path)}#${anchorOf(operation)}">${routeHtml(operation)}</a> ${summaryHtml(operation)}</li>`,
  );
  return `<ul>${lines.join('\n')}</ul>`;
}

function operationHtml(operation: DocumentedOperation, reference: Reference) {
  const head = `<h2 id="${anchorOf(operation)}"${offClass(operation)}>${routeHtml(operation)}</h2>\n<p>${summaryHtml(operation)}.`;
  if (operation['x-not-served']) return `${head} It answers 501.</p>`;
  const { parameters = [] } = operation;
  const rows = parameters.map(({ name, in: location, required, schema, description }) => [
    nameHtml(name, required),
    escapeHtml(location),
    schemaHtml(schema) + proseHtml(description),
  ]);
  const example = exampleOf(operation, reference);
  const scope = operation['x-scope'] ? ` Scope: <code>${escapeHtml(operation['x-scope'])}</code>.` : '';
  return `${head}${scope}</p>
${proseHtml(operation.description)}
${rows.length > 0 ? table(['Parameter', 'In', 'Value'], rows) : ''}
${bodyHtml(operation)}
<h3>Example</h3>
<pre>${escapeHtml(curlOf(example))}</pre>
<p>answers ${escapeHtml(example.status)}${example.answer === undefined ? ', without a body' : ''}</p>
${example.answer === undefined ? '' : `<pre>${escapeHtml(shown(example.answer))}</pre>`}`;
}

function bodyHtml(operation: DocumentedOperation) {
  const body = bodyOf(operation);
  if (!body) return '';
  const [form, ...others] = formsOf(body);
  if (!form?.properties) return `<h3>Body</h3>\n<p>${schemaHtml(body)}</p>`;
  const also = others.length > 0 ? `<p>Or ${others.map(schemaHtml).join(' or ')}.</p>` : '';
  return `<h3>Body</h3>\n${fieldsTable(form)}${also}`;
}

function fieldsTable({ properties = {}, required = [] }: Schema) {
  const rows = Object.entries(properties).map(([name, schema]) => [
    nameHtml(name, required.includes(name)),
    schemaHtml(schema) + proseHtml(schema.description),
  ]);
  return rows.length > 0 ? table(['Field', 'Value'], rows) : '<p>Any fields.</p>';
}

/** The names of all schemas that requests and answers of the operations refer to, transitively, in alphabetical order. */
function objectsOf(operations: readonly DocumentedOperation[], { schemas }: Reference) {
  const found = new Set<string>();
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    const name = referredName(value);
    if (name === undefined) Object.values(value).forEach(visit);
    else if (!found.has(name)) {
      found.add(name);
      visit(schemas[name]);
    }
  };
  for (const operation of operations.filter((one) => !one['x-not-served']))
    visit([operation.parameters, bodyOf(operation), successOf(operation)]);
  return [...found].sort();
}

/** The curl command of an example. */
function curlOf({ method, target, body }: ReturnType<typeof exampleOf>) {
  const lines = [
    `curl -sS ${method === 'GET' ? '' : `-X ${method} `}${quoted(`${BASE_URL}${target}`)}`,
    `-H 'Authorization: Bearer <API key>'`,
  ];
  if (body !== undefined) lines.push(`-H 'Content-Type: application/json'`, `-d ${quoted(JSON.stringify(body))}`);
  return lines.join(' \\\n  ');
}

/** Quotes text as one word of a shell. */
const quoted = (text: string) => (/^[\w:/.%-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);
const shown = (answer: unknown) => (typeof answer === 'string' ? answer : JSON.stringify(answer, null, 2));

const routeHtml = ({ method, path }: DocumentedOperation) => `<code class="path">${escapeHtml(`${method} ${path}`)}</code>`;
const summaryHtml = ({ summary = '' }: DocumentedOperation) => escapeHtml(summary);
const offClass = (operation: DocumentedOperation) => (operation['x-not-served'] ? ' class="off"' : '');
const anchorOf = ({ method, path }: DocumentedOperation) => `${method} ${path}`.replace(/\W+/g, '-').replace(/-$/, '').toLowerCase();
const nameHtml = (name: string, required: boolean | undefined) => `<code>${escapeHtml(name)}</code>${required ? '' : ' (optional)'}`;

function table(heads: readonly string[], rows: readonly string[][]) {
  const line = (cells: readonly string[], tag: 'td' | 'th') => `<tr>${cells.map((cell) => `<${tag}>${cell}</${tag}>`).join('')}</tr>`;
  return `<table>${line(heads, 'th')}\n${rows.map((cells) => line(cells, 'td')).join('\n')}</table>`;
}

/** A description, with the texts between its backticks as code. */
function proseHtml(description: string | undefined) {
  if (description === undefined) return '';
  return `<div>${escapeHtml(description).replace(/`([^`]+)`/g, '<code>$1</code>')}</div>`;
}

/** A schema as HTML: type with bounds, and a link to a named object. */
function schemaHtml(schema: Schema): string {
  return formsOf(schema).map(formHtml).join(' or ') || 'null';
}

function formHtml(schema: Schema): string {
  const name = referredName(schema);
  if (name !== undefined) return `<a href="#${escapeHtml(name)}">${escapeHtml(name)}</a>`;
  if (schema.enum) return valuesHtml(schema.enum);
  if (schema.const !== undefined) return valuesHtml([schema.const]);
  const type = typeOf(schema) ?? 'any';
  const { items, minItems, maxItems } = schema;
  if (type === 'array') return `array of ${items ? schemaHtml(items) : 'any'}${bounds(minItems, maxItems)}`;
  const { minLength, maxLength, minimum, maximum, format, default: preset } = schema;
  const words = [`${type}${bounds(minLength ?? minimum, maxLength ?? maximum, type === 'string' ? ' characters' : '')}`];
  if (format) words.push(format);
  if (preset !== undefined) words.push(`default ${JSON.stringify(preset)}`);
  return escapeHtml(words.join(', '));
}

function valuesHtml(values: readonly unknown[]) {
  const shown = values
    .filter((value) => value !== null)
    .slice(0, VALUES_MAX)
    .map((value) => `<code>${escapeHtml(typeof value === 'string' ? value : JSON.stringify(value))}</code>`);
  return shown.join(' ') + (values.length > VALUES_MAX ? ' …' : '');
}

function bounds(min: number | undefined, max: number | undefined, unit = '') {
  if (max === undefined) return min === undefined ? '' : ` (at least ${min}${unit})`;
  return min === undefined ? ` (at most ${max}${unit})` : ` (${min} to ${max}${unit})`;
}
