import { declaredFields, type KnownFields } from './known-fields';
import type { OperationGroup } from './operation';
import { type Field, shapeOf } from './shape';

/** An operation of any request and response type. */
export type AnyOperation = OperationGroup[string];

/** The source of each request field in the HTTP request. */
export interface RequestParts {
  readonly path: readonly string[];
  readonly query: readonly string[];
  /** Fields of a JSON object in the body; empty without a body, or with `bodyField`. */
  readonly body: readonly string[];
  /** The field that gets the whole body, of any JSON type. */
  readonly bodyField?: string;
  /** The field that gets a body that is an array. */
  readonly bareArray?: string;
}

/**
 * The source of each field of a request: names in the route come from the path; other fields from the query of a GET or
 * DELETE and from the body of a POST, PUT or PATCH, unless the operation's `query` or `bodyField` names them.
 * Throws if a declared field has no source.
 */
export function requestParts(operation: AnyOperation): RequestParts {
  const { method, pathParameters: path, bodyField, bareArray, ifMatch } = operation;
  const others = shapeOf(operation.request)
    .map(({ name }) => name)
    .filter((name) => !path.includes(name) && name !== bodyField);
  if (method === 'GET' || method === 'DELETE') {
    const fromBody = bodyField ?? bareArray;
    if (fromBody) throw new Error(`${operation.pattern}: a ${method} has no body for ${fromBody}`);
    return { path, query: others, body: [] };
  }
  const query: readonly string[] = operation.query ?? (ifMatch ? [ifMatch] : []);
  const body = others.filter((name) => !query.includes(name));
  if (bareArray !== undefined && !body.includes(bareArray)) throw new Error(`${operation.pattern}: ${bareArray} is no field of the body`);
  if (bodyField === undefined) return { path, query, body, bareArray };
  if (body.length > 0)
    throw new Error(`${operation.pattern}: ${bodyField} is the whole body, which leaves no source for ${body.join(', ')}`);
  return { path, query, body: [], bodyField };
}

/** The declaration of a request's field; undefined where the class declares no such field. */
export function requestField(operation: AnyOperation, name: string): Field | undefined {
  return shapeOf(operation.request).find((field) => field.name === name);
}

/**
 * The known fields of an operation's body: those that the operation names, else those that its request declares, without those of path
 * and query. Undefined where nothing is unknown: without a body, or where the whole body is a value of any form.
 */
export function bodyFields(operation: AnyOperation): KnownFields | undefined {
  const { path, query, body, bodyField } = requestParts(operation);
  if (bodyField !== undefined) {
    const nested = requestField(operation, bodyField)?.nested;
    return nested && declaredFields(nested);
  }
  if (body.length === 0) return undefined;
  const { fields, ...known } = operation.knownFields ?? declaredFields(operation.request);
  return { ...known, fields: new Map([...fields].filter(([name]) => !path.includes(name) && !query.includes(name))) };
}
