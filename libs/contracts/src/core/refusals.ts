/// <reference lib="es2024.string" />
import { isJsonObject, type JsonObject } from './deep-merge';
import { ServiceError } from './errors';

const SHOWN_LENGTH_MAX = 100;

/** An `invalid_request` error; `sentence` names the field and its value. */
export function invalid(sentence: string): ServiceError {
  return new ServiceError('invalid_request', sentence);
}

/** An `invalid_request` error: the value at `path` is not what is expected. */
export function invalidValue(path: string, expected: string, value: unknown): ServiceError {
  return invalid(`${path} must be ${expected} (got ${shown(value)})`);
}

/** A `not_found` error. */
export function notFound(sentence: string): ServiceError {
  return new ServiceError('not_found', sentence);
}

/** A `conflict` that remains however often the call is repeated; a client must not retry it. */
export function conflict(sentence: string): ServiceError {
  return new ServiceError('conflict', sentence, { shouldRetry: false });
}

/** The beginning of a JSON value, for error messages. */
export function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_LENGTH_MAX).toWellFormed();
}

/** Neither absent nor `null`. */
export function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Refuses a value that is no object; `expected` describes the object. @throws ServiceError `invalid_request`. */
export function assertObject(value: unknown, path: string, expected = 'an object'): asserts value is JsonObject {
  if (!isJsonObject(value)) throw invalidValue(path, expected, value);
}

/** As `assertObject`, without the value in the message. */
export function requireObject(value: unknown, path: string, expected = 'an object'): asserts value is JsonObject {
  if (!isJsonObject(value)) throw invalid(`${path} must be ${expected}`);
}

/** Refuses a value that is no array; `expected` describes the array. @throws ServiceError `invalid_request`. */
export function requireArray(value: unknown, path: string, expected = 'an array'): asserts value is unknown[] {
  if (!Array.isArray(value)) throw invalid(`${path} must be ${expected}`);
}

/** Refuses a value that is not a text, or has more than `lengthMax` characters. @throws ServiceError `invalid_request`. */
export function assertText(value: unknown, path: string, lengthMax: number): asserts value is string {
  if (typeof value !== 'string') throw invalidValue(path, 'a text', value);
  assertAtMost(lengthMax, value.length, path, 'characters');
}

/** Refuses more than `most` of something. @throws ServiceError `invalid_request`. */
export function assertAtMost(most: number, count: number, path: string, unit = 'entries'): void {
  if (count > most) throw invalid(`${path} has ${count} ${unit}, at most ${most} are allowed`);
}
