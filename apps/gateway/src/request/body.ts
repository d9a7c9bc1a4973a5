import { isUtf8 } from 'node:buffer';
import type { IncomingHttpHeaders } from 'node:http';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertStorable } from '@tidings/contracts/core/text';
import { findJsonError } from './json-error';

const JSON_TYPES = 'application/json, or a type that ends in +json, in UTF-8';
/** `application/json` or `application/problem+json`, with or without parameters. */
const JSON_TYPE = /^(?:application\/json|[\w!#$&^.+-]+\/[\w!#$&^.+-]+\+json)\s*(?:;|$)/i;
const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i;
const UTF8 = /^utf-?8$/i;
/** Longest part of a header that an error message repeats. */
const QUOTED_LENGTH_MAX = 100;

/** What a settled type says of a body: JSON, or a text. */
const JSON_BODY = 'application/json';
const TEXT_BODY = 'text/plain';

/**
 * Judges by the headers whether the body that follows can be read, before any of it is; no type at all is taken for JSON.
 * Where the body is a text, any type will do, as long as it says nothing of another charset than UTF-8.
 * The type is then settled, so that nothing behind this judges it again by rules of its own: SDKs send types without
 * bodies, on every verb. Throws `unsupported_media_type`.
 */
export function acceptBody(headers: IncomingHttpHeaders, takesBody: boolean, textBody = false): void {
  const contentType = headers['content-type'];
  if (!takesBody || !announcesBody(headers)) {
    if (textBody && contentType !== undefined && contentType.trim() !== '' && !JSON_TYPE.test(contentType.trim())) {
      headers['content-type'] = TEXT_BODY; // a text of no length is one
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
  if (charset !== undefined && !UTF8.test(charset)) throw textBody ? otherCharset(contentType) : unsupportedMediaType(contentType);
  headers['content-type'] = isJson || !textBody ? JSON_BODY : TEXT_BODY;
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  const length = headers['content-length'];
  return headers['transfer-encoding'] !== undefined || (length !== undefined && length !== '0');
}

/** The refusal of a body by its type: what came, and what is accepted. */
export function unsupportedMediaType(contentType: string): ServiceError {
  return new ServiceError('unsupported_media_type', `The body is of type ${quoted(contentType)}; accepted is ${JSON_TYPES}`);
}

function otherCharset(contentType: string): ServiceError {
  return new ServiceError('unsupported_media_type', `The body is of type ${quoted(contentType)}; accepted is any text in UTF-8`);
}

/**
 * The text that a body is, whole (`textBody` of an operation); what its type, settled by `acceptBody`, calls JSON is read as
 * such. Some clients send a JSON string and call it anything: where a text is one, it stands for the text in it.
 * No bytes are the empty text where the request says that they are a text, else `undefined`: a body was forgotten. Throws as
 * `parseBody` does.
 */
export function parseTextBody(bytes: Buffer, settledType: string | undefined): unknown {
  if (settledType === JSON_BODY) return parseBody(bytes);
  if (bytes.length === 0) return settledType === TEXT_BODY ? '' : undefined;
  const raw = readUtf8(bytes);
  const text = stringLiteral(raw) ?? raw;
  assertStorable(text, 'The body');
  return text;
}

/** The text in a JSON string; undefined where it is none. */
function stringLiteral(text: string): string | undefined {
  if (!/^\ufeff?[ \t\r\n]*"/.test(text)) return undefined;
  try {
    return JSON.parse(withoutByteOrderMark(text)) as string;
  } catch {
    return undefined;
  }
}

/**
 * The JSON value in a body; `undefined` when the body is empty, whatever its type. Throws `invalid_request` for what is
 * not UTF-8, not JSON, or could not be stored (see `assertStorable`). An array is named `arrayName` in these words.
 */
export function parseBody(bytes: Buffer, arrayName = ''): unknown {
  if (bytes.length === 0) return undefined;
  const text = withoutByteOrderMark(readUtf8(bytes));
  if (text.trim() === '') return undefined;
  const value = parseJson(text);
  assertStorable(value, Array.isArray(value) ? arrayName : '');
  return value;
}

function readUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ServiceError('invalid_request', 'The body is not valid UTF-8');
  return bytes.toString('utf8');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const { position, line, column, found } = findJsonError(text);
    throw new ServiceError(
      'invalid_request',
      `The body is not valid JSON: ${found} at position ${position} (line ${line}, column ${column}) does not belong there`,
    );
  }
}

function withoutByteOrderMark(text: string): string {
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
}

function quoted(header: string): string {
  return JSON.stringify(header.slice(0, QUOTED_LENGTH_MAX));
}
