import openapiTS, { astToString } from 'openapi-typescript';

/** Fields of a schema or an operation that are for readers. */
const FOR_READERS = new Set(['description', 'summary', 'title', 'example', 'examples', 'tags']);

/** Paths of the operators' interface that the console has a screen for. */
const OF_OPERATORS = /^\/admin\/(dead-letters|workspaces($|\/:workspace_id\/(keys|limits|senders)))/;

/** The operations that the console may call: those of clients, and those of operators that it has a screen for. */
export function consoleOperations(operations, adminOperations) {
  return [...operations, ...adminOperations.map(({ outward }) => outward).filter(({ path }) => OF_OPERATORS.test(path))];
}

/** apps/console/src/api/schema.d.ts: the types of the requests and answers of an OpenAPI document, without its descriptions. */
export async function consoleTypes(document) {
  const paths = Object.entries(document.paths).map(([path, operations]) => [
    path,
    Object.fromEntries(Object.entries(operations).filter(([, operation]) => !operation['x-not-served'])),
  ]);
  const served = { ...document, paths: Object.fromEntries(paths.filter(([, operations]) => Object.keys(operations).length > 0)) };
  return `// Made by tools/write-console-types.mjs.\n${astToString(await openapiTS(withoutDescriptions(served), { alphabetize: true }))}`;
}

/** apps/console/src/api/values.ts: the lists of values from which a form of the console lets choose. */
export function consoleValues({ keyScopes, auditedResources }) {
  const list = (name, meaning, values) =>
    `/** ${meaning} */\nexport const ${name} = [\n${values.map((one) => `  '${one}',\n`).join('')}] as const;\n`;
  const scopes = list('KEY_SCOPES', 'The scopes that an API key may have.', keyScopes);
  const resources = list('AUDITED_RESOURCES', 'What audit events are about.', auditedResources);
  return `// Made by tools/write-console-types.mjs.\n${scopes}\n${resources}`;
}

/** `properties` maps names of fields, of which one may be `description`. */
function withoutDescriptions(value, areNames = false) {
  if (Array.isArray(value)) return value.map((item) => withoutDescriptions(item));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).filter(([name]) => areNames || !FOR_READERS.has(name));
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutDescriptions(field, !areNames && name === 'properties')]));
}
