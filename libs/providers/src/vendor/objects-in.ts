import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';

/** The objects of a list in an answer; none where the value is no list. */
export function objectsIn(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? (value as unknown[]).filter(isJsonObject) : [];
}
