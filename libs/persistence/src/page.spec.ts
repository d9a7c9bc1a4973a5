import { ServiceError } from '@tidings/contracts/core/errors';
import { decodeCursor, encodeCursor, PAGE_BYTES_MAX, toListPage, toPage, toResultsPage } from './page';

const isRefused = (decode: () => unknown) => {
  expect(decode).toThrow(ServiceError);
  expect(decode).toThrow(/^cursor .* is not valid$/);
  expect(decode).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
};

const numbers = (count: number) => Array.from({ length: count }, (_, index) => ({ id: index + 1 }));
const pageOf = (rows: { id: number }[], limit: number) =>
  toPage(rows, { tag: 'numbers', limit, cursorOf: ({ id }) => [id], toItem: ({ id }) => `#${id}` });

describe('a cursor', () => {
  it('decodes to the values it was made of', () => {
    const values = ['größer 🙂', 42, null, '9223372036854775807'];

    expect(decodeCursor('lists', encodeCursor('lists', values), ['text', 'integer', 'text?', 'bigint'])).toEqual(values);
  });

  it('needs no escaping in a URL', () => {
    const cursor = encodeCursor('lists', ['>>>???~~~ÿÿÿ', 1]);

    expect(encodeURIComponent(cursor)).toBe(cursor);
  });

  it('is refused by another listing', () => {
    const cursor = encodeCursor('lists of w1', ['a']);

    isRefused(() => decodeCursor('lists of w2', cursor, ['text']));
  });

  it.each([
    ['nothing', ''],
    ['plain text', 'not a cursor'],
    ['another JSON value', Buffer.from('{"a":1}').toString('base64url')],
    ['JSON cut short', encodeCursor('lists', ['abcdef']).slice(0, -4)],
    ['padding', `${encodeCursor('lists', ['a'])}==`],
    ['an object among the values', Buffer.from('["x",{"a":1}]').toString('base64url')],
    ['too long', 'A'.repeat(5_000)],
  ])('is refused: %s', (_, cursor) => {
    isRefused(() => decodeCursor('lists', cursor, ['text']));
  });

  it.each([
    ['text', 'a\0b'],
    ['text', '\ud800'],
    ['text', 1],
    ['text', null],
    ['integer', 1.5],
    ['integer', '1'],
    ['bigint', '9223372036854775808'],
    ['bigint', 'x'],
    ['uuid', 'not-a-uuid'],
    ['instant', '2026-13-01T00:00:00Z'],
    ['instant', 'yesterday'],
  ] as const)('is refused when its %s is %p', (kind, value) => {
    isRefused(() => decodeCursor('lists', encodeCursor('lists', [value]), [kind]));
  });

  it('is refused when it has more values than the listing', () => {
    isRefused(() => decodeCursor('lists', encodeCursor('lists', ['a', 'b']), ['text']));
  });

  it('is accepted when its values have the listing’s kinds', () => {
    const values = ['a', 7, '-9223372036854775808', '0190e2b0-7a4f-7000-8000-00000000000A', '2026-01-31T23:59:59.123456Z', null];

    expect(decodeCursor('lists', encodeCursor('lists', values), ['text', 'integer', 'bigint', 'uuid', 'instant', 'text?'])).toEqual(values);
  });
});

describe('a page', () => {
  it('has a cursor to its last row while more rows follow', () => {
    const page = pageOf(numbers(4), 3);

    expect(page).toMatchObject({ items: ['#1', '#2', '#3'], paging: { more: true } });
    expect(decodeCursor('numbers', page.paging.cursor!, ['integer'])).toEqual([3]);
  });

  it('has none at the end', () => {
    expect(pageOf(numbers(3), 3)).toEqual({ items: ['#1', '#2', '#3'], paging: { more: false } });
    expect(pageOf([], 3)).toEqual({ items: [], paging: { more: false } });
  });

  it('ends early, with more, before its reply becomes too large', () => {
    const third = 'x'.repeat(PAGE_BYTES_MAX / 3);
    const page = toPage(numbers(4), { tag: 't', limit: 10, cursorOf: ({ id }) => [id], toItem: () => third });

    expect(page).toMatchObject({ items: [third, third], paging: { more: true } });
    expect(decodeCursor('t', page.paging.cursor!, ['integer'])).toEqual([2]);
  });

  it('contains a single item that is too large by itself', () => {
    const page = toPage(numbers(2), { tag: 't', limit: 10, cursorOf: ({ id }) => [id], toItem: () => 'x'.repeat(PAGE_BYTES_MAX + 1) });

    expect(page.items).toHaveLength(1);
    expect(decodeCursor('t', page.paging.cursor!, ['integer'])).toEqual([1]);
  });

  it('has shapes P1 and P2', () => {
    const last = pageOf(numbers(1), 1);
    const first = pageOf(numbers(2), 1);

    expect(toResultsPage(last)).toEqual({ paging: { more: false }, results: ['#1'] });
    expect(first).toEqual({ paging: { more: true, cursor: expect.any(String) as string }, items: ['#1'] });
  });
});

describe('a page of shape P3', () => {
  const at = { path: '/users/a%2Fb/tenants', query: { limit: 2, parent_tenant_id: undefined } };

  it('has its own URL and the next one', () => {
    const page = toListPage(pageOf(numbers(3), 2), { ...at, cursor: 'before' });

    expect(page).toEqual({
      type: 'list',
      items: ['#1', '#2'],
      has_more: true,
      url: '/users/a%2Fb/tenants?limit=2&cursor=before',
      next_url: `/users/a%2Fb/tenants?limit=2&cursor=${page.cursor}`,
      cursor: expect.any(String) as string,
    });
    expect(decodeCursor('numbers', page.cursor!, ['integer'])).toEqual([2]);
  });

  it('has no next URL when it is the last', () => {
    expect(toListPage(pageOf(numbers(2), 2), { path: '/tenants' })).toEqual({
      type: 'list',
      items: ['#1', '#2'],
      has_more: false,
      url: '/tenants',
    });
  });
});
