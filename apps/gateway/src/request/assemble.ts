import { invalid } from '@tidings/contracts/core/refusals';
import { unknownFields } from '@tidings/contracts/core/known-fields';
import type { LimitedQuery } from '@tidings/contracts/core/paging';
import { type AnyOperation, requestField, type RequestParts, requestParts } from '@tidings/contracts/core/request-parts';
import type { Field } from '@tidings/contracts/core/shape';
import { validatorOf } from '@tidings/contracts/core/validator';
import { parseBody, parseTextBody } from './body';
import { parameterReader, type ReadParameter, storable } from './parameters';
import { parseQuery } from './query';

/** The parts of an HTTP request that form an operation's request. */
export interface HttpParts {
  /** The request target, undecoded. */
  url: string;
  /** Values of the path's parameters, percent-decoded once; the rest of the path under `*`. */
  params: Readonly<Record<string, string>>;
  /** Bytes of the body; `undefined` without a body. */
  body: Buffer | undefined;
  /** Content type, normalised by `acceptBody`. */
  headers: { readonly 'content-type'?: string };
}

interface Assembled {
  /** Validated. */
  readonly request: object;
  /** Paths of unknown fields in the body, for operations that report them. */
  readonly unknownFields: readonly string[];
}

/** Builds the validated request of an operation. Throws `invalid_request` naming the invalid field. */
type Assemble = (parts: HttpParts) => Assembled;

/** A parameter of the path or the query. */
interface Parameter {
  name: string;
  /** Name of its value in the path's parameters. */
  source: string;
  read: ReadParameter;
}

/** Paths on which the literal text `undefined` means absent: an old SDK sends it for omitted filters. */
const UNDEFINED_MEANS_ABSENT = new Set(['/messages']);
/** Parameters for which `undefined` means absent on every path: an old SDK sends it for the first page. No cursor has this text. */
const PAGE_PARAMETERS = new Set<string>(['cursor', 'starting_after', 'limit'] satisfies (keyof LimitedQuery)[]);

const NO_FIELDS: readonly string[] = [];

/** Compiles the reader of an operation's requests, once per operation. */
export function assembler(operation: AnyOperation): Assemble {
  const parts = requestParts(operation);
  const { path, query, body, bodyField, bareArray } = parts;
  const validate = validatorOf<object>(operation.request, bodyField);
  const pathParameters = path.map((name) => parameter(operation, name, operation.path?.endsWith(`*${name}`) ? '*' : name));
  const queryParameters = query.map((name) => queryParameter(operation, name));
  const { textBody, knownFields } = operation;
  const acceptsBody = body.length > 0 || bodyField !== undefined;

  return ({ url, params, body: bytes, headers }) => {
    const request: Record<string, unknown> = {};
    let unknown: readonly string[] = NO_FIELDS;
    if (acceptsBody && bytes !== undefined) {
      const value = textBody ? parseTextBody(bytes, headers['content-type']) : parseBody(bytes, bareArray);
      applyBody(request, value, parts);
      if (knownFields) unknown = unknownFields(knownFields, value);
    }
    if (queryParameters.length > 0 && url.includes('?')) {
      const values = parseQuery(url);
      for (const { name, read } of queryParameters) {
        const texts = values.get(name);
        const value = texts && read(texts);
        if (value !== undefined) request[name] = value;
      }
    }
    for (const { name, source, read } of pathParameters) {
      const text = params[source];
      if (!text) throw invalid(`${name} in the path must not be empty`);
      request[name] = read([text]);
    }
    return { request: validate(request), unknownFields: unknown };
  };
}

/** Copies the declared body fields; a field cannot override a path parameter of its name. */
function applyBody(request: Record<string, unknown>, value: unknown, { body: fields, bodyField, bareArray }: RequestParts): void {
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
    throw invalid(`The body must be a JSON object${bareArray === undefined ? '' : ' or an array'} (got ${kindOf(value)})`);
  for (const name of fields) if (Object.hasOwn(value, name)) request[name] = (value as Record<string, unknown>)[name];
}

/** A path parameter that the request class does not declare is checked here and dropped by the validator. */
function parameter(operation: AnyOperation, name: string, source: string): Parameter {
  const field: Field | undefined = requestField(operation, name);
  return { name, source, read: field ? parameterReader(field) : ([text]) => storable(text!, name) };
}

function queryParameter(operation: AnyOperation, name: string): Parameter {
  const standard = parameter(operation, name, name);
  if (!PAGE_PARAMETERS.has(name) && !UNDEFINED_MEANS_ABSENT.has(operation.path ?? '')) return standard;
  return { ...standard, read: (texts) => standard.read(texts.filter((text) => text !== 'undefined')) };
}

function kindOf(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
