import { bodyOf, type DocumentedOperation, formsOf, type Reference, resolved, type Schema, type Schemas, successOf, typeOf } from './reference';
import { ANSWERS, BODIES, sampleOf } from './samples';

/** A class may contain itself; below this depth objects are empty. */
const DEPTH_MAX = 6;

/** An example call of an operation, generated from its schemas and from sample values by field name. */
export function exampleOf(operation: DocumentedOperation, resource: string, { schemas }: Reference) {
  const { operationId, method, path, parameters = [] } = operation;
  const sampleId = operationId.replace('Draft', '');
  const values = new Values(schemas, resource);
  const text = (name: string, schema: Schema) => encodeURIComponent(String(values.of(schema, name)));
  const inPath = new Map(parameters.filter((one) => one.in === 'path').map(({ name, schema }) => [name, text(name, schema)]));
  const inQuery = parameters.filter((one) => one.in === 'query' && one.required).map(({ name, schema }) => `${name}=${text(name, schema)}`);
  const body = bodyOf(operation);
  const { status, type, schema } = successOf(operation);
  return {
    method,
    /** The request's target with its parameters. */
    target: path.replace(/\{(\w+)\}/g, (_, name: string) => inPath.get(name)!) + (inQuery.length > 0 ? `?${inQuery.join('&')}` : ''),
    /** Absent for an operation without a body, like `answer`. */
    body: body && (BODIES[sampleId] ?? values.of(body)),
    status,
    type,
    answer: schema && (ANSWERS[sampleId] ?? values.of(schema)),
  };
}

class Values {
  constructor(
    private readonly schemas: Schemas,
    private readonly resource: string,
  ) {}

  /** A value that the schema allows, with its required fields only. `name` is that of its field. */
  of(schema: Schema, name = '', depth = 0): unknown {
    const [form] = formsOf(schema);
    if (!form) return null;
    const { const: only, enum: values, default: preset } = form;
    const sample = sampleOf(this.resource, name);
    if (values) return values.includes(sample) ? sample : values[0];
    if (preset !== undefined || only !== undefined) return preset ?? only;

    const whole = resolved(form, this.schemas);
    const type = typeOf(whole);
    if (type === 'object') return this.object(whole, sample, depth);
    if (type === 'array') return [this.of(whole.items ?? {}, name.replace(/s$/, ''), depth + 1)];
    if (type === 'integer' || type === 'number') return typeof sample === 'number' ? sample : (whole.minimum ?? 1);
    if (type === 'boolean') return false;
    return FORMATS[String(form.format)] ?? (typeof sample === 'string' ? sample : name || 'text');
  }

  private object({ properties = {}, required = [] }: Schema, sample: unknown, depth: number) {
    if (required.length === 0 || depth > DEPTH_MAX) return typeof sample === 'object' ? sample : {};
    return Object.fromEntries(required.map((field) => [field, this.of(properties[field] ?? {}, field, depth + 1)]));
  }
}

const FORMATS: Readonly<Record<string, string>> = {
  uuid: '6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11',
  'date-time': '2026-03-01T10:00:00.000Z',
  date: '2026-03-01',
  email: 'ada@example.com',
  uri: 'https://example.com/hook',
};
