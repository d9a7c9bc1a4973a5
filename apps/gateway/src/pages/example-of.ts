import {
  type DocumentedOperation,
  formsOf,
  type Parameter,
  type Reference,
  resolved,
  type Schema,
  type Schemas,
  successOf,
  typeOf,
} from './reference';
import { ANSWERS } from './samples';

/** A class may contain itself; below this depth objects are empty. */
const DEPTH_MAX = 6;

/** An example call of an operation: parameters and body of its description, and an answer generated from its schemas. */
export function exampleOf(operation: DocumentedOperation, { schemas }: Reference) {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const valueOf = valuesOf(schemas);
  const textOf = ({ name, example, schema }: Parameter) => encodeURIComponent(String(example ?? valueOf(schema, name)));
  let target = path;
  for (const one of parameters.filter((parameter) => parameter.in === 'path')) target = target.replace(`{${one.name}}`, () => textOf(one));
  const inQuery = parameters.filter((one) => one.in === 'query' && one.required).map((one) => `${one.name}=${textOf(one)}`);
  const { status, type, schema } = successOf(operation);
  return {
    method,
    /** The request's target with its parameters. */
    target: inQuery.length > 0 ? `${target}?${inQuery.join('&')}` : target,
    /** Absent for an operation without a body, like `answer`. */
    body: requestBody?.content['application/json']?.example,
    status,
    type,
    answer: schema && (ANSWERS[operationId.replace('Draft', '')] ?? valueOf(schema)),
  };
}

/** Returns the function that makes a value of a schema: its example, or its required fields only. `name` is that of its field. */
function valuesOf(schemas: Schemas) {
  const valueOf = (schema: Schema, name = '', depth = 0): unknown => {
    const [example] = schema.examples ?? [];
    if (example !== undefined) return example;
    const [form] = formsOf(schema);
    if (!form) return null;
    const { const: only, enum: values, default: preset } = form;
    if (values) return values[0];
    if (preset !== undefined || only !== undefined) return preset ?? only;

    const { properties = {}, required = [], items = {}, minimum = 1, ...whole } = resolved(form, schemas);
    const type = typeOf(whole);
    if (type === 'object') {
      if (depth > DEPTH_MAX) return {};
      return Object.fromEntries(required.map((field) => [field, valueOf(properties[field] ?? {}, field, depth + 1)]));
    }
    if (type === 'array') return [valueOf(items, name.replace(/s$/, ''), depth + 1)];
    if (type === 'integer' || type === 'number') return minimum;
    if (type === 'boolean') return false;
    return FORMATS[String(form.format)] ?? (name || 'text');
  };
  return valueOf;
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11',
  'date-time': '2026-03-01T10:00:00.000Z',
  date: '2026-03-01',
  email: 'ada@example.com',
  uri: 'https://example.com/hook',
};
