import { parseProfile } from './profile-text';
import { whoseChoice } from './whose-choice';

describe('A profile as text', () => {
  it('is a JSON object', () => expect(parseProfile('{"name":"Ada"}')).toEqual({ profile: { name: 'Ada' } }));

  it.each(['{"name":', '[]', 'null', '7'])('is not %s', (text) => expect(parseProfile(text)).toHaveProperty('problem'));
});

it.each([
  [{ status: 'OPTED_OUT', default_status: 'OPTED_IN' }, 'user'],
  [{ status: 'OPTED_IN', default_status: 'OPTED_IN' }, 'same'],
  [{ status: 'REQUIRED', default_status: 'REQUIRED' }, 'required'],
] as const)('says whose choice %j is: %s', (preference, whose) => expect(whoseChoice(preference)).toBe(whose));
