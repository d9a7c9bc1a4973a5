import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import type { Schemas } from '@tidings/contracts/core/documented-schema';
import { openApiDocument } from '@tidings/contracts/core/openapi';
import { notServed } from '@tidings/contracts/not-served';
import { operations } from '@tidings/contracts/registry';
import { answers, itWith } from '@tidings/testing/installed-tools';
import { startTestGateway } from '../testing/start-test-gateway';
import { BASE_URL, KEY_VARIABLE } from './code/names';
import { servedOperations } from './documented-operations';
import { type Example, exampleOf } from './example-of';
import { type CodeSample, codeSamples, withExamples } from './with-examples';

const KEY = 'pk_prod_of_the_examples';
const NODE_MODULES = path.resolve(__dirname, '../../../../node_modules');
const document = openApiDocument(operations, notServed, { title: 'Tidings', version: '1.2.3' });
const { schemas } = document.components as { schemas: Schemas };
/** Names and texts of any kind. */
const odd: Example = {
  operationId: 'odd',
  method: 'PUT',
  target: '/odd?q=a+b%26c',
  path: {},
  query: { q: 'a b&c' },
  body: { "it's": `"quoted" \\ $HOME é`, 'a-b': [null, true, 1.5], from: 'line\nline', empty: {}, long: ['x'.repeat(60), 'y'.repeat(60)] },
  status: '200',
};
const examples = [...servedOperations(document).map((operation) => exampleOf(operation, schemas)), odd];

/** What a request has: a parameter of the path may be encoded in more than one way. */
interface Received {
  method?: string;
  path: string;
  query: object;
  authorization?: string;
  body?: unknown;
}

const received = new Map<string, Received>();
const server = createServer((request, response) => {
  void record(request).then(() => response.writeHead(200, { 'content-type': 'application/json' }).end('{}'));
});
const directory = mkdtempSync(path.join(tmpdir(), 'tidings-examples-'));
const run = promisify(execFile);
const environment = { ...process.env, [KEY_VARIABLE]: KEY };

beforeAll(async () => {
  symlinkSync(NODE_MODULES, path.join(directory, 'node_modules'));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
});
afterEach(() => received.clear());
afterAll(() => {
  server.close();
  rmSync(directory, { recursive: true });
});

/** The first segment of a path is the operation of the example that is run. */
async function record(request: IncomingMessage): Promise<void> {
  const { pathname, searchParams } = new URL(request.url!, 'http://x');
  const [, operation, ...segments] = pathname.split('/').map(decodeURIComponent);
  const body = await text(request);
  received.set(operation!, {
    method: request.method,
    path: segments.join('/'),
    query: Object.fromEntries(searchParams),
    authorization: request.headers.authorization,
    ...(body !== '' && { body: JSON.parse(body) as unknown }),
  });
}

function expected({ method, target, body }: Example): Received {
  const { pathname, searchParams } = new URL(target, 'http://x');
  return {
    method,
    path: pathname.split('/').slice(1).map(decodeURIComponent).join('/'),
    query: Object.fromEntries(searchParams),
    authorization: `Bearer ${KEY}`,
    ...(body !== undefined && { body }),
  };
}

const sourceOf = (example: Example, label: string): string => codeSamples(example).find((one) => one.label === label)!.source;

/** Writes the examples in a language into files that send to the server; returns their names. */
function writeSamples(label: string, ending: string): string[] {
  const { port } = server.address() as AddressInfo;
  return examples.map((example) => {
    const name = `${example.operationId}.${ending}`;
    const source = sourceOf(example, label).replaceAll(BASE_URL, `http://127.0.0.1:${port}/${example.operationId}`);
    writeFileSync(path.join(directory, name), source);
    return name;
  });
}

function expectAllReceived(some = examples): void {
  for (const example of some)
    expect([example.operationId, received.get(example.operationId)]).toEqual([example.operationId, expected(example)]);
}

itWith({ missing: () => (answers('curl', '--version') ? undefined : 'curl') })('sends each example with curl', async () => {
  const script = writeSamples('curl', 'sh').map((name) => `sh -e ./${name} > /dev/null`);
  await run('sh', ['-ec', script.join('\n')], { cwd: directory, env: environment });
  expectAllReceived();
});

it('sends each example with Node: by the SDK of Courier, or by fetch', async () => {
  const imports = writeSamples('Node', 'mjs').map((name) => `await import('./${name}');`);
  writeFileSync(path.join(directory, 'all.mjs'), imports.join('\n'));
  await run(process.execPath, ['all.mjs'], { cwd: directory, env: environment });
  expectAllReceived();

  const withSdk = examples.filter((example) => sourceOf(example, 'Node').includes('@trycourier/courier'));
  expect(withSdk.length).toBeGreaterThan(90);
  expect(examples.length).toBeGreaterThan(withSdk.length);
});

itWith({ missing: () => (answers('python3', '--version') ? undefined : 'python3') })(
  'has a valid program of each example for Python, and sends those that need no package',
  async () => {
    const names = writeSamples('Python', 'py');
    const withoutPackage = examples.filter((example) => !sourceOf(example, 'Python').includes('from courier'));
    writeFileSync(path.join(directory, 'parse.py'), 'import ast, sys\nfor name in sys.argv[1:]:\n    ast.parse(open(name).read(), name)\n');
    writeFileSync(path.join(directory, 'run.py'), 'import runpy, sys\nfor name in sys.argv[1:]:\n    runpy.run_path(name)\n');

    await run('python3', ['parse.py', ...names], { cwd: directory });
    await run('python3', ['run.py', ...withoutPackage.map(({ operationId }) => `${operationId}.py`)], { cwd: directory, env: environment });

    expectAllReceived(withoutPackage);
    expect(examples.length - withoutPackage.length).toBeGreaterThan(100);
    expect(withoutPackage.length).toBeGreaterThan(0);
  },
);

it('calls methods of the SDK for Python by their names and arguments', () => {
  const python = (id: string): string =>
    sourceOf(
      examples.find(({ operationId }) => operationId === id)!,
      'Python',
    );

  expect(python('audience.subscriptions.remove')).toContain('client.lists.subscriptions.unsubscribe_user(list_id=');
  expect(python('content.notification-content.replaceElement')).toContain('extra_body={');
});

it('are in the OpenAPI document of the gateway, with an answer, for every served operation', async () => {
  const gateway = await startTestGateway({ operations: undefined, notServed: undefined });
  const served = (await (await fetch(`${gateway.url}/openapi.json`)).json()) as ReturnType<typeof withExamples>;
  await gateway.stop();

  type Documented = ReturnType<typeof servedOperations>[number] & { 'x-codeSamples': CodeSample[] };
  for (const operation of servedOperations(served) as Documented[]) {
    const { operationId, responses } = operation;
    const example = exampleOf(operation, schemas);
    expect([operationId, operation['x-codeSamples'].map(({ label }) => label)]).toEqual([operationId, ['curl', 'Node', 'Python']]);
    if (example.type !== undefined) expect(responses[example.status]!.content![example.type]).toHaveProperty('example', example.answer);
  }
});
