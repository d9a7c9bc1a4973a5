import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { Schemas } from '@tidings/contracts/core/documented-schema';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { notServed } from '@tidings/contracts/not-served';
import { consoleSessions } from '@tidings/contracts/identity/sessions';
import { operations } from '@tidings/contracts/registry';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { servedOperations, successOf } from './documented-operations';
import { exampleOf } from './example-of';
import { ANSWERS } from './samples';

const document = openApiDocument(operations, notServed, { title: 'Tidings', version: '1.2.3' });
const { schemas } = document.components as { schemas: Schemas };
const examples = servedOperations(document).map((operation) => ({ operation, example: exampleOf(operation, schemas) }));
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({ operations: undefined, notServed: undefined });
  const signIn = examples.find(({ operation }) => operation.operationId === consoleSessions.start.pattern)!;
  gateway.client.addKey((signIn.example.body as { key: string }).key);
});
afterAll(() => gateway.stop());

it('has an example of every served operation', () => {
  const ids = examples.map(({ operation }) => operation.operationId);
  expect(ids.sort()).toEqual(operations.flatMap(({ route, pattern }) => (route ? [pattern] : [])).sort());
  expect(ids).toEqual(expect.arrayContaining(Object.keys(ANSWERS)));
});

it('shows only requests that the gateway accepts', async () => {
  for (const { operation, example } of examples) {
    const { method, target, body } = example;
    const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
    const answer = await gateway.request(target, { method, ...sent });
    // No service runs here: a valid, routed request is answered 503; a sign-in leads on.
    const isForwarded = answer.ok || answer.status === 503 || answer.status === 303;
    expect([operation.operationId, isForwarded ? 'forwarded' : await answer.text()]).toEqual([operation.operationId, 'forwarded']);
  }
});

it.each(['gateway.send.accept', 'gateway.send.accept-for-lists'])(
  'refuses %s without its body, which the document requires',
  async (id) => {
    const { operation, example } = examples.find((one) => one.operation.operationId === id)!;
    expect(operation.requestBody).toMatchObject({ required: true });
    expect(await gateway.request(example.target, { method: example.method })).toMatchObject({ status: 400 });
  },
);

it('shows answers that match their schemas', () => {
  const ajv = new Ajv2020({ strict: false });
  addFormats(ajv);
  ajv.addSchema(document, 'openapi');
  for (const { operation, example } of examples) {
    const { schema } = successOf(operation);
    if (!schema) continue;
    const whole = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object;
    ajv.validate(whole, example.answer);
    expect([operation.operationId, ajv.errors]).toEqual([operation.operationId, null]);
  }
});

it('shows the lists empty that are always empty', () => {
  const { example } = examples.find(({ operation }) => operation.path === '/preferences' && operation.method === 'GET')!;
  expect(example.answer).toMatchObject({ uncategorized: [], categories: [{ notifications: [] }] });
});
