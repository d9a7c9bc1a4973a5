import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import { findJsonError } from './json-error';

const JSON_TYPES = 'application/json, or a type that ends in +json, in UTF-8';
/** `application/json` or `application/problem+json`, with or without parameters. */
const JSON_TYPE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const UTF8 = /^utf-?8$/i;
/** Longest part of a header that an error message repeats. */
const QUOTED_LENGTH_MAX = 100;

/** Normalised content types: JSON, or a text. */
const JSON_BODY = 'application/json';
const TEXT_BODY = 'text/plain';

/**
 * Checks by the headers whether the body can be read, before it is read; no content type means JSON. For a text body any type is
 * accepted unless it names another charset than UTF-8. The content type is then normalised, so that Fastify does not check it again
 * by other rules: SDKs send types without bodies, on every verb.
 * @throws ServiceError `unsupported_media_type`.
 */
export function acceptBody(headers: IncomingHttpHeaders, acceptsBody: boolean, textBody = false) {
  const contentType = headers['content-type'];
  if (!acceptsBody || !announcesBody(headers)) {
    if (textBody && contentType !== undefined && contentType.trim() !== '' && !JSON_TYPE.test(contentType.trim())) {
      headers['content-type'] = TEXT_BODY; // an empty text is a text
    } else if (contentType !== undefined) delete headers['content-type'];
    return;
  }
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new ServiceError('unsupported_media_type', `The body is encoded as ${quoted(encoding)}; send it as it is`);
  }
  if (contentType === undefined || contentType === JSON_BODY) return;
  const isJson = JSON_TYPE.test(contentType.trim());
  if (contentType.trim() !== '' && !isJson && !textBody) throw unsupportedMediaType(contentType);
  const charset = CHARSET.exec(contentType)?.[1];
  if (charset !== undefined && !UTF8.test(charset)) throw unsupportedMediaType(contentType, textBody ? 'any text in UTF-8' : JSON_TYPES);
  headers['content-type'] = isJson || !textBody ? JSON_BODY : TEXT_BODY;
}

function announcesBody(headers: IncomingHttpHeaders) {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The error of a refused content type, naming the received and the accepted ones. */
export function unsupportedMediaType(contentType: string, accepted = JSON_TYPES) {
  return new ServiceError('unsupported_media_type', `The body is of type ${quoted(contentType)}; accepted is ${accepted}`);
}

/**
 * The body as one text (`textBody` of an operation). A body of the normalised type JSON is parsed as JSON; some clients send a JSON
 * string under other types, so a text that is a JSON string is decoded as well. An empty body is the empty text for a text type,
 * else `undefined`: the body is missing. Throws as `parseBody`.
 */
export function parseTextBody(bytes: Buffer, normalizedType: string | undefined) {
  if (normalizedType === JSON_BODY) return parseBody(bytes);
  if (bytes.length === 0) return normalizedType === TEXT_BODY ? '' : undefined;
  const raw = readUtf8(bytes);
  const text = stringLiteral(raw) ?? raw;
  assertStorable(text, 'The body');
  return text;
}

/** The text of a JSON string; undefined for other texts. */
function stringLiteral(text: string) {
  if (!/^\ufeff?[ \t\r\n]*"/.test(text)) return undefined;
  try {
    return JSON.parse(withoutByteOrderMark(text)) as string;
  } catch {
    return undefined;
  }
}

/**
 * The JSON value of a body; `undefined` for an empty body, whatever its type. Throws `invalid_request` for bytes that are not
 * UTF-8, not JSON, or cannot be stored (see `assertStorable`). Messages name an array `arrayName`.
 */
export function parseBody(bytes: Buffer, arrayName = '') {
  if (bytes.length === 0) return undefined;
  const text = withoutByteOrderMark(readUtf8(bytes));
  if (text.trim() === '') return undefined;
  const value = parseJson(text);
  assertStorable(value, Array.isArray(value) ? arrayName : '');
  return value;
}

function readUtf8(bytes: Buffer) {
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8');
  return bytes.toString('utf8');
}

function parseJson(text: string) {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const { position, line, column, found } = findJsonError(text);
    throw invalid(`The body is not valid JSON: ${found} at position ${position} (line ${line}, column ${column}) does not belong there`);
  }
}

function withoutByteOrderMark(text: string) {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function quoted(header: string) {
  return JSON.stringify(header.slice(0, QUOTED_LENGTH_MAX));
}
