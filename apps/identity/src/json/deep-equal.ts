import { isJsonObject } from '@tidings/contracts/core/deep-merge';

/**
 * Whether two JSON values are equal by RFC 6902 §4.6: the order of an object's keys does not count, numbers compare
 * by value (`0` equals `-0`).
 */
export function deepEqual(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => deepEqual(item, other[index]));
  }
  if (!isJsonObject(one) || !isJsonObject(other)) return false;

  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => Object.hasOwn(other, key) && deepEqual(one[key], other[key]));
}
