import { randomUUID } from 'node:crypto';
import { audienceMembers, type AudienceMembersPage, MEMBERS_OF_AUDIENCE_MAX } from '@tidings/contracts/audience/audience-members';
import { audiences } from '@tidings/contracts/audience/audiences';
import { contextOf } from '@tidings/testing/context-of';
import { type AudienceInstance, AudienceInstances } from '../testing/audience-instances';

let instances: AudienceInstances;
let service: AudienceInstance;

beforeAll(async () => {
  instances = await AudienceInstances.create();
  service = await instances.start();
});
afterAll(() => instances.close());

/** An audience of all users with a name. Resolves with a function that loads its members. */
async function buildAudience(...users: string[]) {
  const context = contextOf(randomUUID());
  for (const userId of users) await instances.publishProfile(context.workspaceId, userId, { name: userId });
  await service.call(audiences.put, context, { audience_id: 'all', filter: { operator: 'EXISTS', path: 'name', value: 'true' } });
  await instances.waitUntilIdle(service);
  return (request: { after?: string; limit?: number } = {}): Promise<AudienceMembersPage> =>
    service.call(audienceMembers.ofAudience, context, { audience_id: 'all', ...request });
}

it('pages through members by id', async () => {
  const load = await buildAudience('ada', 'bob', 'cleo');

  await expect(load()).resolves.toEqual({ found: true, user_ids: ['ada', 'bob', 'cleo'] });
  await expect(load({ limit: 2 })).resolves.toEqual({ found: true, user_ids: ['ada', 'bob'], next: 'bob' });
  await expect(load({ limit: 2, after: 'bob' })).resolves.toEqual({ found: true, user_ids: ['cleo'] });
  await expect(load({ limit: 3 })).resolves.toMatchObject({ next: 'cleo' });
  await expect(load({ after: 'cleo' })).resolves.toEqual({ found: true, user_ids: [] });
});

it('distinguishes a missing audience from one without members', async () => {
  const load = await buildAudience();

  await expect(load()).resolves.toEqual({ found: true, user_ids: [] });
  const missing = service.call(audienceMembers.ofAudience, contextOf(randomUUID()), { audience_id: 'all' });
  await expect(missing).resolves.toEqual({ found: false, user_ids: [] });
});

it('refuses a limit above the maximum', async () => {
  const load = await buildAudience();

  await expect(load({ limit: MEMBERS_OF_AUDIENCE_MAX + 1 })).rejects.toMatchObject({ code: 'invalid_request' });
});
