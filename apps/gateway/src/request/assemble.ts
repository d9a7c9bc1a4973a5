import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import { assertKnownFields, unknownFields } from '@tidings/contracts/core/known-fields';
import type { LimitedQuery } from '@tidings/contracts/core/paging';
import { type AnyOperation, bodyFields, requestField, type RequestParts, requestParts } from '@tidings/contracts/core/request-parts';
import type { Field } from '@tidings/contracts/core/shape';
import { validatorOf } from '@tidings/contracts/core/validator';
import { parseBody, parseTextBody } from './body';
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

/** Paths on which the literal text `undefined` means absent: an old SDK sends it for omitted filters. */
const UNDEFINED_MEANS_ABSENT = new Set(['/messages']);
/** Parameters for which `undefined` means absent on every path: an old SDK sends it for the first page. No cursor has this text. */
const PAGE_PARAMETERS = new Set<string>(['cursor', 'starting_after', 'limit'] satisfies (keyof LimitedQuery)[]);

const NONE: readonly string[] = [];
/** Digits of a number that a warning shows. */
const DIGITS_SHOWN_MAX = 20;

/**
 * Compiles the reader of an operation's requests, once per operation. It builds the validated request, with the paths of unknown
 * fields in the body for operations that report them, the body as it was parsed, and warnings about reduced numbers. It throws `invalid_request` naming an invalid
 * field, or an unknown one.
 */
export function assembler(operation: AnyOperation) {
  const parts = requestParts(operation);
  const { path, query, body: fields, bodyField, bareArray } = parts;
  const validate = validatorOf<object>(operation.request, { bodyField, queryFields: query });
  const pathParameters = path.map((name) => {
    const source = operation.path?.endsWith(`*${name}`) ? '*' : name;
    return { name, source, read: parameterReader(operation, name) };
  });
  const queryParameters = query.map((name) => ({ name, read: queryReader(operation, name), max: greatest(operation, name) }));
  const { textBody } = operation;
  const knownFields = bodyFields(operation);
  const isReported = operation.unknownFields === 'reported';
  const acceptsBody = fields.length > 0 || bodyField !== undefined;

  return ({ url, params, body: bytes, headers }: HttpParts) => {
    const request: Record<string, unknown> = {};
    let unknown = NONE;
    let warnings = NONE;
    let body: unknown;
    if (acceptsBody && bytes !== undefined) {
      body = textBody ? parseTextBody(bytes, headers['content-type']) : parseBody(bytes, bareArray);
      applyBody(request, body, parts);
      if (knownFields && isReported) unknown = unknownFields(knownFields, body);
      else if (knownFields) assertKnownFields(knownFields, bareArray !== undefined && Array.isArray(body) ? { [bareArray]: body } : body);
    }
    if (queryParameters.length > 0 && url.includes('?')) {
      const values = parseQuery(url);
      for (const { name, read, max } of queryParameters) {
        const texts = values.get(name);
        const value = texts && read(texts);
        if (value === undefined) continue;
        const isReduced = typeof value === 'number' && value > max;
        request[name] = isReduced ? max : value;
        if (isReduced) {
          const sent = texts!.find((text) => Number(text) === value)!;
          warnings = [...warnings, `${name} ${sent.slice(0, DIGITS_SHOWN_MAX)} is more than ${max}, which was used instead`];
        }
      }
    }
    for (const { name, source, read } of pathParameters) {
      const text = params[source];
      if (!text) throw invalid(`${name} in the path must not be empty`);
      request[name] = read([text]);
    }
    return { request: validate(request), unknownFields: unknown, body, warnings };
  };
}

/** Copies the declared body fields; a field cannot override a path parameter of its name. */
function applyBody(request: Record<string, unknown>, value: unknown, { body: fields, bodyField, bareArray }: RequestParts) {
  if (value === undefined) return;
  const whole = bodyField ?? (Array.isArray(value) ? bareArray : undefined);
  if (whole !== undefined) {
    request[whole] = value;
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`The body must be a JSON object${bareArray === undefined ? '' : ' or an array'} (got ${kindOf(value)})`);
  for (const name of fields) if (Object.hasOwn(value, name)) request[name] = (value as Record<string, unknown>)[name];
}

function queryReader(operation: AnyOperation, name: string): ReadParameter {
  const read = parameterReader(operation, name);
  if (!PAGE_PARAMETERS.has(name) && !UNDEFINED_MEANS_ABSENT.has(operation.path ?? '')) return read;
  return (texts) => read(texts.filter((text) => text !== 'undefined'));
}

function kindOf(value: unknown) {
  return value === null ? 'null' : Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

/** Converts the text of a parameter; `name` is for the error message. */
type Read = (text: string, name: string) => unknown;

/** Reads the texts of one parameter; `undefined` without a text. */
type ReadParameter = (texts: readonly string[]) => unknown;

/**
 * The reader of a path or query parameter, by its declaration in the request class: texts, whole numbers, numbers, booleans, and arrays
 * of these. The values are validated later with the rest of
 * the request; this reader only refuses values of another type and text that cannot be stored. A path parameter that the request
 * class does not declare is checked here and dropped by the validator.
 */
function parameterReader(operation: AnyOperation, name: string): ReadParameter {
  const field = requestField(operation, name);
  if (!field) return ([text]) => storable(text!, name);
  const read = elementReader(field);
  const { designType, rules } = field;
  if (designType === Array || rules.some((rule) => rule.name === 'isArray' && !rule.each)) {
    return (texts) => {
      const elements = texts.flatMap(splitElements);
      return elements.length === 0 ? undefined : elements.map((text) => read(storable(text, name), name));
    };
  }
  return (texts) => {
    if (texts.length === 0) return undefined;
    if (texts.length > 1) throw invalid(`${name} is given ${texts.length} times, once is enough`);
    return read(storable(texts[0]!, name), name);
  };
}

/** Splits a value at commas. A still encoded comma was encoded twice, as an old SDK does with every value. */
function splitElements(text: string) {
  const decoded = /%2c/i.test(text) ? decodedOnceMore(text) : text;
  return decoded
    .split(',')
    .map((element) => element.trim())
    .filter((element) => element !== '');
}

function decodedOnceMore(text: string) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text.replaceAll(/%2c/gi, ',');
  }
}

function elementReader(field: Field): Read {
  const { designType, rules } = field;
  const ruleOf = (name: string) => rules.find((rule) => rule.name === name);
  if (ruleOf('isInt')) return readInteger;
  if (designType === Number || ruleOf('isNumber')) return readNumber;
  if (designType === Boolean || ruleOf('isBoolean')) return readBoolean;
  return (text) => text;
}

/** The number that a greater whole number in the query counts as: a larger page limit returns a full page. */
function greatest(operation: AnyOperation, name: string) {
  const rules = requestField(operation, name)?.rules ?? [];
  const max = rules.find((rule) => rule.name === 'max')?.parameters[0] ?? Number.MAX_SAFE_INTEGER;
  return rules.some((rule) => rule.name === 'isInt') ? Number(max) : Infinity;
}

const readInteger: Read = (text, name) => {
  if (!/^[+-]?\d+$/.test(text)) throw invalid(`${name} must be a whole number (got ${quoted(text)})`);
  return Number(text);
};

const readNumber: Read = (text, name) => {
  const number = Number(text);
  if (text.trim() === '' || !Number.isFinite(number)) throw invalid(`${name} must be a number (got ${quoted(text)})`);
  return number;
};

const readBoolean: Read = (text, name) => {
  if (/^(?:true|1)$/i.test(text)) return true;
  if (/^(?:false|0)$/i.test(text)) return false;
  throw invalid(`${name} must be true or false (got ${quoted(text)})`);
};

/** The text, if it can be stored. */
function storable(text: string, name: string) {
  assertStorable(text, name);
  return text;
}

function quoted(text: string) {
  return JSON.stringify(text.slice(0, 60));
}
