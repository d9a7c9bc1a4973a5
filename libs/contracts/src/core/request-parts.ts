import type { OperationGroup } from './operation';
import { type Field, shapeOf } from './shape';

/** An operation whose request and response are of no interest. */
export type AnyOperation = OperationGroup[string];

/** Where the fields of a request stand in the HTTP request. */
export interface RequestParts {
  readonly path: readonly string[];
  readonly query: readonly string[];
  /** Fields of a JSON object in the body; empty where there is no body or where `bodyField` takes it. */
  readonly body: readonly string[];
  /** The field that the whole body becomes, whatever it is. */
  readonly bodyField?: string;
  /** The field of the body that a body without fields, an array, becomes. */
  readonly bareArray?: string;
}

/**
 * Which fields of the request come from where: names in the route from the path; the others from the query of a GET or
 * DELETE and from the body of a POST, PUT or PATCH, unless the operation's `query` or `bodyField` names them.
 * Throws where a declared field would come from nowhere.
 */
export function requestParts(operation: AnyOperation): RequestParts {
  const { method, pathParameters: path, bodyField, bareArray } = operation;
  const others = shapeOf(operation.request)
    .fields.map(({ name }) => name)
    .filter((name) => !path.includes(name) && name !== bodyField);
  if (method === 'GET' || method === 'DELETE') {
    const taken = bodyField ?? bareArray;
    if (taken) throw new Error(`${operation.pattern}: a ${method} has no body for ${taken}`);
    return { path, query: others, body: [] };
  }
  const query: readonly string[] = operation.query ?? [];
  const body = others.filter((name) => !query.includes(name));
  if (bareArray !== undefined && !body.includes(bareArray)) throw new Error(`${operation.pattern}: ${bareArray} is no field of the body`);
  if (bodyField === undefined) return { path, query, body, ...(bareArray !== undefined && { bareArray }) };
  if (body.length > 0) throw new Error(`${operation.pattern}: ${bodyField} takes the whole body, nothing is left for ${body.join(', ')}`);
  return { path, query, body: [], bodyField };
}

/** The declaration of a request's field; undefined where the class declares no such field. */
export function requestField(operation: AnyOperation, name: string): Field | undefined {
  return shapeOf(operation.request).fields.find((field) => field.name === name);
}
