import { randomUUID } from 'node:crypto';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { hashedKey, makeApiKey, makeApiKeys } from '@tidings/contracts/identity/api-key';
import {
  type AccessChanged,
  accessChanged,
  type CreatedKey,
  keys,
  type MakeKey,
  type RotatedKey,
  type RotateKey,
} from '@tidings/contracts/identity/keys';
import { type EnsuredWorkspace, type EnsureWorkspace, workspaces } from '@tidings/contracts/identity/workspaces';
import { startTestService, type TestService } from '@tidings/testing/service';
import { shared } from '@tidings/testing/shared';
import { waitUntil } from '@tidings/testing/wait-until';
import { IdentityModule } from '../identity.module';

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

/** A workspace, and the key that opens it. */
export type KeyedWorkspace = Omit<EnsureWorkspace, 'hash' | 'hint'> & { key: string };

/** Ensures a workspace and its key. */
export function ensureWorkspace({ call }: RunningIdentity, { key, ...workspace }: KeyedWorkspace): Promise<EnsuredWorkspace> {
  return call(workspaces.ensure, systemContext(randomUUID()), { ...workspace, ...hashedKey(key) });
}

/** Creates a workspace with a key, both unique. */
export async function buildWorkspace(
  identity: RunningIdentity,
  overrides: Partial<KeyedWorkspace> = {},
): Promise<KeyedWorkspace & EnsuredWorkspace> {
  const request: KeyedWorkspace = {
    name: `workspace ${randomUUID()}`,
    account_email: `${randomUUID()}@example.com`,
    key: makeApiKey(overrides.mode ?? 'production'),
    mode: 'production',
    ...overrides,
  };
  return { ...request, ...(await ensureWorkspace(identity, request)) };
}

/** Makes a key as a gateway does. @param key default: a new one. */
export async function createKey(
  { call }: Pick<RunningIdentity, 'call'>,
  context: CallContext,
  request: MakeKey,
  key = makeApiKey(request.mode),
): Promise<CreatedKey> {
  return { ...(await call(keys.create, context, { ...request, ...hashedKey(key) })), key };
}

/** Rotates a key as a gateway does. */
export async function rotateKey({ call }: Pick<RunningIdentity, 'call'>, context: CallContext, request: RotateKey): Promise<RotatedKey> {
  const made = makeApiKeys();
  const { hash: production_hash, hint } = hashedKey(made.production);
  const { hash: test_hash } = hashedKey(made.test);
  const { mode, ...replaced } = await call(keys.rotate, context, { ...request, production_hash, test_hash, hint });
  return { ...replaced, key: made[mode] };
}
