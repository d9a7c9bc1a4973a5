import { setTimeout as delay } from 'node:timers/promises';
import { unavailable } from '@tidings/contracts/core/errors';
import { hashedKey, makeApiKey } from '@tidings/contracts/identity/api-key';
import { keys } from '@tidings/contracts/identity/keys';
import { limits } from '@tidings/contracts/identity/limits';
import { rateLeases } from '@tidings/contracts/identity/rate-leases';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { type RunningGateway, startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { OperationClient } from '@tidings/rpc/operation-client';
import { Teardown } from '@tidings/runtime/teardown';
import { contextOf } from '@tidings/testing/context-of';
import { startTestService, type TestService } from '@tidings/testing/service';
import { waitUntil } from '@tidings/testing/wait-until';

const RATE = 30;
const BURST = RATE / 2;
const MEASURED_SECONDS = 3;

const teardown = new Teardown();
let identity: TestService;
let isUnavailable = false;
let leases = 0;

/** Calls identity, whose leases fail while `isUnavailable`. */
class IdentityClient extends OperationClient {
  constructor() {
    super(() => Promise.reject(new Error('This client has no transport')));
  }

  override call: OperationClient['call'] = (operation, ...parameters) => {
    const isLease = operation.pattern === rateLeases.lease.pattern;
    leases += isLease ? 1 : 0;
    return isLease && isUnavailable ? Promise.reject(unavailable('Identity is unavailable')) : identity.call(operation, ...parameters);
  };

  override callForJson: OperationClient['callForJson'] = async (...parameters) => JSON.stringify(await this.call(...parameters));
}

beforeAll(async () => {
  identity = await startTestService('identity', (resources) => IdentityModule.register({ ...resources, rateLimit: '1/h' }));
  teardown.add('identity', () => identity.stop());
});

afterAll(async () => expect(await teardown.run()).toEqual([]));

async function startGateways(count: number): Promise<RunningGateway[]> {
  const gateways = [];
  for (let index = 0; index < count; index += 1) {
    const gateway = await startGateway({ port: 0, host: '127.0.0.1', client: new IdentityClient(), events: identity.events });
    teardown.add(`gateway ${index}`, () => gateway.stop());
    gateways.push(gateway);
  }
  return gateways;
}

async function makeKey(name: string): Promise<{ workspaceId: string; keyId: string; key: string }> {
  const workspace = await identity.call(workspaces.create, contextOf('any'), { name, account_email: 'ops@example.com' });
  const key = makeApiKey('production');
  const request = { mode: 'production' as const, ...hashedKey(key) };
  const { key_id } = await identity.call(keys.create, contextOf(workspace.workspace_id), request);
  return { workspaceId: workspace.workspace_id, keyId: key_id, key };
}

const statusAt = async ({ url }: RunningGateway, key: string): Promise<number> => {
  const answer = await fetch(`${url}/profiles/unknown`, { headers: { authorization: `Bearer ${key}` } });
  await answer.arrayBuffer();
  return answer.status;
};

interface Admitted {
  /** Requests that each gateway admitted. */
  counts: number[];
  seconds: number;
}

/** Sends more than the rate to each gateway. */
async function flood(gateways: readonly RunningGateway[], key: string, seconds: number): Promise<Admitted> {
  const startedAt = performance.now();
  const end = startedAt + seconds * 1_000;
  const admitted = gateways.map(() => 0);
  const client = async (index: number): Promise<void> => {
    while (performance.now() < end) {
      if ((await statusAt(gateways[index]!, key)) !== 429) admitted[index]! += 1;
      await delay(4);
    }
  };
  await Promise.all(gateways.flatMap((_gateway, index) => [client(index), client(index)]));
  return { counts: admitted, seconds: (performance.now() - startedAt) / 1_000 };
}

const sumOf = ({ counts }: Admitted): number => counts.reduce((total, count) => total + count, 0);

/** Not stopped: a pause of a busy machine costs what does not fit into the buckets. */
function expectShared(admitted: Admitted): void {
  const atRate = RATE * admitted.seconds;
  expect(sumOf(admitted)).toBeLessThanOrEqual(atRate * 1.1);
  expect(sumOf(admitted)).toBeGreaterThanOrEqual(atRate * 0.5);
  for (const count of admitted.counts) expect(count).toBeGreaterThanOrEqual(atRate / 6);
}

it('limits two gateways together, and each to its last share while identity is unavailable', async () => {
  const gateways = await startGateways(2);
  const { workspaceId, key } = await makeKey('shared');
  await identity.call(limits.change, contextOf(workspaceId), { rate_limit: `${RATE}/s` });
  const first = await flood(gateways, key, 2);
  expect(sumOf(first)).toBeLessThanOrEqual((RATE * first.seconds + BURST) * 1.1);
  const before = leases;

  expectShared(await flood(gateways, key, MEASURED_SECONDS));

  expect(leases - before).toBeLessThanOrEqual((MEASURED_SECONDS * 1_000 * gateways.length) / 250 + 2);
  isUnavailable = true;
  expectShared(await flood(gateways, key, MEASURED_SECONDS));
  isUnavailable = false;
  await waitUntil(async () => (await statusAt(gateways[0]!, key)) !== 429, { what: 'a request after the outage' });
});

it('shares the rate of a key, changed by an operator, and the default of the installation', async () => {
  const [gateway] = (await startGateways(1)) as [RunningGateway];
  const { workspaceId, keyId, key } = await makeKey('default');
  const context = contextOf(workspaceId);
  expect([await statusAt(gateway, key), await statusAt(gateway, key)]).toEqual([404, 429]);

  await identity.call(limits.change, context, { rate_limit: 'none' });
  await waitUntil(async () => (await statusAt(gateway, key)) === 404, { what: 'the limit to end' });

  await identity.call(limits.changeKey, context, { key_id: keyId, rate_limit: '1/h' });
  await waitUntil(async () => (await statusAt(gateway, key)) === 429, { what: 'the key to be limited' });
});
