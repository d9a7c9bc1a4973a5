import type { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';

const VALUE_LENGTH_SHOWN_MAX = 100;

/** `filter.operator should be equal to one of the allowed values AND, EQ, …` */
export function notAllowed(path: string, allowed: string, value: unknown): ServiceError {
  return invalid(`${path} should be equal to one of the allowed values ${allowed} (got ${shown(value)})`);
}

/** A value of a refused request for its message: scalars as JSON, arrays and objects by their kind. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string') return JSON.stringify(value.slice(0, VALUE_LENGTH_SHOWN_MAX));
  return JSON.stringify(value);
}
