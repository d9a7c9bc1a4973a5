import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';

/** A JSON Schema of the document, its references as they stand there. */
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
  /** Statuses of errors that may have another body than every error has. */
  readonly ownErrors: ReadonlySet<number>;
  /** Those of them with which a text is answered as it is, and the media types that it may have. */
  readonly textTypes: ReadonlyMap<number, readonly string[]>;
  /** The document says of the whole route that it is not served: 501. */
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

/** The product's OpenAPI document, read for what it promises: which routes there are, and what their answers look like. */
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

  /** Follows `$ref`s within the document until a schema stands there itself. Throws for one that leads nowhere. */
  resolved(schema: Schema): Schema {
    let found = schema;
    while (typeof found.$ref === 'string') found = this.at(pointerOf(found.$ref)) as Schema;
    return found;
  }

  /** What is wrong with a body of this status by the document; `undefined` where it is right, or nothing is said of its content. */
  violation(operation: DescribedOperation, status: number, body: unknown): string | undefined {
    const validate = this.validatorOf(operation, status);
    if (!validate || validate(body)) return undefined;
    return this.ajv.errorsText(validate.errors, { dataVar: 'body' });
  }

  /** Whether the document promises a body with this status. */
  hasContent(operation: DescribedOperation, status: number): boolean {
    return this.validatorOf(operation, status) !== undefined;
  }

  private validatorOf({ method, path }: DescribedOperation, status: number): ValidateFunction | undefined {
    const key = `${method} ${path} ${status}`;
    if (!this.validators.has(key))
      this.validators.set(key, this.compile(['paths', path, method.toLowerCase(), 'responses', String(status)]));
    return this.validators.get(key);
  }

  private compile(place: readonly string[]): ValidateFunction | undefined {
    const response = this.at(place) as { $ref?: string } | undefined;
    const found = response?.$ref === undefined ? place : pointerOf(response.$ref);
    const schemaPlace = [...found, 'content', JSON_TYPE, 'schema'];
    return this.at(schemaPlace) === undefined ? undefined : this.ajv.compile({ $ref: `${DOCUMENT_ID}#${pointer(schemaPlace)}` });
  }

  private at(place: readonly string[]): unknown {
    return place.reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], this.document);
  }
}

function describedOperation(method: string, path: string, operation: OperationObject): DescribedOperation {
  const { parameters = [], requestBody, responses } = operation;
  const inPlace = (place: string): Parameter[] =>
    parameters.filter((parameter) => parameter.in === place).map(({ name, required = false, schema }) => ({ name, required, schema }));
  return {
    id: operation.operationId,
    method,
    path,
    pathParameters: inPlace('path'),
    queryParameters: inPlace('query'),
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
