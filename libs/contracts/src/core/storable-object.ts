import { isJsonObject } from './deep-merge';
import { ServiceError } from './errors';
import { assertStorable } from './text';

/**
 * The object as the JSON text to store; `name` stands for it in messages, `path` where a member of it is named. Throws `invalid_request` when it is no object,
 * holds what cannot be kept or carried unchanged (`assertStorable`), or takes more than `bytesMax` bytes.
 */
export function storableObject(name: string, value: unknown, bytesMax: number, path = name): string {
  if (!isJsonObject(value)) throw new ServiceError('invalid_request', `${name} must be an object`);
  assertStorable({ [path]: value }, ''); // inside an object, as it travels: what can be stored can be sent back
  const text = JSON.stringify(value);
  const bytes = Buffer.byteLength(text);
  if (bytes > bytesMax) throw new ServiceError('invalid_request', `${name} would take ${bytes} bytes, at most ${bytesMax} are stored`);
  return text;
}
