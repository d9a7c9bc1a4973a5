import { find } from './find';

const items = [
  { text: 'PUT /tenants/{tenant_id} Replace a tenant', fields: new Set(['parent_tenant_id', 'name']) },
  { text: 'GET /parents List parents', fields: new Set(['id']) },
  { text: 'POST /send Send a message', fields: new Set(['message', 'user_id']) },
];
const found = (query: string): [string, readonly string[]][] =>
  find(items, query, (item) => item).map(({ item, fields }) => [item.text.split(' ', 2).join(' '), fields]);

it('finds what has every word, in its text or in the name of a field', () => {
  expect(found('post send')).toEqual([['POST /send', []]]);
  expect(found('SEND user')).toEqual([['POST /send', ['user_id']]]);
  expect(found('send tenant')).toEqual([]);
});

it('lists what has the words in its own text first', () => {
  expect(found('parent')).toEqual([
    ['GET /parents', []],
    ['PUT /tenants/{tenant_id}', ['parent_tenant_id']],
  ]);
});
