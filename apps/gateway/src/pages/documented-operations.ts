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

/** What an OpenAPI document says of an operation. */
export interface Described {
  readonly operationId: string;
  readonly summary?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
  readonly 'x-not-served'?: boolean;
}

/** An operation in an OpenAPI document. */
export interface DocumentedOperation extends Described {
  /** `GET` */
  readonly method: string;
  /** `/lists/{list_id}` */
  readonly path: string;
}

/** The part of an OpenAPI document that examples are made of. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: { readonly schemas: Schemas };
}

/** The operations of an OpenAPI document that are served. */
export function servedOperations(document: JsonSchema): DocumentedOperation[] {
  const { paths } = document as unknown as OpenApiDocument;
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([verb, operation]) =>
      operation['x-not-served'] ? [] : [{ ...operation, method: verb.toUpperCase(), path }],
    ),
  );
}

/** The successful answer: the highest 2xx or 3xx status (an older request form may have a lower one), media type and schema of its body. */
export function successOf({ responses }: Described): { status: string; type?: string; schema?: Schema } {
  const status = Object.keys(responses)
    .filter((one) => /^[23]/.test(one))
    .at(-1)!;
  const [media] = Object.entries(responses[status]!.content ?? {});
  return { status, type: media?.[0], schema: media?.[1].schema };
}
