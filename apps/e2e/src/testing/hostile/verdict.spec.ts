import { DescribedInterface } from './openapi-interface';
import type { WireAnswer } from './exchange';
import { faultsOf } from './verdict';

const error = { 'application/json': { schema: { type: 'object', required: ['message', 'type'] } } };
const thing = { 'application/json': { schema: { $ref: '#/components/schemas/Thing' } } };
const document = {
  paths: {
    '/things/{id}': {
      get: { operationId: 'retrieve', responses: { 200: { content: thing }, 400: { content: error } } },
      delete: { operationId: 'remove', responses: { 204: {}, 404: { $ref: '#/components/responses/not_found' }, 409: { content: thing } } },
    },
    '/others': { get: { operationId: 'others', 'x-not-served': true, responses: { 501: { content: error } } } },
  },
  components: { schemas: { Thing: { type: 'object', required: ['id'], properties: { id: { type: 'string' } } } } },
};
const described = new DescribedInterface(document);
const operations = new Map(described.operations.map((operation) => [operation.id, operation]));

const JSON_HEADERS = { 'content-type': 'application/json' };

function faults(id: string, status: number, text: string, { ms = 5, headers = JSON_HEADERS, foreign = false } = {}): string {
  const answer: WireAnswer = { status, text, ms, headers };
  return faultsOf(described, { operation: operations.get(id)!, answer, foreign }).join('; ');
}

const refusal = (message: string, type = 'invalid_request_error'): string => JSON.stringify({ message, type });

it.each([
  ['an answer as described', faults('retrieve', 200, '{"id":"a","more":1}')],
  ['an answer without a body', faults('remove', 204, '')],
  ['a refusal', faults('retrieve', 400, refusal('limit must be a whole number (got "x")'))],
  ['a refusal with its own described body', faults('remove', 409, '{"id":"a"}')],
  ['the common error body where an own body is allowed', faults('remove', 409, refusal('The key is in use'))],
  ['a refusal with an undocumented status', faults('retrieve', 401, refusal('No key', 'authentication_error'))],
  ['501 of a route that is not served', faults('others', 501, refusal('GET /others is not served yet'))],
  ['an answer of another route that the path matched', faults('retrieve', 200, '{}', { foreign: true })],
])('accepts %s', (_what, found) => {
  expect(found).toBe('');
});

it.each([
  ['a failure', faults('retrieve', 500, refusal('Something went wrong', 'internal_error')), 'a failure of the server: 500'],
  ['503 while every service is ready', faults('retrieve', 503, refusal('Later', 'internal_error')), 'a failure of the server: 503'],
  ['501 where the document has none', faults('retrieve', 501, refusal('Not yet')), 'a failure of the server: 501'],
  ['success where nothing is served', faults('others', 200, '{}'), 'is not served by the document'],
  ['a status that the document does not list', faults('retrieve', 202, '{"id":"a"}'), '202 is not in the document'],
  ['a field of another type', faults('retrieve', 200, '{"id":1}'), 'body/id must be string'],
  ['a body that is not JSON', faults('retrieve', 200, '{"id":'), 'no JSON'],
  ['a body where there is none', faults('remove', 204, '{}'), 'a body where the document has none'],
  ['an answer above the time limit', faults('retrieve', 200, '{"id":"a"}', { ms: 10_001 }), 'took 10001 ms'],
  ['an HTML error page', faults('retrieve', 400, '<h1>', { headers: { 'content-type': 'text/html' } }), 'an error of type text/html'],
  ['an error with extra fields', faults('retrieve', 400, '{"message":"a","type":"b","stack":"c"}'), 'not the error body'],
  ['an own body that violates its schema', faults('remove', 409, '{"id":1}'), 'body/id must be string'],
  ['an own body without a schema', faults('remove', 404, '{"id":"a"}'), 'not the error body'],
  ['an error of another type', faults('retrieve', 404, refusal('No', 'internal_error')), 'type internal_error with 404'],
  ['an empty message', faults('retrieve', 400, refusal(' ')), 'an error without a message'],
  ['a message of 2,001 characters', faults('retrieve', 400, refusal('x'.repeat(2_001))), 'a message of 2001 characters'],
  ['a stack trace', faults('retrieve', 400, refusal('Oops\n    at parse (app.js:1:2)')), 'shows internals'],
  ['a file path', faults('retrieve', 400, refusal('in /usr/lib/node')), 'shows internals'],
  ['an SQL statement', faults('retrieve', 400, refusal('select id from profile where x')), 'shows internals'],
  ['a database error message', faults('retrieve', 400, refusal('invalid byte sequence for encoding')), 'shows internals'],
  ['a JavaScript error message', faults('retrieve', 400, refusal("Cannot read properties of null (reading 'a')")), 'shows internals'],
])('reports %s', (_what, found, fault) => {
  expect(found).toContain(fault);
});
