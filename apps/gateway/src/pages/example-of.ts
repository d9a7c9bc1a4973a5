import { type Schemas, valuesOf } from '@tidings/contracts/core/documented-schema';
import { type DocumentedOperation, type Parameter, successOf } from './documented-operations';
import { ANSWERS } from './samples';

/** An example call of an operation, and its answer. */
export interface Example {
  readonly operationId: string;
  readonly method: string;
  /** The request's target with its parameters. */
  readonly target: string;
  /** The values of the parameters that are given, as they are: not encoded. */
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  /** Absent for an operation without a body, like `answer`. */
  readonly body?: unknown;
  readonly status: string;
  readonly type?: string;
  readonly answer?: unknown;
}

/** An example call of an operation: parameters and body of its description, and an answer generated from its schemas. */
export function exampleOf(operation: DocumentedOperation, schemas: Schemas): Example {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const valueOf = valuesOf(schemas);
  const given = (location: Parameter['in']) => {
    const wanted = parameters.filter((one) => one.in === location && one.required);
    return Object.fromEntries(wanted.map(({ name, example, schema }) => [name, String(example ?? valueOf(schema, name))]));
  };
  const inPath = given('path');
  const query = given('query');
  const target = Object.entries(inPath).reduce((text, [name, value]) => text.replace(`{${name}}`, () => encodeURIComponent(value)), path);
  const { status, type, schema } = successOf(operation);
  return {
    operationId,
    method,
    target: Object.keys(query).length > 0 ? `${target}?${new URLSearchParams(query).toString()}` : target,
    path: inPath,
    query,
    body: requestBody?.content['application/json']?.example,
    status,
    type,
    answer: schema && (ANSWERS[operationId.replace('Draft', '')] ?? valueOf(schema)),
  };
}
