import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { notServed } from '@tidings/contracts/not-served';
import { endpoints, withoutRoutes } from '@tidings/contracts/operations-list';
import { pages } from '@tidings/contracts/pages';
import { HealthRegistry } from '@tidings/runtime/health';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

/**
 * Only `GET /messages` has a service here; other requests find none, are refused without a body, end a session that is not there, or lead
 * to the sign-in.
 */
const FORWARDED = new Set([200, 204, 303, 400, 503]);

/** Of a built console. */
const directory = mkdtempSync(path.join(tmpdir(), 'tidings-console-'));

let gateway: TestGateway;
beforeAll(async () => {
  writeFileSync(path.join(directory, 'index.html'), '<!doctype html>');
  gateway = await startTestGateway({
    operations: undefined,
    notServed: undefined,
    health: new HealthRegistry(),
    metrics: { contentType: 'text/plain', metrics: () => Promise.resolve('up 1\n') },
    consoleDirectory: directory,
  });
});
afterAll(async () => {
  await gateway.stop();
  rmSync(directory, { recursive: true });
});

const send = (method: string, path: string): Promise<Response> => gateway.request(path.replace(/[:*]\w+/g, 'x'), { method });

it('forwards or validates every operation that is listed as served', async () => {
  const listed = endpoints.filter(({ served }) => served !== 'not yet');
  expect(listed.length).toBeGreaterThan(100);
  for (const { method, path } of listed) {
    const { status } = await send(method, path);
    expect([method, path, FORWARDED.has(status) ? 'served' : status]).toEqual([method, path, 'served']);
  }
});

it('answers 501 for every operation that is listed as not served, with x-should-retry: false', async () => {
  for (const { method, path } of notServed) {
    const answer = await send(method, path);
    await expectError(answer, 501);
    expect([method, path, answer.headers.get('x-should-retry')]).toEqual([method, path, 'false']);
  }
});

it.each(withoutRoutes)('answers 404 for $what, which is listed as not part of the interface', async ({ requests }) => {
  for (const request of requests) {
    const [method, path] = request.split(' ') as [string, string];
    expect(await expectError(await send(method, path), 404)).toMatch('nothing is served at');
  }
});

it.each(pages)('serves the page $path without a credential', async ({ path }) => {
  expect((await fetch(gateway.url + path)).status).toBe(200);
});
