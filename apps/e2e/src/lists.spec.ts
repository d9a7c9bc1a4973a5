import Courier, { BadRequestError, NotFoundError } from '@trycourier/courier';
import { SharedSystem } from './testing/shared-system';

describe('lists through the official Node SDK', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  const preferences = {
    categories: { news: { status: 'OPTED_OUT' as const } },
    notifications: {
      welcome: {
        status: 'OPTED_IN' as const,
        channel_preferences: [{ channel: 'push' as const }],
        rules: [{ type: 'snooze', start: '2026-01-01T00:00:00+02:00', until: '2026-02-01T00:00:00+02:00' }],
      },
    },
  };
  const subscribersOf = async (listId: string) => (await sdk.lists.subscriptions.list(listId)).items.map(({ recipientId }) => recipientId);

  it('creates, changes, deletes and restores a list', async () => {
    await sdk.lists.update('crud.list', { name: 'First', preferences });
    const list = await sdk.lists.retrieve('crud.list');
    expect(list).toMatchObject({ id: 'crud.list', name: 'First', preferences });
    expect(Date.parse(list.created!)).not.toBeNaN();

    await sdk.lists.update('crud.list', { name: 'Second', preferences: null });
    const changed = await sdk.lists.retrieve('crud.list');
    expect(changed).toMatchObject({ name: 'Second', created: list.created });
    expect(changed).not.toHaveProperty('preferences');

    await sdk.lists.subscriptions.subscribeUser('ada', { list_id: 'crud.list' });
    await sdk.lists.delete('crud.list');
    await expect(sdk.lists.retrieve('crud.list')).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.lists.delete('crud.list')).rejects.toBeInstanceOf(NotFoundError);

    await sdk.lists.restore('crud.list', {});
    expect(await sdk.lists.retrieve('crud.list')).toMatchObject({ name: 'Second' });
    expect(await subscribersOf('crud.list')).toEqual(['ada']);
    await expect(sdk.lists.restore('never', {})).rejects.toBeInstanceOf(NotFoundError);
  });

  it('lists lists by pattern, in pages', async () => {
    const ids = Array.from({ length: 105 }, (_, n) => `paged.${String(n).padStart(3, '0')}`);
    await Promise.all([...ids, 'paged', 'paged.001.deep'].map((id) => sdk.lists.update(id, { name: id })));

    const first = await sdk.lists.list({ pattern: 'paged.*' });
    const second = await sdk.lists.list({ pattern: 'paged.*', cursor: first.paging.cursor });

    expect(first.paging.more).toBe(true);
    expect(second.paging.more).toBe(false);
    expect([...first.items, ...second.items].map(({ id }) => id)).toEqual(ids);
    expect(first).toHaveProperty('results', first.items);
    expect((await sdk.lists.list({ pattern: 'paged.*.*' })).items).toMatchObject([{ id: 'paged.001.deep' }]);
    expect((await sdk.lists.list({ pattern: 'paged' })).items).toMatchObject([{ id: 'paged' }]);
    expect((await sdk.lists.list()).items.length).toBe(100);
  });

  it.each(['**', 'g*', 'a..b'])('refuses the pattern %s', async (pattern) => {
    await expect(sdk.lists.list({ pattern })).rejects.toBeInstanceOf(BadRequestError);
  });

  it('refuses invalid ids with the reason', async () => {
    for (const id of ['with space', 'a.*', 'a.b.c.d.e', '.a']) {
      await expect(sdk.lists.update(id, { name: 'Nothing' })).rejects.toBeInstanceOf(BadRequestError);
    }
    await expect(sdk.lists.update('a.b.c.d.e', { name: 'Nothing' })).rejects.toThrow(/4 parts/);
  });

  it('adds, replaces and removes subscribers', async () => {
    await sdk.lists.subscriptions.add('subs', { recipients: [{ recipientId: 'ada', preferences }, { recipientId: 'bob' }] });
    await sdk.lists.subscriptions.add('subs', { recipients: [{ recipientId: 'bob' }, { recipientId: 'eve', preferences: null }] });
    const { items } = await sdk.lists.subscriptions.list('subs');
    expect(items).toMatchObject([{ recipientId: 'ada', preferences }, { recipientId: 'bob' }, { recipientId: 'eve' }]);

    await sdk.lists.subscriptions.subscribe('subs', { recipients: [{ recipientId: 'eve' }, { recipientId: 'zoe' }] });
    expect(await subscribersOf('subs')).toEqual(['eve', 'zoe']);

    await sdk.lists.subscriptions.subscribeUser('ada/any one', { list_id: 'subs', preferences });
    expect((await sdk.lists.subscriptions.list('subs')).items[0]).toMatchObject({ recipientId: 'ada/any one', preferences });
    await sdk.lists.subscriptions.unsubscribeUser('ada/any one', { list_id: 'subs' });
    expect(await subscribersOf('subs')).toEqual(['eve', 'zoe']);
    await expect(sdk.lists.subscriptions.unsubscribeUser('ada/any one', { list_id: 'subs' })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.lists.subscriptions.list('nothing')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('accepts a subscription in the older forms: without body, and with the preferences as body', async () => {
    const path = '/lists/older/subscriptions/ada';
    await sdk.put(path);
    expect((await sdk.lists.subscriptions.list('older')).items).toMatchObject([{ recipientId: 'ada' }]);

    await sdk.put(path, { body: preferences });
    expect((await sdk.lists.subscriptions.list('older')).items).toMatchObject([{ recipientId: 'ada', preferences }]);
  });

  it('pages through many subscribers', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `user-${String(n).padStart(3, '0')}`);
    await sdk.lists.subscriptions.add('many', { recipients: ids.map((recipientId) => ({ recipientId })) });

    const seen: string[] = [];
    for (let cursor: string | null | undefined, more = true; more;) {
      const { items, paging } = await sdk.lists.subscriptions.list('many', { cursor });
      seen.push(...items.map(({ recipientId }) => recipientId));
      ({ cursor, more } = paging);
    }

    expect(seen).toEqual(ids);
  });

  it('subscribes a user to lists, lists them, and removes all', async () => {
    await sdk.lists.update('named', { name: 'A name' });

    expect(await sdk.profiles.lists.subscribe('lea', { lists: [{ listId: 'named', preferences }, { listId: 'made' }] })).toEqual({
      status: 'SUCCESS',
    });

    const { results, paging } = await sdk.profiles.lists.retrieve('lea');
    expect(paging).toEqual({ more: false });
    expect(results).toMatchObject([
      { id: 'made', name: 'made' },
      { id: 'named', name: 'A name', preferences },
    ]);
    expect(await subscribersOf('made')).toEqual(['lea']);

    expect(await sdk.profiles.lists.delete('lea')).toEqual({ status: 'SUCCESS' });
    expect((await sdk.profiles.lists.retrieve('lea')).results).toEqual([]);
    expect(await subscribersOf('made')).toEqual([]);
  });

  it('retains subscriptions of a user whose profile is deleted', async () => {
    await sdk.profiles.replace('deleted', { profile: { email: 'deleted@example.com' } });
    await sdk.profiles.lists.subscribe('deleted', { lists: [{ listId: 'retained' }] });

    await sdk.profiles.delete('deleted');

    expect(await subscribersOf('retained')).toEqual(['deleted']);
  });
});
