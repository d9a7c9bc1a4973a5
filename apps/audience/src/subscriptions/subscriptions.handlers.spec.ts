import { randomBytes } from 'node:crypto';
import { type PutSubscription, type Subscriber, subscriptions } from '@tidings/contracts/audience/subscriptions';
import { USER_ID_LENGTH_MAX } from '@tidings/contracts/identity/profiles';
import type { TestService } from '@tidings/testing/service';
import { listsOf, optedOutOf, users } from '../testing/lists';
import { sharedAudience } from '../testing/start-audience';

let audience: TestService;
const workspace = () => listsOf(audience);

beforeAll(async () => void (audience = await sharedAudience()));

describe('the subscribers of a list', () => {
  it('are paged by id, with their preferences', async () => {
    const { add, subscriptions: page } = workspace();
    await add('a', ...users(150).reverse(), { recipientId: 'ada', preferences: optedOutOf('news') });

    const first = await page('a');
    const second = await page('a', first.paging.cursor);

    expect([...first.items, ...second.items].map(({ recipientId }) => recipientId)).toEqual(['ada', ...users(150)]);
    expect(first.items[0]).toEqual({ recipientId: 'ada', created: expect.stringMatching(/Z$/) as string, preferences: optedOutOf('news') });
    expect(first.items[1]).not.toHaveProperty('preferences');
    expect(second.paging).toEqual({ more: false });
  });

  it('are none for an empty list and an error for a missing one', async () => {
    const { put, subscriptions: page } = workspace();
    await put('a');

    await expect(page('a')).resolves.toEqual({ paging: { more: false }, items: [] });
    await expect(page('b')).rejects.toMatchObject({ code: 'not_found', message: 'List b does not exist' });
  });

  it('stay unchanged when others are added', async () => {
    const { add, subscriptions: page } = workspace();
    await add('a', { recipientId: 'ada', preferences: optedOutOf('news') }, 'bob');
    const before = (await page('a')).items;

    await add('a', { recipientId: 'ada', preferences: optedOutOf('other') }, 'bob', 'eve');

    const after = (await page('a')).items;
    expect(after.slice(0, 2)).toEqual(before);
    expect(after[2]).toMatchObject({ recipientId: 'eve' });
  });

  it('are replaced completely, and lasting ones keep their date', async () => {
    const { add, replace, subscriptions: page, listsOfUser } = workspace();
    await add('a', { recipientId: 'ada', preferences: optedOutOf('news') }, 'bob');
    const [ada] = (await page('a')).items;

    await replace('a', 'ada', 'eve', { recipientId: 'eve', preferences: optedOutOf('last one counts') });

    const { items } = await page('a');
    expect(items).toMatchObject([
      { recipientId: 'ada', created: ada!.created },
      { recipientId: 'eve', preferences: optedOutOf('last one counts') },
    ]);
    expect(items).toHaveLength(2);
    expect(items[0]).not.toHaveProperty('preferences');
    await expect(listsOfUser('bob')).resolves.toEqual([]);
    await expect(listsOfUser('eve')).resolves.toMatchObject([{ id: 'a' }]);
  });

  it('can be replaced by none', async () => {
    const { add, replace, subscribers } = workspace();
    await add('a', 'ada');

    await replace('a');

    await expect(subscribers('a')).resolves.toEqual([]);
  });

  it('may be many in one call', async () => {
    const { replace, add, members } = workspace();
    const many = Array.from({ length: 25_000 }, (_, n) => `user-${n}`);

    await replace('a', ...many.slice(0, 20_000));
    await add('a', ...many);

    const found: string[] = [];
    for (let cursor: string | undefined, more = true; more;) {
      const page = await members('a', undefined, cursor);
      found.push(...page.members.map(({ user_id }) => user_id));
      ({ cursor, more } = page);
    }
    expect(found).toEqual([...many].sort());
  });

  it.each<[string, Subscriber, string]>([
    ['an id that cannot be stored', { recipientId: 'a\0' }, 'recipients[1].recipientId'],
    ['an empty id', { recipientId: '' }, 'recipientId'],
    [
      'wrong preferences',
      { recipientId: 'a', preferences: { categories: { n: {} as never } } },
      'recipients[1].preferences.categories.n: status',
    ],
  ])('are added all or none: one with %s is refused', async (_, wrong, message) => {
    const { add, subscriptions: page } = workspace();

    await expect(add('a', 'ada', wrong)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message) as string,
    });

    await expect(page('a')).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a subscription', () => {
  it.each<[string, Omit<PutSubscription, 'list_id' | 'user_id'>, object]>([
    ['nothing', {}, {}],
    ['preferences', { preferences: optedOutOf('news') }, { preferences: optedOutOf('news') }],
    ['null', { preferences: null }, {}],
    [
      'the two maps alone, as older clients do',
      { ...optedOutOf('news'), notifications: null },
      { preferences: { ...optedOutOf('news'), notifications: null } },
    ],
    ['both forms, of which the newer counts', { preferences: optedOutOf('new'), ...optedOutOf('old') }, { preferences: optedOutOf('new') }],
  ])('may be put with %s', async (_, body, expected) => {
    const { context, subscriptions: page } = workspace();

    await audience.call(subscriptions.put, context, { list_id: 'a', user_id: 'ada', ...body });

    const [{ created, ...subscription }] = (await page('a')).items as unknown as [{ created: string }];
    expect(created).toMatch(/Z$/);
    expect(subscription).toEqual({ recipientId: 'ada', ...expected });
  });

  it('keeps its date and loses absent preferences when put again', async () => {
    const { subscribe, subscriptions: page } = workspace();
    await subscribe('a', 'ada', optedOutOf('news'));
    const [before] = (await page('a')).items;

    await subscribe('a', 'ada');

    expect((await page('a')).items).toEqual([{ recipientId: 'ada', created: before!.created }]);
  });

  it('may have ids of the maximal length', async () => {
    const { subscribe, subscribers, listsOfUser } = workspace();
    // Not repetitive, so that the ids cannot be compressed.
    const user = Array.from({ length: USER_ID_LENGTH_MAX }, (_, n) =>
      String.fromCodePoint(0x10000 + ((n * 7_919 + n * n * 31) % 0xf0000)),
    ).join('');
    const list = `${'a.b.c.'}${randomBytes(253).toString('hex')}`;

    await subscribe(list, user);

    await expect(subscribers(list)).resolves.toEqual([user]);
    await expect(listsOfUser(user)).resolves.toMatchObject([{ id: list }]);
  });

  it('is refused with invalid maps of the older form', async () => {
    const { context } = workspace();
    const refused = audience.call(subscriptions.put, context, {
      list_id: 'a',
      user_id: 'ada',
      categories: { n: { status: 'NO' } } as never,
    });

    await expect(refused).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('ends once', async () => {
    const { add, unsubscribe, subscribers } = workspace();
    await add('a', 'ada', 'bob');

    await unsubscribe('a', 'ada');

    await expect(subscribers('a')).resolves.toEqual(['bob']);
    await expect(unsubscribe('a', 'ada')).rejects.toMatchObject({ code: 'not_found' });
    await expect(unsubscribe('b', 'ada')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('ends without an error when its call is delivered twice', async () => {
    const ours = workspace();
    await ours.add('a', 'ada');
    const call = audience.redelivered();
    const deliver = () => call(subscriptions.remove, ours.context, { list_id: 'a', user_id: 'ada' });

    await deliver();

    await expect(deliver()).resolves.toBeUndefined();
  });
});

it('applies a replacement once that is delivered again later', async () => {
  const ours = workspace();
  const call = audience.redelivered();
  const deliver = () => call(subscriptions.replace, ours.context, { list_id: 'a', recipients: [{ recipientId: 'ada' }] });
  await deliver();
  await ours.add('a', 'bob');

  await deliver();

  await expect(ours.subscribers('a')).resolves.toEqual(['ada', 'bob']);
});
