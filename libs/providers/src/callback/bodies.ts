import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid } from '@tidings/contracts/core/refusals';
import type { CallbackRequest } from './callback';

/** The JSON value of a body. @throws ServiceError `invalid_request` */
export function jsonBody({ body }: CallbackRequest): unknown {
  try {
    return JSON.parse(body.toString()) as unknown;
  } catch {
    throw invalid('The body is not valid JSON');
  }
}

/** The JSON object of a body. @throws ServiceError `invalid_request` */
export function objectBody(request: CallbackRequest): JsonObject {
  const value = jsonBody(request);
  if (!isJsonObject(value)) throw invalid('The body is not a JSON object');
  return value;
}

/** A field that is an object; an empty one for any other value. */
export function objectIn(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The instant of a text in ISO 8601, or of a number of seconds since the epoch, also as text; else `otherwise`. */
export function instantOf(value: unknown, otherwise: number): number {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string') return otherwise;
  const ms = /^\d{1,11}(\.\d+)?$/.test(text) ? Math.round(Number(text) * 1_000) : Date.parse(text);
  return Number.isNaN(ms) ? otherwise : ms;
}

/** The simple values of a form, of the query of a GET, or of a JSON object, as texts. @throws ServiceError `invalid_request` */
export function fieldsOf(request: CallbackRequest): Readonly<Record<string, string>> {
  if (!request.headers['content-type']?.includes('json')) return Object.fromEntries(formOf(request));
  const entries = Object.entries(objectBody(request));
  return Object.fromEntries(entries.flatMap(([name, value]) => (isSimple(value) ? [[name, String(value)] as const] : [])));
}

const isSimple = (value: unknown) => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/** The fields of a form, or of the query of a GET; of a field given several times, all. */
export function formOf({ method, url, body }: CallbackRequest): URLSearchParams {
  return method === 'GET' ? new URL(url).searchParams : new URLSearchParams(body.toString());
}
