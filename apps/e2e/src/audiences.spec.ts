import Courier, { BadRequestError, NotFoundError } from '@trycourier/courier';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';
/** Upper bound for a change to pass the log and the rebuild of members; tests do not measure it. */
const MEMBERS_TIMEOUT_MS = 60_000;

describe('audiences through the official Node SDK', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  const memberIds = async (audienceId: string): Promise<string[]> =>
    (await sdk.audiences.listMembers(audienceId)).items.map(({ member_id }) => member_id);

  const untilMembers = (audienceId: string, ids: string[]): Promise<unknown> =>
    waitUntil(async () => (await memberIds(audienceId)).join() === ids.join(), {
      what: `${audienceId} to have the members ${ids.join()}`,
      timeoutMs: MEMBERS_TIMEOUT_MS,
    });

  it('creates, changes, lists and deletes an audience', async () => {
    const filter = { operator: 'EQ', path: 'title', value: 'Architect' };
    const { audience } = await sdk.audiences.update('architects', {
      name: 'Architects',
      description: 'Who draws',
      filter: filter as never,
    });
    expect(audience).toMatchObject({ id: 'architects', name: 'Architects', description: 'Who draws', filter });

    expect((await sdk.audiences.update('architects', { name: 'All architects' })).audience).toMatchObject({
      name: 'All architects',
      filter,
    });
    expect(await sdk.audiences.retrieve('architects')).toMatchObject({ name: 'All architects', created_at: audience.created_at });
    expect((await sdk.audiences.list()).items).toContainEqual(expect.objectContaining({ id: 'architects' }));

    await sdk.audiences.delete('architects');
    await expect(sdk.audiences.retrieve('architects')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('has the users with matching profiles as members, and follows profile changes', async () => {
    await sdk.profiles.replace('ada', { profile: { title: 'Software Engineer' } });
    await sdk.profiles.replace('grace', { profile: { title: 'Admiral' } });
    await sdk.audiences.update('engineers', {
      operator: 'AND',
      filter: { filters: [{ operator: 'EQ', path: 'title', value: 'Software Engineer' }] },
    });
    await untilMembers('engineers', ['ada']);
    const { items } = await sdk.audiences.listMembers('engineers');
    expect(items).toMatchObject([
      { audience_id: 'engineers', audience_version: 1, member_id: 'ada', reason: "EQ('title', 'Software Engineer') => true" },
    ]);

    await sdk.profiles.replace('grace', { profile: { title: 'Software Engineer' } });
    await untilMembers('engineers', ['ada', 'grace']);

    await sdk.profiles.delete('ada');
    await untilMembers('engineers', ['grace']);
  });

  it('rebuilds the members when the filter changes', async () => {
    for (const [user, level] of [
      ['low', 1],
      ['high', 9],
    ] as const)
      await sdk.profiles.replace(user, { profile: { level } });
    await sdk.audiences.update('levels', { filter: { filters: [{ operator: 'GT', path: 'level', value: '5' }] } });
    await untilMembers('levels', ['high']);

    await sdk.audiences.update('levels', { filter: { filters: [{ operator: 'LT', path: 'level', value: '5' }] } });

    await untilMembers('levels', ['low']);
    expect((await sdk.audiences.listMembers('levels')).items).toMatchObject([{ audience_version: 2 }]);
  });

  it('follows members that join and leave a tenant', async () => {
    await sdk.profiles.replace('tina', { profile: { name: 'Tina' } });
    await sdk.audiences.update('acme-people', { filter: { filters: [{ operator: 'MEMBER_OF', path: 'account_id', value: 'acme' }] } });

    await sdk.users.tenants.addSingle('acme', { user_id: 'tina' });
    await untilMembers('acme-people', ['tina']);
    await sdk.users.tenants.removeSingle('acme', { user_id: 'tina' });
    await untilMembers('acme-people', []);
  });

  it('refuses an invalid filter with its path', async () => {
    const wrong = sdk.audiences.update('wrong', { operator: 'OR', filter: { filters: [{ operator: 'equals', path: 'a', value: 'b' }] } });

    await expect(wrong).rejects.toBeInstanceOf(BadRequestError);
    await expect(wrong).rejects.toThrow(/filter\.filters\[0\]\.operator/);
  });
});
