import { isJsonObject } from './deep-merge';
import { ServiceError } from './errors';
import { assertStorable } from './text';

/**
 * The object as the JSON text to store. `name` names it in errors, `path` is the prefix of its members.
 * @throws ServiceError `invalid_request` if it is no object, cannot be stored unchanged (`assertStorable`), or exceeds `bytesMax` bytes.
 */
export function storableObject(name: string, value: unknown, bytesMax: number, path = name): string {
  if (!isJsonObject(value)) throw new ServiceError('invalid_request', `${name} must be an object`);
  assertStorable({ [path]: value }, ''); // inside an object, as answers contain it: the nesting limit then holds for answers too
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw new ServiceError('invalid_request', `${name} would take ${bytes} bytes, at most ${bytesMax} are stored`);
  return text;
}
