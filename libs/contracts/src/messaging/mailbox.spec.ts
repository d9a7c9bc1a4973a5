import { validate } from '../core/validator';
import { InlineAddresses } from './inline-addresses';
import { parseMailbox, toMailbox } from './mailbox';

it.each<[string, object]>([
  ['a@example.com', { address: 'a@example.com' }],
  [' a@example.com ', { address: 'a@example.com' }],
  ['<a@example.com>', { address: 'a@example.com' }],
  ['Jane Doe <a@example.com>', { address: 'a@example.com', name: 'Jane Doe' }],
  ['"Doe, Jane \\"JD\\" <x>" <a@example.com>', { address: 'a@example.com', name: 'Doe, Jane "JD" <x>' }],
  ['Käse <a@käse.example>', { address: 'a@xn--kse-qla.example', name: 'Käse' }],
])('parses %j as one mailbox', (text, mailbox) => {
  expect(parseMailbox(text)).toMatchObject(mailbox);
});

it.each([
  '',
  'nonsense',
  '@example.com',
  'a@',
  '<>',
  'a@example.com, b@example.com',
  'a@example.com;b@example.com',
  'Doe, Jane <a@example.com>',
  'a@example.com <b@example.com>',
  'Jane <a@example.com> <b@example.com>',
  'friends: a@example.com;',
  'a@example.com (home)',
  'Jane a@example.com',
  '"Jane <a@example.com>',
  'a@example.com/b',
  'a@example.com?b',
  'a@example.com#b',
  'a@ex%61mple.com',
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\r\n',
  'Jane\nDoe <a@example.com>',
  '"Jane\\\r\nBcc: x" <a@example.com>',
])('refuses %j as a mailbox', (text) => {
  expect(parseMailbox(text)).toBeUndefined();
});

describe('an address', () => {
  const LABEL = 'x'.repeat(63);

  it.each<[string, object]>([
    ['a.b+c@x-y.example.com', { ascii: true }],
    ['a@localhost', { ascii: true }],
    ['a@[127.0.0.1]', { ascii: true }],
    ['"a b"@x.com', { ascii: true }],
    ['"a..b"@x.com', { ascii: true }],
    ['"a\\"b@c\\\\"@x.com', { ascii: true }],
    ['"kä se"@x.com', { ascii: false }],
    ['kä.se@x.com', { ascii: false }],
    ['käse@käse.example', { ascii: false }],
    ['a@käse。example', { ascii: true }],
    ['"a b"@käse.example', { ascii: true }],
    [`a@${LABEL}.com`, {}],
  ])('may be %s', (address, mailbox) => {
    expect(toMailbox(address)).toMatchObject({ address: address.replace(/@käse.example$/, '@xn--kse-qla.example'), ...mailbox });
    expect(validate(InlineAddresses, { email: address })).toEqual({ email: address });
  });

  it.each([
    'a@x..com',
    '.a@x.com',
    'a.@x.com',
    'a..b@x.com',
    'a@-x.com',
    'a@x-.com',
    'a@x_y.com',
    'a@.x.com',
    'a@x.com.',
    'kä..se@x.com',
    '.kä@x.com',
    'a@kä..com',
    'a@-kä.com',
    'a@kä_se.com',
    `a@x${LABEL}.com`,
    `a@${`${LABEL}.`.repeat(4)}com`,
    '"a b@x.com',
    'a b"@x.com',
    '"a"b"@x.com',
    '"a\\"@x.com',
    'a."b c"@x.com',
    '"a> SIZE=1 <b"@x.com',
    '"a\\<b"@x.com',
    '"a\r\nRCPT TO:<b@x.com>"@x.com',
    '"a\u0000"@x.com',
    '"a\u2028"@x.com',
  ])('must not be %j', (address) => {
    expect(toMailbox(address)).toBeUndefined();
    expect(() => validate(InlineAddresses, { email: address })).toThrow('email must be an e-mail address');
  });

  it('with a quoted local part is accepted in lists and beside names', () => {
    expect(parseMailbox('"Jane" <"a b"@x.com>')).toMatchObject({ name: 'Jane', address: '"a b"@x.com' });
    expect(parseMailbox('"a b"@x.com')).toMatchObject({ address: '"a b"@x.com' });
  });
});

it('refuses a text longer than any mailbox', () => {
  expect(parseMailbox(`${'x'.repeat(1_000)} <a@example.com>`)).toBeUndefined();
});
