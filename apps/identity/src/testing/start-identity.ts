import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { type AccessChanged, accessChanged } from '@tidings/contracts/identity/keys';
import { type EnsuredWorkspace, type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { waitUntil } from '@tidings/testing/wait-until';
import { IdentityModule } from '../identity.module';
import { makeApiKey } from '../keys/api-key';

export interface RunningIdentity extends TestService {
  /** Resolves when a gateway has heard of exactly `times` changes of the key. */
  heard(keyId: string, times?: number): Promise<void>;
}

/** The identity service on a database of its own, with a gateway's ear at the event log. */
export async function startIdentity({ secretKeys }: { secretKeys?: readonly Buffer[] } = {}): Promise<RunningIdentity> {
  const identity = await startTestService('identity', (resources) => IdentityModule.register({ ...resources, secretKeys }));
  const heard: AccessChanged[] = [];
  await identity.events.broadcast(accessChanged, ({ payload }) => void (payload && heard.push(payload)));
  return {
    ...identity,
    heard: async (id, times = 1) => {
      await waitUntil(() => heard.filter(({ keyId }) => keyId === id).length === times, { what: `${times} changes of ${id}` });
    },
  };
}

/** The identity service of the specs of a worker, which they tell apart by workspace. */
export const sharedIdentity = shared(() => startIdentity());

/** A workspace with a key, different from every other. */
export async function buildWorkspace(
  { call }: RunningIdentity,
  overrides: Partial<EnsureWorkspace> = {},
): Promise<EnsureWorkspace & EnsuredWorkspace> {
  const request: EnsureWorkspace = {
    name: `workspace ${randomUUID()}`,
    account_email: `${randomUUID()}@example.com`,
    key: makeApiKey(overrides.mode ?? 'production'),
    mode: 'production',
    ...overrides,
  };
  return { ...request, ...(await call(workspaces.ensure, systemContext(randomUUID()), request)) };
}
