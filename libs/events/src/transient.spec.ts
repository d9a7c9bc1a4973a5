import { ServiceError } from '@tidings/contracts/core/errors';
import { isTransientError } from './transient';

const failure = (code: string, syscall?: string): Error => Object.assign(new Error(code), { code, syscall });

describe('an error of a handler', () => {
  it.each([
    ['unavailable', new ServiceError('unavailable', 'the database is unavailable')],
    ['deadline_exceeded', new ServiceError('deadline_exceeded', 'no answer')],
    ['rate_limited', new ServiceError('rate_limited', 'too many requests')],
    ['a lost connection', failure('ECONNREFUSED')],
    ['a missing socket', failure('ENOENT', 'connect')],
  ])('is transient: %s', (_, error) => {
    expect(isTransientError(error)).toBe(true);
  });

  it.each([
    ['an invalid record', new ServiceError('invalid_request', 'the record is wrong')],
    ['a programming error', new TypeError('undefined is not a function')],
    ['a missing file', failure('ENOENT', 'open')],
    ['a statement canceled on purpose', failure('57014')],
  ])('is permanent: %s', (_, error) => {
    expect(isTransientError(error)).toBe(false);
  });
});
