import { audienceStatus } from '@tidings/contracts/audience/status';
import { contentStatus } from '@tidings/contracts/content/status';
import type { AppStatus, SystemStatus } from '@tidings/contracts/core/status';
import { identityStatus } from '@tidings/contracts/identity/status';
import { messagingStatus } from '@tidings/contracts/messaging/status';
import type { TestGateway } from '../testing/start-test-gateway';
import { runAgainst, startGatewayOfShop } from './command/run-command.fixture';

const SERVICES = { identity: identityStatus, audience: audienceStatus, messaging: messagingStatus, content: contentStatus };
const READY = { ready: true, version: '1.2.3', backlog: 0, oldest: 0, lag: 0, dead: 0, groups: [], dead_letters: [] };

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGatewayOfShop()));
afterAll(() => gateway.stop());
beforeEach(() => {
  for (const [name, { read }] of Object.entries(SERVICES)) gateway.client.answer(read, (): AppStatus => ({ name, ...READY }));
});

const tidings = (...args: string[]): ReturnType<typeof runAgainst> => runAgainst(gateway, ['status', ...args]);

it('names the five apps, and ends with 0 when all are ready', async () => {
  const { code, out } = await tidings();

  const lines = out.trimEnd().split('\n');
  expect([code, lines[0]!.split(/ +/)]).toEqual([0, ['APP', 'READY', 'VERSION', 'BACKLOG', 'OLDEST', 'LAG', 'DEAD']]);
  expect(lines.slice(1).map((line) => line.split(/ +/)[0])).toEqual(['gateway', 'identity', 'audience', 'messaging', 'content']);
  expect(lines[4]).toMatch(/^messaging +yes +1\.2\.3 +0 +0 s +0 +0$/);
});

it('shows what waits, and where', async () => {
  const groups = [{ topic: 't', group: 'g', records: 96 }];
  const waiting = { backlog: 412, oldest: 38, lag: 96, dead: 3, groups, dead_letters: [{ topic: 't', count: 3 }] };
  gateway.client.answer(messagingStatus.read, (): AppStatus => ({ name: 'messaging', ...READY, ...waiting }));

  const { code, out } = await tidings();

  expect(code).toBe(0);
  expect(out).toMatch(/^messaging +yes +1\.2\.3 +412 +38 s +96 +3$/m);
  expect(out).toContain('\ng has 96 records of t to handle\nt has 3 dead letters: tidings dead-letters list --topic t\n');
});

it('ends with 1 when an app is not ready, and says why', async () => {
  const unknown = { ready: false, reason: 'database: refused', backlog: null, oldest: null };
  gateway.client.answer(identityStatus.read, (): AppStatus => ({ name: 'identity', ...READY, ...unknown }));

  const { code, out } = await tidings();

  expect([code, out]).toEqual([1, expect.stringMatching(/^identity +no +1\.2\.3 +\? +\? +0 +0$/m) as string]);
  expect(out).toContain('\nidentity is not ready: database: refused\n');
});

it('shows an app that does not answer as not ready', async () => {
  gateway.client.answer(contentStatus.read, () => {
    throw new Error('The content service did not answer within 5000 ms');
  });

  const { code, out } = await tidings('--json');

  const { ready, apps } = JSON.parse(out) as SystemStatus;
  expect([code, ready]).toEqual([1, false]);
  expect(apps.filter((app) => !app.ready)).toEqual([
    expect.objectContaining({ name: 'content', version: null, reason: expect.stringContaining('did not answer') as string }),
  ]);
});
