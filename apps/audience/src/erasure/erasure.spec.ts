import { randomUUID } from 'node:crypto';
import { audiences } from '@tidings/contracts/audience/audiences';
import { audienceErasure } from '@tidings/contracts/audience/erasure';
import { profileLists } from '@tidings/contracts/audience/profile-lists';
import { contextOf } from '@tidings/testing/context-of';
import { waitUntil } from '@tidings/testing/wait-until';
import { PeopleProjection } from '../audiences/people-projection';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';

let instances: AudienceInstances;
let service: AudienceInstance;
beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.close());

it('ends every subscription, and is done once no audience has the user', async () => {
  const context = contextOf(randomUUID());
  const { workspaceId } = context;
  await service.call(audiences.put, context, { audience_id: 'staff', filter: { operator: 'EQ', path: 'title', value: 'boss' } });
  await instances.waitUntilIdle(service);
  await instances.publishProfile(workspaceId, 'ada', { title: 'boss' }, '1');
  const members = async () => (await service.call(audiences.members, context, { audience_id: 'staff' })).items;
  await waitUntil(async () => (await members()).length === 1, { what: 'the member' });
  await service.call(profileLists.subscribe, context, { user_id: 'ada', lists: [{ listId: 'news' }, { listId: 'offers' }] });
  const erase = () => service.call(audienceErasure.erase, context, { user_id: 'ada' });

  expect(await erase()).toEqual({ done: false, removed: { subscriptions: 2 } });

  await instances.publishProfile(workspaceId, 'ada', null, '2');
  const now = Date.now();
  await waitUntil(() => service.get(PeopleProjection).hasAppliedUpTo(now), { what: 'the projection' });
  expect(await erase()).toEqual({ done: true, removed: { subscriptions: 0 } });
  expect(await members()).toEqual([]);
  expect((await service.call(profileLists.list, context, { user_id: 'ada' })).results).toEqual([]);
});

it("keeps another workspace's subscriptions", async () => {
  const owner = contextOf(randomUUID());
  await service.call(profileLists.subscribe, owner, { user_id: 'ada', lists: [{ listId: 'news' }] });
  await service.call(audienceErasure.erase, contextOf(randomUUID()), { user_id: 'ada' });
  expect((await service.call(profileLists.list, owner, { user_id: 'ada' })).results).toHaveLength(1);
});
