import Courier from '@trycourier/courier';
import { SendingWorld } from './testing/sending-world';
type To = Courier.SendMessageParams.Message['to'];
const EMAIL = { routing: { method: 'single' as const, channels: ['email'] } };

let world: SendingWorld;
beforeAll(async () => {
  world = await SendingWorld.start();
});
afterAll(() => world?.end());

/** Sends with the SDK; resolves with the request's id. */
async function send(to: To, content = { title: 'Hello', body: 'A short text.' }): Promise<string> {
  return (await world.sdk.send.message({ message: { to, content, ...EMAIL } })).requestId;
}
/** Who is sent to, by all messages that a request becomes: the one behind them is the last, as it is in the last place of its array. */
async function reached(to: To): Promise<string[]> {
  const last = `${world.name('last')}@example.com`;
  const entries = Array.isArray(to) ? to : [to!];
  const request = await send([...entries, { email: last }]);
  await world.until(`${request} to be expanded`, async () =>
    (await world.messagesOf(request, 1)).some(({ recipient }) => recipient === last),
  );
  return (await world.messagesOf(request, 1))
    .map(({ recipient }) => recipient)
    .filter((one) => one !== last)
    .sort();
}
const subscribe = async (list_id: string, ...users: string[]): Promise<void> => {
  for (const user of users) await world.sdk.lists.subscriptions.subscribeUser(await world.user(user), { list_id });
};
/** A record under the request's own id that says that nobody was found. */
async function findsNobody(to: To, error: string): Promise<void> {
  const request = await send(to);
  expect(await world.once('UNROUTABLE', request)).toMatchObject({ id: request, recipient: request, reason: 'NO_CHANNELS', error });
}

describe('a list', () => {
  it('reaches who is subscribed when it is expanded, and each record names list and request', async () => {
    const [list, one, other] = [world.name('list'), world.name('on'), world.name('off')];
    await subscribe(list, one, other);
    await world.sdk.lists.subscriptions.unsubscribeUser(other, { list_id: list });

    const request = await send({ list_id: list });

    const [record] = await world.messagesOf(request, 1);
    expect(record).toMatchObject({ recipient: one, listId: list, listMessageId: request });
    expect(record!.id).not.toBe(request);
    expect(await world.messagesOf(request, 1)).toHaveLength(1);
    expect(await reached({ list_id: list })).toEqual([one]);
  });

  it('that is deleted halts, and goes on when it is restored', async () => {
    const [list, user] = [world.name('list'), world.name('on')];
    await world.sdk.lists.update(list, { name: list });
    await subscribe(list, user);
    await world.sdk.lists.delete(list);
    await findsNobody({ list_id: list }, `No list "${list}" exists`);

    await world.sdk.lists.restore(list, {});
    expect(await reached({ list_id: list })).toEqual([user]);
  });

  it('is independent of the list whose id its own begins with', async () => {
    const list = world.name('whole');
    await subscribe(list, `${list}-user`);
    await subscribe(`${list}.part`, `${list}-part-user`);
    expect(await reached({ list_id: list })).toEqual([`${list}-user`]);
    expect(await reached({ list_id: `${list}.part` })).toEqual([`${list}-part-user`]);
  });

  const wrong = ['', 'a b', 'a.*', 'a#', '.a', 'a.', 'a..b', 'a.b.c.d.e'];
  it.each(wrong)('cannot be called %j', async (list_id) => {
    await expect(send({ list_id })).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    if (list_id !== '') await expect(world.sdk.lists.update(list_id, { name: 'x' })).rejects.toMatchObject({ status: 400 });
  });

  it('can have four parts', async () => {
    const list = `${world.name('four')}.b.c.d`;
    await subscribe(list, 'fourth');
    expect(await reached({ list_id: list })).toEqual(['fourth']);
  });
});

describe('a pattern', () => {
  /** Each with the one subscriber that is called as it. */
  const lists = ['pokemon', 'pokemon.fire', 'pokemon.water', 'pokemon.fire.big', 'pokemon.fire.big.old', 'digimon.fire'];
  beforeAll(async () => {
    for (const list of lists) await subscribe(list, list);
  });

  it.each([
    ['pokemon.*', ['pokemon.fire', 'pokemon.water']],
    ['pokemon.**', ['pokemon.fire', 'pokemon.fire.big', 'pokemon.fire.big.old', 'pokemon.water']],
    ['pokemon.*.big', ['pokemon.fire.big']],
    ['pokemon.*.*', ['pokemon.fire.big']],
    ['pokemon.*.**', ['pokemon.fire.big', 'pokemon.fire.big.old']],
    ['*.fire', ['digimon.fire', 'pokemon.fire']],
    ['pokemon.fire', ['pokemon.fire']],
  ])('%s reaches %j', async (list_pattern, expected) => {
    expect(await reached({ list_pattern })).toEqual(expected);
  });

  it.each(['**', '**.part', '*.**', 'part.*.', '.part', 'part..part', 'a part', '***', 'poke**', 'g*', 'a.b.c.d.*'])(
    '%s is refused',
    async (list_pattern) => {
      await expect(send({ list_pattern })).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    },
  );

  it('reaches who is on several of its lists once, as a subscriber of the first by id', async () => {
    const group = world.name('group');
    for (const part of ['b', 'a', 'c']) await subscribe(`${group}.${part}`, `${group}-user`);
    const request = await send({ list_pattern: `${group}.*` });
    expect(await world.messagesOf(request, 1)).toMatchObject([
      { recipient: `${group}-user`, listId: `${group}.a`, listMessageId: request },
    ]);
    expect(await reached({ list_pattern: `${group}.*` })).toEqual([`${group}-user`]);
  });
});

describe('an audience', () => {
  const filterOf = (title: string): never => ({ operator: 'EQ', path: 'title', value: title }) as never;
  const member = async (title: string): Promise<string> => {
    const user = world.name('member');
    await world.sdk.profiles.replace(user, { profile: { title, email: `${user}@example.com` } });
    return user;
  };
  const untilMembers = (audience: string, users: string[]): Promise<unknown> =>
    world.until(`the members ${users.join()}`, async () => {
      const { items } = await world.sdk.audiences.listMembers(audience);
      return items.map(({ member_id }) => member_id).join() === [...users].sort().join();
    });

  it('reaches its members, and those alone who pass each filter', async () => {
    const [audience, tenant] = [world.name('audience'), world.name('tenant')];
    const [one, other] = [await member(audience), await member(audience)];
    await member('Somebody else');
    await world.sdk.tenants.update(tenant, { name: tenant });
    await world.sdk.users.tenants.addSingle(tenant, { user_id: other });
    await world.sdk.audiences.update(audience, { filter: filterOf(audience) });
    await untilMembers(audience, [one, other]);

    expect(await reached({ audience_id: audience })).toEqual([one, other].sort());
    const filters = [{ operator: 'MEMBER_OF' as const, path: 'account_id' as const, value: tenant }];
    expect(await reached({ audience_id: audience, filters })).toEqual([other]);
  });

  it('that nobody is in, or that is deleted, reaches nobody', async () => {
    const audience = world.name('audience');
    await world.sdk.audiences.update(audience, { filter: filterOf(audience) });
    await findsNobody({ audience_id: audience }, `The audience "${audience}" has no members`);

    const user = await member(audience);
    await untilMembers(audience, [user]);
    await world.sdk.audiences.delete(audience);
    await findsNobody({ audience_id: audience }, `No audience "${audience}" exists`);
  });
});

describe('a tenant', () => {
  it('reaches its members and those below it, each once and in the context they belong to', async () => {
    const [group, branch, shop] = [world.name('group'), world.name('branch'), world.name('shop')];
    const [own, both, below] = [await world.user(), await world.user(), await world.user()];
    await world.sdk.tenants.update(group, { name: 'Group' });
    await world.sdk.tenants.update(branch, { name: 'Branch', parent_tenant_id: group });
    await world.sdk.tenants.update(shop, { name: 'Shop', parent_tenant_id: branch });
    for (const [tenant, user] of [
      [group, own],
      [group, both],
      [branch, both],
      [shop, below],
    ] as const) {
      await world.sdk.users.tenants.addSingle(tenant, { user_id: user });
    }

    expect(await reached({ tenant_id: group })).toEqual([own, both].sort());
    const content = { title: 'From {tenant.name}', body: 'x' };
    const request = await send({ tenant_id: group, include_children: true } as To, content);

    expect((await world.messagesOf(request, 3)).map(({ recipient }) => recipient).sort()).toEqual([own, both, below].sort());
    for (const [user, name] of [
      [own, 'Group'],
      [both, 'Group'],
      [below, 'Shop'],
    ] as const) {
      const before = user === below ? 0 : 1; // members of the group itself were sent to already
      const mails = await Promise.all((await world.smtp.waitForMailsTo(`${user}@example.com`, before + 1)).map((mail) => mail.parse()));
      expect(mails.map(({ subject }) => subject).filter((subject) => subject?.startsWith('From'))).toEqual([`From ${name}`]);
    }
    const { results } = await world.ask<{ results: object[] }>('GET', `/messages?tenant_id=${shop}`);
    expect(results).toMatchObject([{ recipient: below }]);
  });

  it('that nobody belongs to, or that is not there, reaches nobody', async () => {
    const tenant = world.name('tenant');
    await findsNobody({ tenant_id: tenant }, `No tenant "${tenant}" exists`);
    await world.sdk.tenants.update(tenant, { name: tenant });
    await findsNobody({ tenant_id: tenant }, `The tenant "${tenant}" has no members`);
  });
});

describe('an array', () => {
  it('of any kinds is each of them for itself: the same user in two entries gets two', async () => {
    const [list, one, other] = [world.name('list'), world.name('one'), world.name('other')];
    await subscribe(list, one, other);
    const to = [{ user_id: one, data: { n: 1 } }, { list_id: list, data: { n: 2 } }, { email: 'bare@example.com' }];
    expect(await reached(to)).toEqual([one, one, other, 'bare@example.com'].sort());
    const targets = [{ audience_id: 'nobody-here' }, { list_pattern: 'nobody.*' }];
    await findsNobody(targets, 'No audience "nobody-here" exists; no list matches the pattern "nobody.*"');
  });

  it('gives each entry data of its own, over those of the message', async () => {
    const email = `${world.name('data')}@example.com`;
    const entries = ['One', 'Two'].map((name) => ({ user_id: email, email, data: { name } }));
    await send(entries, { title: 'Hello {name}', body: 'x' });
    const mails = await Promise.all((await world.smtp.waitForMailsTo(email, 2)).map((mail) => mail.parse()));
    expect(mails.map(({ subject }) => subject).sort()).toEqual(['Hello One', 'Hello Two']);
  });

  it('where one fails the others arrive', async () => {
    const list = world.name('list');
    await subscribe(list, `${list}-first`, `${list}-last`);
    await world.sdk.lists.subscriptions.subscribeUser(`${list}-lost`, { list_id: list });
    const records = await world.messagesOf(await send([{ list_id: list }, { user_id: 'nowhere-to-go' }]), 4);
    for (const { id, recipient } of records) {
      const fails = recipient === `${list}-lost` || recipient === 'nowhere-to-go';
      expect(await world.once(fails ? 'UNROUTABLE' : 'DELIVERED', id)).toMatchObject(fails ? { reason: 'NO_PROVIDERS' } : {});
    }
  });

  it('is refused where it is empty, or an entry is of two kinds', async () => {
    for (const to of [[], [{ user_id: 'a', list_id: 'b' }], [{ list_id: 'a', list_pattern: 'b.*' }]] as To[]) {
      await expect(send(to)).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    }
  });
});
