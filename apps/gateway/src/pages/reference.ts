import type { Schema, Schemas } from '@tidings/contracts/core/documented-schema';
import type { JsonSchema } from '@tidings/contracts/core/json-schema';

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
