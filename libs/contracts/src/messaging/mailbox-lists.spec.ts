import { expectLinear } from '@tidings/testing/cpu-time';
import { mailboxText, parseMailbox, parseMailboxes } from './mailbox';

describe('a list of addresses', () => {
  it.each([
    ['a@b.c', ['a@b.c']],
    ['a@b.c, d@e.f', ['a@b.c', 'd@e.f']],
    ['a@b.c; d@e.f,', ['a@b.c', 'd@e.f']],
    ['Ada <a@b.c>', ['"Ada" <a@b.c>']],
    ['<a@b.c>', ['a@b.c']],
    ['"Lovelace, Ada <x@y.z>" <a@b.c>, d@e.f', ['"Lovelace, Ada <x@y.z>" <a@b.c>', 'd@e.f']],
    ['"The \\"Shop\\"" <a@b.c>', ['"The \\"Shop\\"" <a@b.c>']],
    ['"Käse & Söhne (Zürich)" <a@käse.example>', ['"Käse & Söhne (Zürich)" <a@xn--kse-qla.example>']],
    ['', []],
    [' , ', []],
  ])('parses %j as %j', (text, expected) => {
    const found = parseMailboxes(text);

    expect('wrong' in found ? found : found.map(mailboxText)).toEqual(expected);
  });

  it.each([
    ['a@b.c d@e.f'],
    ['a@b.c\r\nBcc: d@e.f'],
    ['a@b.c\nd@e.f'],
    ['Ada <a@b.c> <d@e.f>'],
    ['Ada <a@b.c> d@e.f'],
    ['Ada <a@b.c'],
    ['Ada <a@b.c, d@e.f>'],
    ['"Ada <a@b.c>'],
    ['"d@e.f "@b.c'],
    ['Lovelace, Ada <a@b.c>'],
    ['friends: a@b.c, d@e.f;'],
    ['(d@e.f) a@b.c'],
    ['a@b.c>'],
    ['plain'],
    ['a@b.c <d@e.f>'],
    ['Söhne (Zürich) <a@b.c>'],
    ['<>'],
    ['a@b\u0000.c'],
    ['a\u2028@b.c'],
    [`${'a@b.c,'.repeat(101)}`],
    ['a'.repeat(70_000)],
  ])('refuses %j as ambiguous or invalid', (text) => {
    expect(parseMailboxes(text)).toHaveProperty('wrong');
  });

  it.each<[string, (size: number) => string]>([
    ['spaces', (size) => ' '.repeat(size)],
    ['spaces between characters', (size) => `a${' '.repeat(size)}b`],
    ['brackets', (size) => '<'.repeat(size)],
    ['escapes', (size) => '"\\'.repeat(size / 2)],
    ['quotes', (size) => '"'.repeat(size + 1)],
  ])('is parsed in linear time, made of %s', (_, makeText) => {
    expectLinear(60_000, (size) => parseMailboxes(makeText(size)));
  });

  it('is no mailbox unless it has exactly one address', () => {
    expect(parseMailbox('a@b.c, d@e.f')).toBeUndefined();
    expect(parseMailbox('')).toBeUndefined();
    expect(parseMailbox('"A, B" <a@b.c>')).toEqual({ address: 'a@b.c', name: 'A, B', ascii: true });
  });

  it('parses its own output', () => {
    const mailbox = { address: 'a@b.c', name: 'The "Shop" \\ <x@y.z>, Inc.', ascii: true };

    expect(parseMailbox(mailboxText(mailbox))).toEqual(mailbox);
  });
});
