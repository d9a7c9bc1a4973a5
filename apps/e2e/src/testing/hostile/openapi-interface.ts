import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** A JSON Schema of the document, references unresolved. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly name: string;
  readonly required: boolean;
  readonly schema: Schema;
}

/** One route as the document describes it. */
export interface DescribedOperation {
  readonly id: string;
  readonly method: string;
  /** `/profiles/{user_id}` */
  readonly path: string;
  readonly pathParameters: readonly Parameter[];
  readonly queryParameters: readonly Parameter[];
  readonly body?: Schema;
  /** Statuses that the document lists. */
  readonly statuses: ReadonlySet<number>;
  /** Statuses of errors that may have a body other than the common error body. */
  readonly ownErrors: ReadonlySet<number>;
  /** Statuses answered with plain text, with the allowed media types. */
  readonly textTypes: ReadonlyMap<number, readonly string[]>;
  /** The document marks the route as not served: 501. */
  readonly notServed: boolean;
}

interface OperationObject {
  operationId: string;
  parameters?: { name: string; in: string; required?: boolean; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string; content?: Record<string, unknown> }>;
  'x-not-served'?: boolean;
}

export interface OpenApiDocument {
  paths: Record<string, Record<string, OperationObject>>;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain';
const DOCUMENT_ID = 'openapi';

/** Routes and answer schemas of the product's OpenAPI document. */
export class DescribedInterface {
  readonly operations: readonly DescribedOperation[];
  private readonly ajv = addFormats(new Ajv2020({ strict: false, allErrors: false }));
  private readonly validators = new Map<string, ValidateFunction | undefined>();

  constructor(private readonly document: OpenApiDocument) {
    this.ajv.addSchema(document, DOCUMENT_ID);
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => describedOperation(method.toUpperCase(), path, operation)),
    );
  }

  /** Follows `$ref`s within the document to the schema. Throws for a dangling reference. */
  resolved(schema: Schema): Schema {
    let found = schema;
    while (typeof found.$ref === 'string') found = this.at(pointerOf(found.$ref)) as Schema;
    return found;
  }

  /** Schema violations of a body with this status; `undefined` when it is valid or the document has no schema. */
  violation(operation: DescribedOperation, status: number, body: unknown): string | undefined {
    const validate = this.validatorOf(operation, status);
    if (!validate || validate(body)) return undefined;
    return this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  /** Whether the document has a body schema for this status. */
  hasContent(operation: DescribedOperation, status: number): boolean {
    return this.validatorOf(operation, status) !== undefined;
  }

  private validatorOf({ method, path }: DescribedOperation, status: number): ValidateFunction | undefined {
    const key = `${method} ${path} ${status}`;
    if (!this.validators.has(key))
      this.validators.set(key, this.compile(['paths', path, method.toLowerCase(), 'responses', String(status)]));
    return this.validators.get(key);
  }

  private compile(path: readonly string[]): ValidateFunction | undefined {
    const response = this.at(path) as { $ref?: string } | undefined;
    const found = response?.$ref === undefined ? path : pointerOf(response.$ref);
    const schemaPath = [...found, 'content', JSON_TYPE, 'schema'];
    return this.at(schemaPath) === undefined ? undefined : this.ajv.compile({ $ref: `${DOCUMENT_ID}#${pointer(schemaPath)}` });
  }

  private at(path: readonly string[]): unknown {
    return path.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], this.document);
  }
}

function describedOperation(method: string, path: string, operation: OperationObject): DescribedOperation {
  const { parameters = [], requestBody, responses } = operation;
  const parametersIn = (location: string): Parameter[] =>
    parameters.filter((parameter) => parameter.in === location).map(({ name, required = false, schema }) => ({ name, required, schema }));
  return {
    id: operation.operationId,
    method,
    path,
    pathParameters: parametersIn('path'),
    queryParameters: parametersIn('query'),
    body: requestBody?.content[JSON_TYPE]?.schema,
    statuses: new Set(Object.keys(responses).map(Number)),
    ownErrors: new Set(Object.entries(responses).flatMap(([status, { $ref }]) => (Number(status) >= 400 && !$ref ? [Number(status)] : []))),
    textTypes: new Map(
      Object.entries(responses).flatMap(([status, { content = {} }]) =>
        Object.hasOwn(content, TEXT_TYPE) ? [[Number(status), Object.keys(content)] as const] : [],
      ),
    ),
    notServed: operation['x-not-served'] === true,
  };
}

/** `#/components/schemas/Profile` as keys. */
function pointerOf(reference: string): string[] {
  return reference
    .slice('#/'.length)
    .split('/')
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function pointer(keys: readonly string[]): string {
  return keys.map((key) => `/${encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))}`).join('');
}
