import { parseMailbox } from './mailbox';

it.each<[string, object]>([
  ['a@example.com', { address: 'a@example.com' }],
  [' a@example.com ', { address: 'a@example.com' }],
  ['<a@example.com>', { address: 'a@example.com' }],
  ['Jane Doe <a@example.com>', { address: 'a@example.com', name: 'Jane Doe' }],
  ['"Doe, Jane \\"JD\\" <x>" <a@example.com>', { address: 'a@example.com', name: 'Doe, Jane "JD" <x>' }],
  ['Käse <a@käse.example>', { address: 'a@xn--kse-qla.example', name: 'Käse' }],
])('%j is one mailbox', (text, mailbox) => {
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
  'a@example.com\r\nBcc: b@example.com',
  'a@example.com\r\n',
  'Jane\nDoe <a@example.com>',
  '"Jane\\\r\nBcc: x" <a@example.com>',
])('%j is none', (text) => {
  expect(parseMailbox(text)).toBeUndefined();
});

it('a text longer than any mailbox is none', () => {
  expect(parseMailbox(`${'x'.repeat(1_000)} <a@example.com>`)).toBeUndefined();
});
