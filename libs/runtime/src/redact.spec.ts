import * as fc from 'fast-check';
import { redactText } from './redact';

const HIDDEN = '[redacted]';

/** Texts of at least 6 of the characters. */
const drawnFrom = (characters: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...characters), { minLength: 6, maxLength: 60 }).map((drawn) => drawn.join(''));

const range = (from: number, to: number): string => String.fromCharCode(...Array.from({ length: to - from + 1 }, (_, at) => from + at));
const DIGITS = range(0x30, 0x39);
const LETTERS = range(0x41, 0x5a) + range(0x61, 0x7a);
const VISIBLE = range(0x21, 0x7e);
/** The alphabets in which keys are drawn. */
const ALPHABETS = {
  hex: `${DIGITS}abcdef`,
  base64: `${LETTERS}${DIGITS}+/=`,
  base64url: `${LETTERS}${DIGITS}-_`,
  'a bearer token': `${LETTERS}${DIGITS}-._~+/=`,
};
/** Any characters but blanks, which no URL has. */
const anyText = fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }).filter((text) => !/\s/.test(text));
const anyUser = anyText.map((text) => text.replaceAll(':', '')).filter((text) => !text.includes('pk_'));
const before = fc.constantFrom('', ' ', '"', "'", '(', '=', ',', 'key', '7', '_', 'é');
const after = fc.constantFrom('', ' ', '"', "'", ')', ',', '&', '\n');

describe('redactText', () => {
  it.each(Object.entries(ALPHABETS))('hides an API key of the alphabet of %s completely, wherever it stands', (_name, alphabet) => {
    const prefix = fc.constantFrom('pk_prod_', 'pk_test_');
    fc.assert(
      fc.property(before, prefix, drawnFrom(alphabet), after, (left, mode, key, right) => {
        expect(redactText(`used ${left}${mode}${key}${right} here`)).toBe(`used ${left}${mode}${HIDDEN}${right} here`);
      }),
    );
  });

  it('hides a credential of any visible characters in an Authorization header', () => {
    fc.assert(
      fc.property(fc.constantFrom('Bearer', 'bearer', 'Basic'), drawnFrom(VISIBLE), (scheme, credential) => {
        expect(redactText(`Authorization: ${scheme} ${credential} of ada`)).toBe(`Authorization: ${scheme} ${HIDDEN} of ada`);
      }),
    );
  });

  it('hides the password of a URL up to its last @, whatever characters user and password have', () => {
    const scheme = fc.constantFrom('smtp', 'postgresql', 'HTTPS', 'jdbc:postgresql', 'git+ssh');
    fc.assert(
      fc.property(before, scheme, anyUser, anyText, (left, name, user, password) => {
        const url = (shown: string): string => `to ${left}${name}://${user}:${shown}@mail.example.com:25/path?a=b refused`;
        expect(redactText(url(password))).toBe(url(HIDDEN));
      }),
    );
  });

  it('hides the passwords of several URLs, in one word too', () => {
    expect(redactText('at smtp://a:one@x, http://b:two@y/z,http://c:three@w.')).toBe(`at smtp://a:${HIDDEN}@x, http://b:${HIDDEN}@w.`);
  });

  it.each([
    'listens on http://127.0.0.1:8080 for ada@example.com',
    'https://[::1]:8443/path',
    'https://ada@example.com/inbox',
    'mailto:ada@example.com',
    'Bearer: none',
  ])('leaves "%s" as it is', (text) => {
    expect(redactText(text)).toBe(text);
  });

  it('takes linear time', () => {
    const start = performance.now();
    for (const part of ['://', 'a://b:', 'pk_prod_', 'eyJ', 'eyJa.', 'Bearer ', 'Bearer  \n']) redactText(part.repeat(50_000));
    expect(performance.now() - start).toBeLessThan(2_000);
  });
});
