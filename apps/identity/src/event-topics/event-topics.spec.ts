import { randomUUID } from 'node:crypto';
import type { EventRecord } from '@tidings/events/event-log';
import { eventTopics } from '@tidings/contracts/identity/event-topics';
import { membershipsChanged, profileChanged } from '@tidings/contracts/identity/events';
import { profiles } from '@tidings/contracts/identity/profiles';
import { userTenants } from '@tidings/contracts/identity/user-tenants';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { type RunningIdentity, startIdentity } from '../testing/start-identity';

/** More than a page. */
const USERS = 201;

let identity: RunningIdentity;
const context = contextOf(randomUUID());
const published: EventRecord<object>[] = [];
beforeAll(async () => {
  identity = await startIdentity();
  for (const event of [profileChanged, membershipsChanged])
    await identity.events.broadcast<object>(event as never, (one) => void published.push(one));
  await identity.sql(
    `insert into profiles (workspace_id, user_id, profile) select $1, 'user-' || number, '{"name":"Ada"}' from generate_series(1, $2::integer) as number`,
    [context.workspaceId, USERS],
  );
  await identity.call(profiles.replace, context, { user_id: 'unknown', profile: {} });
  await identity.call(userTenants.add, context, { user_id: 'user-7', tenant_id: 'acme', profile: {} });
  await waitUntil(() => published.length === 2);
});
afterAll(() => identity.stop());

async function republish(operation: typeof eventTopics.republishProfiles): Promise<number[]> {
  published.splice(0);
  const pages: number[] = [];
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const page = await identity.call(operation, context, { cursor });
    expect(page.signed).toBe(false); // the records of the test are in PostgreSQL
    pages.push(page.published);
    cursor = page.next;
  }
  return pages;
}

it('publishes every profile anew, page by page, without empty ones', async () => {
  expect(await republish(eventTopics.republishProfiles)).toEqual([200, 1]);

  await waitUntil(() => published.length === USERS);
  expect(new Set(published.map(({ key }) => key)).size).toBe(USERS);
  const { workspaceId } = context;
  expect(published.map(({ payload }) => payload)).toContainEqual({ workspaceId, userId: 'user-1', profile: { name: 'Ada' } });
});

it('publishes the tenants of every user anew', async () => {
  expect(await republish(eventTopics.republishMemberships)).toEqual([1]);

  await waitUntil(() => published.length === 1);
  expect(published[0]!.payload).toEqual({ workspaceId: context.workspaceId, userId: 'user-7', tenantIds: ['acme'] });
});

it('names the topics when one does not exist, and says where nothing is signed', async () => {
  const skip = (topic: string): Promise<unknown> => identity.call(eventTopics.skipUnverified, context, { topic });
  await expect(skip('tidings.orders.v1')).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/^There is no topic tidings.orders.v1: the topics are .*tidings.profiles.v1/) as string,
  });
  await expect(skip('tidings.profiles.v1')).rejects.toMatchObject({ code: 'invalid_request' });
});
