import { randomUUID } from 'node:crypto';
import { membershipsChanged } from '@tidings/contracts/identity/events';
import { type UserTenantEntry, userTenants } from '@tidings/contracts/identity/user-tenants';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { waitUntil } from '@tidings/testing/wait-until';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';
import { UserTenantsHandlers } from './user-tenants.handlers';

const END = 'the end';

let identity: RunningIdentity;
let log: PostgresEventLog;
const heard: { key: string; tenantIds: string[] | null }[] = [];

beforeAll(async () => {
  identity = await startIdentity();
  log = await PostgresEventLog.connect({ databaseUrl: identity.adminUrl, applicationName: 'audience-spec', maintenanceIntervalMs: null });
  await log.broadcast(membershipsChanged, ({ key, payload }) => void heard.push({ key, tenantIds: payload?.tenantIds ?? null }));
});
afterAll(async () => {
  await identity.stop();
  await log.close();
});

/** A user of a workspace of its own. */
function someone(user_id = 'ada') {
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
    /** What was told of the user, in order, up to a last change that it makes itself. */
    told: async (): Promise<(string[] | null)[]> => {
      await call(userTenants.add, context, { user_id, tenant_id: END });
      const events = () => heard.filter((event) => event.key === key).map(({ tenantIds }) => tenantIds);
      await waitUntil(() => events().some((ids) => ids?.includes(END)), { what: `the last change of ${user_id}` });
      return events().slice(0, -1);
    },
  };
}

it('tells the whole set in order at every change of it, and of its end', async () => {
  const ada = someone();

  await ada.add('m');
  await ada.addMany([{ tenant_id: 'z' }, { tenant_id: 'a' }]);
  await ada.remove('m');
  await ada.removeAll();

  await expect(ada.told()).resolves.toEqual([['m'], ['a', 'm', 'z'], ['a', 'z'], null]);
});

it('tells of the end when the last tenant is removed', async () => {
  const ada = someone();

  await ada.add('acme');
  await ada.remove('acme');

  await expect(ada.told()).resolves.toEqual([['acme'], null]);
});

it('says nothing where only a profile changed, or nothing at all', async () => {
  const ada = someone();
  await ada.add('acme', { a: 1 });

  await ada.add('acme', { b: 2 });
  await ada.addMany([{ tenant_id: 'acme' }]);
  await ada.addMany([]);
  await ada.remove('elsewhere');

  await expect(ada.told()).resolves.toEqual([['acme']]);
});

it('says nothing of a user who is in no tenant and leaves all', async () => {
  const ada = someone();

  await ada.removeAll();

  await expect(ada.told()).resolves.toEqual([]);
});

it('says nothing of a change that was refused', async () => {
  const ada = someone();

  await expect(ada.addMany([{ tenant_id: 'a' }, { tenant_id: 'b', profile: { c: '\0' } }])).rejects.toMatchObject({
    code: 'invalid_request',
  });

  await expect(ada.told()).resolves.toEqual([]);
});

it('tells of many additions at once one by one, none forgotten', async () => {
  const ada = someone();

  await Promise.all(Array.from({ length: 30 }, (_, n) => ada.add(`t${n}`)));

  const told = await ada.told();
  expect(told.map((ids) => ids?.length)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
});

it('ends with what is stored when additions and removals race', async () => {
  const ada = someone();
  const kinds = [
    (n: number) => ada.add(`t${n % 7}`),
    (n: number) => ada.remove(`t${(n + 3) % 7}`),
    (n: number) => ada.addMany([{ tenant_id: `t${n % 5}` }, { tenant_id: `t${n % 3}` }]),
    (n: number) => (n % 2 === 0 ? ada.removeAll() : ada.add('always')),
  ];

  await Promise.all(Array.from({ length: 40 }, (_, n) => kinds[n % kinds.length]!(n)));
  await ada.add('last');
  const stored = await ada.stored();

  expect((await ada.told()).at(-1)).toEqual(stored);
});

it('tells of a change once that a transport delivers twice', async () => {
  const ada = someone();
  const delivered = { ...ada.context, deliveryId: randomUUID() };

  for (const tenant_id of ['first', 'second']) {
    await identity.get(UserTenantsHandlers).add(delivered, { user_id: 'ada', tenant_id });
  }

  await expect(ada.told()).resolves.toEqual([['first']]);
});
