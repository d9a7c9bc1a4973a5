import { ServiceError } from '@tidings/contracts/core/errors';
import { unknownFields } from '@tidings/contracts/core/known-fields';
import type { LimitedQuery } from '@tidings/contracts/core/paging';
import { type AnyOperation, requestField, type RequestParts, requestParts } from '@tidings/contracts/core/request-parts';
import type { Field } from '@tidings/contracts/core/shape';
import { assertStorable } from '@tidings/contracts/core/text';
import { bodyValidatorOf, type Validator, validatorOf } from '@tidings/contracts/core/validator';
import { parseBody, parseTextBody } from './body';
import { parameterReader, type ReadParameter } from './parameters';
import { parseQuery } from './query';

/** The parts of an HTTP request that an operation's request is made of. */
export interface HttpParts {
  /** The request target as it came. */
  url: string;
  /** Values of the path's parameters, percent-decoded once; the rest of the path stands under `*`. */
  params: Readonly<Record<string, string>>;
  /** Bytes of the body; `undefined` when there was none. */
  body: Buffer | undefined;
  /** Of the body, settled by `acceptBody`. */
  headers: { readonly 'content-type'?: string };
}

interface Assembled {
  /** Checked. */
  readonly request: object;
  /** Paths in the body that have no meaning, of operations that tell of them. */
  readonly unknownFields: readonly string[];
}

/** Makes the checked request of an operation. Throws `invalid_request` naming what is wrong. */
type Assemble = (parts: HttpParts) => Assembled;

/** A parameter of the path or the query. */
interface Parameter {
  name: string;
  /** Where its value stands in the path's parameters. */
  source: string;
  read: ReadParameter;
}

/** Paths on which the literal text `undefined` means absent: an old SDK sends every filter that its caller left out. */
const UNDEFINED_MEANS_ABSENT = new Set(['/messages']);
/** Parameters of which it means so on every path: an old SDK sends it for the first page. No cursor and no number reads so. */
const PAGE_PARAMETERS = new Set<string>(['cursor', 'starting_after', 'limit'] satisfies (keyof LimitedQuery)[]);

const NO_FIELDS: readonly string[] = [];

/** Compiled once per operation, so that a request costs as little as its parts. */
export function assembler(operation: AnyOperation): Assemble {
  const parts = requestParts(operation);
  const { path, query, body, bodyField, bareArray } = parts;
  const validate: Validator<object> = bodyField ? bodyValidatorOf(operation.request, bodyField) : validatorOf(operation.request);
  const pathParameters = path.map((name) => parameter(operation, name, operation.path?.endsWith(`*${name}`) ? '*' : name));
  const queryParameters = query.map((name) => queryParameter(operation, name));
  const { textBody, knownFields } = operation;
  const takesBody = body.length > 0 || bodyField !== undefined;

  return ({ url, params, body: bytes, headers }) => {
    const request: Record<string, unknown> = {};
    let unknown: readonly string[] = NO_FIELDS;
    if (takesBody && bytes !== undefined) {
      const value = textBody ? parseTextBody(bytes, headers['content-type']) : parseBody(bytes, bareArray);
      takeBody(request, value, parts);
      if (knownFields) unknown = unknownFields(knownFields, value);
    }
    if (queryParameters.length > 0 && url.includes('?')) {
      const values = parseQuery(url);
      for (const { name, read } of queryParameters) {
        const texts = values.get(name);
        if (texts) set(request, name, read(texts));
      }
    }
    for (const { name, source, read } of pathParameters) {
      const text = params[source];
      if (!text) throw new ServiceError('invalid_request', `${name} in the path must not be empty`);
      request[name] = read([text]);
    }
    return { request: validate(request), unknownFields: unknown };
  };
}

/** Only fields that belong in the body are taken from it; a path parameter cannot be overruled by a field of its name. */
function takeBody(request: Record<string, unknown>, value: unknown, { body: fields, bodyField, bareArray }: RequestParts): void {
  if (value === undefined) return;
  if (bodyField !== undefined) {
    request[bodyField] = value;
    return;
  }
  if (bareArray !== undefined && Array.isArray(value)) {
    request[bareArray] = value;
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ServiceError(
      'invalid_request',
      `The body must be a JSON object${bareArray === undefined ? '' : ' or an array'} (got ${kindOf(value)})`,
    );
  for (const name of fields) if (Object.hasOwn(value, name)) request[name] = (value as Record<string, unknown>)[name];
}

function set(request: Record<string, unknown>, name: string, value: unknown): void {
  if (value !== undefined) request[name] = value;
}

function parameter(operation: AnyOperation, name: string, source: string): Parameter {
  const field: Field | undefined = requestField(operation, name);
  return { name, source, read: field ? parameterReader(field) : readText(name) };
}

function queryParameter(operation: AnyOperation, name: string): Parameter {
  const asWritten = parameter(operation, name, name);
  if (!PAGE_PARAMETERS.has(name) && !UNDEFINED_MEANS_ABSENT.has(operation.path ?? '')) return asWritten;
  return { ...asWritten, read: (texts) => asWritten.read(texts.filter((text) => text !== 'undefined')) };
}

/** For a parameter of the path that the request class does not declare: it is checked, then dropped by the validator. */
function readText(name: string): ReadParameter {
  return ([text]) => {
    assertStorable(text, name);
    return text;
  };
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
