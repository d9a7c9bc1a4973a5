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
afterAll(() => instances.end());

/** An audience of everybody with a name. */
async function buildAudience(...users: string[]) {
  const context = contextOf(randomUUID());
  for (const userId of users) await instances.tellProfile(context.workspaceId, userId, { name: userId });
  await service.call(audiences.put, context, { audience_id: 'all', filter: { operator: 'EXISTS', path: 'name', value: 'true' } });
  await instances.quiet(service);
  return (request: { after?: string; limit?: number } = {}): Promise<AudienceMembersPage> =>
    service.call(audienceMembers.ofAudience, context, { audience_id: 'all', ...request });
}

it('pages through members by id', async () => {
  const ask = await buildAudience('ada', 'bob', 'cleo');

  await expect(ask()).resolves.toEqual({ found: true, user_ids: ['ada', 'bob', 'cleo'] });
  await expect(ask({ limit: 2 })).resolves.toEqual({ found: true, user_ids: ['ada', 'bob'], next: 'bob' });
  await expect(ask({ limit: 2, after: 'bob' })).resolves.toEqual({ found: true, user_ids: ['cleo'] });
  await expect(ask({ limit: 3 })).resolves.toMatchObject({ next: 'cleo' });
  await expect(ask({ after: 'cleo' })).resolves.toEqual({ found: true, user_ids: [] });
});

it('tells an audience that is not there from one without members', async () => {
  const ask = await buildAudience();

  await expect(ask()).resolves.toEqual({ found: true, user_ids: [] });
  const gone = service.call(audienceMembers.ofAudience, contextOf(randomUUID()), { audience_id: 'all' });
  await expect(gone).resolves.toEqual({ found: false, user_ids: [] });
});

it('looks at no more members than it says', async () => {
  const ask = await buildAudience();

  await expect(ask({ limit: MEMBERS_OF_AUDIENCE_MAX + 1 })).rejects.toMatchObject({ code: 'invalid_request' });
});
