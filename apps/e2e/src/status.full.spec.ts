import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import path from 'node:path';
import type { AppStatus, SystemStatus } from '@tidings/contracts/core/status';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { System } from './testing/system';

const COMMAND = path.resolve(__dirname, '../../../bin/tidings.mjs');
const ADMIN_KEY = randomBytes(24).toString('base64url');
const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content'];
/** Upper bound of an answer with an app that is silent; guards against waiting for it. */
const ANSWER_MS_MAX = 15_000;

describeWithKafka('tidings status', () => {
  let system: System;

  beforeAll(async () => {
    system = await System.start({ topology: 'kafka', environment: { TIDINGS_ADMIN_KEY: ADMIN_KEY } });
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => system?.stop());

  const run = (): Promise<SystemStatus & { code: number }> =>
    new Promise((resolve) => {
      const env = { ...process.env, TIDINGS_URL: system.url, TIDINGS_ADMIN_KEY: ADMIN_KEY };
      execFile(process.execPath, [COMMAND, 'status', '--json'], { env, timeout: ANSWER_MS_MAX }, (error, out) =>
        resolve({ ...(JSON.parse(out) as SystemStatus), code: error ? Number(error.code) : 0 }),
      );
    });

  it('shows the five apps as ready, with what they know', async () => {
    const { code, ready, apps } = await waitUntil(async () => {
      const status = await run();
      return status.ready ? status : undefined;
    });

    expect([code, ready, apps.map(({ name }) => name)]).toEqual([0, true, APPS]);
    for (const { version, backlog, oldest, lag, dead } of apps)
      expect([version, backlog, oldest, lag, dead]).toEqual([expect.any(String), 0, expect.any(Number), expect.any(Number), 0]);
    const groupsOf = (name: string): AppStatus['groups'] => apps.find((app) => app.name === name)!.groups;
    expect(groupsOf('messaging')).toContainEqual({ topic: 'tidings.message-requests.v1', group: 'tidings.messaging.router', records: 0 });
    expect(groupsOf('audience')).toHaveLength(2);
  });

  it('shows an app whose process does not answer as not ready, in bounded time, until it is replaced', async () => {
    await system.killProcess('messaging', async () => {
      const { code, apps } = await run();
      expect([code, apps.map(({ name, ready }) => [name, ready])]).toEqual([1, APPS.map((name) => [name, name !== 'messaging'])]);
    });

    await waitUntil(async () => (await run()).code === 0, { what: 'messaging to be ready', timeoutMs: 120_000, intervalMs: 500 });
  });
});
