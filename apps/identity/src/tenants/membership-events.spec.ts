import { randomUUID } from 'node:crypto';
import { membershipsChanged } from '@tidings/contracts/identity/events';
import { type UserTenantEntry, userTenants } from '@tidings/contracts/identity/user-tenants';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { waitUntil } from '@tidings/testing/wait-until';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';

const END = 'the end';

let identity: RunningIdentity;
let log: PostgresEventLog;
const received: { key: string; tenantIds: string[] | null }[] = [];

beforeAll(async () => {
  identity = await startIdentity();
  log = await PostgresEventLog.connect({ databaseUrl: identity.adminUrl, applicationName: 'audience-spec', maintenanceIntervalMs: null });
  await log.broadcast(membershipsChanged, ({ key, payload }) => void received.push({ key, tenantIds: payload?.tenantIds ?? null }));
});
afterAll(async () => {
  await identity.stop();
  await log.close();
});

/** A user of a new workspace. */
function newUser(user_id = 'ada') {
  const context = contextOf(randomUUID());
  const { call } = identity;
  const key = `${context.workspaceId}:${user_id}`;
  return {
    context,
    add: (tenant_id: string, profile?: Record<string, unknown>) => call(userTenants.add, context, { user_id, tenant_id, profile }),
    addMany: (tenants: UserTenantEntry[]) => call(userTenants.addMany, context, { user_id, tenants }),
    remove: (tenant_id: string) => call(userTenants.remove, context, { user_id, tenant_id }),
    removeAll: () => call(userTenants.removeAll, context, { user_id }),
    stored: async () => (await call(userTenants.list, context, { user_id, limit: 100 })).items.map(({ tenant_id }) => tenant_id),
    /** The published tenants of the user, in order; makes a last change itself to know the end. */
    published: async (): Promise<(string[] | null)[]> => {
      await call(userTenants.add, context, { user_id, tenant_id: END });
      const events = () => received.filter((event) => event.key === key).map(({ tenantIds }) => tenantIds);
      await waitUntil(() => events().some((ids) => ids?.includes(END)), { what: `the last change of ${user_id}` });
      return events().slice(0, -1);
    },
  };
}

it('publishes the whole set, sorted, at every change, and a tombstone for the empty set', async () => {
  const ada = newUser();

  await ada.add('m');
  await ada.addMany([{ tenant_id: 'z' }, { tenant_id: 'a' }]);
  await ada.remove('m');
  await ada.removeAll();

  await expect(ada.published()).resolves.toEqual([['m'], ['a', 'm', 'z'], ['a', 'z'], null]);
});

it('publishes a tombstone when the last tenant is removed', async () => {
  const ada = newUser();

  await ada.add('acme');
  await ada.remove('acme');

  await expect(ada.published()).resolves.toEqual([['acme'], null]);
});

it('publishes nothing for a change of a profile, or without a change', async () => {
  const ada = newUser();
  await ada.add('acme', { a: 1 });

  await ada.add('acme', { b: 2 });
  await ada.addMany([{ tenant_id: 'acme' }]);
  await ada.addMany([]);
  await ada.remove('elsewhere');

  await expect(ada.published()).resolves.toEqual([['acme']]);
});

it('publishes nothing when a user without tenants is removed from all', async () => {
  const ada = newUser();

  await ada.removeAll();

  await expect(ada.published()).resolves.toEqual([]);
});

it('publishes nothing for a refused change', async () => {
  const ada = newUser();

  await expect(ada.addMany([{ tenant_id: 'a' }, { tenant_id: 'b', profile: { c: '\0' } }])).rejects.toMatchObject({
    code: 'invalid_request',
  });

  await expect(ada.published()).resolves.toEqual([]);
});

it('publishes each of many concurrent additions', async () => {
  const ada = newUser();

  await Promise.all(Array.from({ length: 30 }, (_, n) => ada.add(`t${n}`)));

  const published = await ada.published();
  expect(published.map((ids) => ids?.length)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
});

it('publishes the stored set last when additions and removals race', async () => {
  const ada = newUser();
  const kinds = [
    (n: number) => ada.add(`t${n % 7}`),
    (n: number) => ada.remove(`t${(n + 3) % 7}`),
    (n: number) => ada.addMany([{ tenant_id: `t${n % 5}` }, { tenant_id: `t${n % 3}` }]),
    (n: number) => (n % 2 === 0 ? ada.removeAll() : ada.add('always')),
  ];

  await Promise.all(Array.from({ length: 40 }, (_, n) => kinds[n % kinds.length]!(n)));
  await ada.add('last');
  const stored = await ada.stored();

  expect((await ada.published()).at(-1)).toEqual(stored);
});

it('publishes a command once that a transport delivers twice', async () => {
  const ada = newUser();
  const redelivered = identity.redelivered();

  for (const tenant_id of ['first', 'second']) {
    await redelivered(userTenants.add, ada.context, { user_id: 'ada', tenant_id });
  }

  await expect(ada.published()).resolves.toEqual([['first']]);
});
