import { valuesOf } from '@tidings/contracts/core/documented-schema';
import { type DocumentedOperation, type Parameter, type Reference, successOf } from './reference';
import { ANSWERS } from './samples';

/** An example call of an operation: parameters and body of its description, and an answer generated from its schemas. */
export function exampleOf(operation: DocumentedOperation, { schemas }: Reference) {
  const { operationId, method, path, parameters = [], requestBody } = operation;
  const valueOf = valuesOf(schemas);
  const textOf = ({ name, example, schema }: Parameter) => encodeURIComponent(String(example ?? valueOf(schema, name)));
  let target = path;
  for (const one of parameters.filter((parameter) => parameter.in === 'path')) target = target.replace(`{${one.name}}`, () => textOf(one));
  const inQuery = parameters.filter((one) => one.in === 'query' && one.required).map((one) => `${one.name}=${textOf(one)}`);
  const { status, type, schema } = successOf(operation);
  return {
    method,
    /** The request's target with its parameters. */
    target: inQuery.length > 0 ? `${target}?${inQuery.join('&')}` : target,
    /** Absent for an operation without a body, like `answer`. */
    body: requestBody?.content['application/json']?.example,
    status,
    type,
    answer: schema && (ANSWERS[operationId.replace('Draft', '')] ?? valueOf(schema)),
  };
}
