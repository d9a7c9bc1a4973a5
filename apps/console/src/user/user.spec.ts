import { whoseChoice } from './whose-choice';

it.each([
  [{ status: 'OPTED_OUT', default_status: 'OPTED_IN' }, 'user'],
  [{ status: 'OPTED_IN', default_status: 'OPTED_IN' }, 'same'],
  [{ status: 'REQUIRED', default_status: 'REQUIRED' }, 'required'],
] as const)('says whose choice %j is: %s', (preference, whose) => expect(whoseChoice(preference)).toBe(whose));
