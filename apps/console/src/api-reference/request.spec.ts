import { type OpenApiDocument, readOpenApi } from './openapi';
import { exampleOf, requestOf } from './request';

const operationOf = (document: OpenApiDocument['paths']) =>
  readOpenApi({ info: { version: '1' }, paths: document, components: { schemas: {} } }).operations[0]!;
const put = operationOf({
  '/things/{thing_id}': {
    put: {
      parameters: [
        { name: 'thing_id', in: 'path', required: true, example: 'a/b', schema: {} },
        { name: 'limit', in: 'query', example: 10, schema: {} },
        { name: 'Idempotency-Key', in: 'header', example: 'k', schema: {} },
      ],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: {}, example: { name: 'Thing' } }, 'text/plain': { schema: {} } },
      },
      responses: { 200: { description: 'Success' }, 404: { description: 'It does not exist' } },
    },
  },
});

it('begins with the examples of what is required', () => {
  const example = exampleOf(put);
  expect(example).toEqual({ values: { 'path thing_id': 'a/b' }, body: '{\n  "name": "Thing"\n}' });

  const { target, init } = requestOf(put, example);
  expect([target, init.method, init.body]).toEqual(['/things/a%2Fb', 'PUT', '{\n  "name": "Thing"\n}']);
  expect(Object.fromEntries(init.headers as Headers)).toEqual({ 'content-type': 'application/json' });
});

it('sends what was typed, and no parameters and no body without a text', () => {
  const values = { 'path thing_id': 'x', 'query limit': '5 0', 'header Idempotency-Key': 'once' };
  const { target, init } = requestOf(put, { values, body: ' ' });

  expect([target, init.body]).toEqual(['/things/x?limit=5+0', undefined]);
  expect(Object.fromEntries(init.headers as Headers)).toEqual({ 'idempotency-key': 'once' });
});

it('reads an operation with its name in addresses, its answers and its errors', () => {
  expect(put).toMatchObject({
    slug: 'put-things-thing_id',
    isServed: true,
    body: { types: ['application/json', 'text/plain'], isRequired: true },
  });
  expect([put.answers, put.errors].map((some) => some.map(({ status }) => status))).toEqual([['200'], ['404']]);
});
