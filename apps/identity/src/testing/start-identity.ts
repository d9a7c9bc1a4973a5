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
  /** Resolves when a gateway has received exactly `times` changes of the key. */
  awaitAccessChanges(keyId: string, times?: number): Promise<void>;
}

/** The identity service on a database of its own, with a gateway's subscription to access changes. */
export async function startIdentity({ secretKeys }: { secretKeys?: readonly Buffer[] } = {}): Promise<RunningIdentity> {
  const identity = await startTestService('identity', (resources) => IdentityModule.register({ ...resources, secretKeys }));
  const received: AccessChanged[] = [];
  await identity.events.broadcast(accessChanged, ({ payload }) => void (payload && received.push(payload)));
  return {
    ...identity,
    awaitAccessChanges: async (id, times = 1) => {
      await waitUntil(() => received.filter(({ keyId }) => keyId === id).length === times, { what: `${times} changes of ${id}` });
    },
  };
}

/** The identity service shared by the specs of a Jest worker; each spec uses workspaces of its own. */
export const sharedIdentity = shared(() => startIdentity());

/** Creates a workspace with a key, both unique. */
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
