/** The keywords of a schema in an OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** Schemas of the components, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** The schema that a reference names, or the schema itself. */
export function resolved(schema: Schema, schemas: Schemas) {
  const name = referredName(schema);
  return name === undefined ? schema : (schemas[name] ?? {});
}

/** The name of the component that a schema refers to. */
export function referredName({ $ref }: Schema) {
  return $ref?.slice($ref.lastIndexOf('/') + 1);
}

/** The alternatives of a schema, without `null`, which means absent. */
export function formsOf(schema: Schema) {
  return (schema.anyOf ?? [schema]).filter(({ type }) => type !== 'null');
}

/** The type of a value, without `null`. */
export function typeOf({ type }: Schema) {
  return [type].flat().find((one) => one !== 'null');
}

/** A class may contain itself; below this depth objects are empty. */
const DEPTH_MAX = 6;

/** Returns the function that makes a value of a schema: its example, or its required fields only. `name` is that of its field. */
export function valuesOf(schemas: Schemas) {
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

/**
 * A copy of an OpenAPI document in which every property that is a list of a component has an example, of one item with its required
 * fields, unless it has one.
 */
export function withListExamples<Document extends { readonly components: { readonly schemas: unknown } }>(document: Document): Document {
  const valueOf = valuesOf(document.components.schemas as Schemas);
  const listsIn = (properties: Readonly<Record<string, Schema>>) =>
    Object.entries(properties).map(([name, schema]): [string, Schema] => {
      const isExampleless = schema.items?.$ref !== undefined && schema.examples === undefined;
      return [name, isExampleless ? { ...schema, examples: [valueOf(schema, name)] } : schema];
    });
  // Of all the objects in a document only a schema has the type `object` and properties.
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (typeof value !== 'object' || value === null) return value;
    const { type, properties } = value as Schema;
    const own: object = type === 'object' && properties ? { ...value, properties: Object.fromEntries(listsIn(properties)) } : value;
    return Object.fromEntries(Object.entries(own as Readonly<Record<string, unknown>>).map(([name, one]) => [name, copy(one)]));
  };
  return copy(document) as Document;
}
