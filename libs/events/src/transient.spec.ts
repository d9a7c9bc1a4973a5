import { ServiceError } from '@tidings/contracts/core/errors';
import { isTransient } from './transient';

const failure = (code: string, syscall?: string): Error => Object.assign(new Error(code), { code, syscall });

describe('an error of a handler', () => {
  it.each([
    ['unavailable', new ServiceError('unavailable', 'the database is away')],
    ['deadline_exceeded', new ServiceError('deadline_exceeded', 'no answer')],
    ['rate_limited', new ServiceError('rate_limited', 'too much at once')],
    ['a lost connection', failure('ECONNREFUSED')],
    ['a socket that is not there', failure('ENOENT', 'connect')],
  ])('is nobody’s fault, and the batch comes again: %s', (_, error) => {
    expect(isTransient(error)).toBe(true);
  });

  it.each([
    ['what the record asks for', new ServiceError('invalid_request', 'the record is wrong')],
    ['a mistake of ours', new TypeError('undefined is not a function')],
    ['a file that is not there', failure('ENOENT', 'open')],
    ['a statement that somebody canceled', failure('57014')],
  ])('blames the batch: %s', (_, error) => {
    expect(isTransient(error)).toBe(false);
  });
});
