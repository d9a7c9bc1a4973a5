import type { JsonSchema } from '@tidings/contracts/core/json-schema';

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

/** A parameter of an operation, as OpenAPI describes it. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema; readonly example?: unknown }>>;

/** An operation in an OpenAPI document. */
export interface DocumentedOperation {
  /** `GET` */
  readonly method: string;
  /** `/lists/{list_id}` */
  readonly path: string;
  readonly operationId: string;
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-scope'?: string;
  readonly 'x-not-served'?: boolean;
}

/** Schemas of the components, by name. */
export type Schemas = Readonly<Record<string, Schema>>;

/** An OpenAPI document, grouped by resource. */
export interface Reference {
  readonly title: string;
  readonly version: string;
  /** By the first segment of their paths, in alphabetical order. */
  readonly resources: ReadonlyMap<string, readonly DocumentedOperation[]>;
  readonly schemas: Schemas;
}

interface Document {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Record<string, Record<string, Omit<DocumentedOperation, 'method' | 'path'>>>;
  readonly components: { readonly schemas: Schemas };
}

/** Groups the operations of an OpenAPI document by resource. */
export function referenceOf(document: JsonSchema): Reference {
  const { info, paths, components } = document as unknown as Document;
  const resources = new Map<string, DocumentedOperation[]>();
  for (const [path, verbs] of Object.entries(paths)) {
    const resource = path.split('/')[1]!;
    const operations = Object.entries(verbs).map(([verb, operation]) => ({ ...operation, method: verb.toUpperCase(), path }));
    resources.set(resource, [...(resources.get(resource) ?? []), ...operations]);
  }
  const sorted = [...resources].sort(([one], [other]) => (one < other ? -1 : 1));
  return { ...info, resources: new Map(sorted), schemas: components.schemas };
}

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

/** The schema of the JSON body of a request; undefined where it has none. */
export function bodyOf({ requestBody }: DocumentedOperation) {
  return requestBody?.content['application/json']?.schema;
}

/** The successful answer: the highest 2xx status (an older request form may have a lower one), media type and schema of its body. */
export function successOf({ responses }: DocumentedOperation): { status: string; type?: string; schema?: Schema } {
  const status = Object.keys(responses)
    .filter((one) => one.startsWith('2'))
    .at(-1)!;
  const [media] = Object.entries(responses[status]!.content ?? {});
  return { status, type: media?.[0], schema: media?.[1].schema };
}
