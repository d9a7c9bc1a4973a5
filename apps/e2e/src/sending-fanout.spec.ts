import Courier from '@trycourier/courier';
import { SendingFixture } from './testing/sending-fixture';
type To = Courier.SendMessageParams.Message['to'];
const EMAIL = { routing: { method: 'single' as const, channels: ['email'] } };

let fixture: SendingFixture;
beforeAll(async () => {
  fixture = await SendingFixture.start();
});
afterAll(() => fixture?.end());

/** Sends with the SDK; resolves with the request id. */
async function send(to: To, content = { title: 'Hello', body: 'A short text.' }): Promise<string> {
  return (await fixture.sdk.send.message({ message: { to, content, ...EMAIL } })).requestId;
}
/** Recipients of all messages of a request, sorted. A last array entry, which is expanded last, marks the end and is left out. */
async function reached(to: To): Promise<string[]> {
  const last = `${fixture.name('last')}@example.com`;
  const entries = Array.isArray(to) ? to : [to!];
  const request = await send([...entries, { email: last }]);
  await fixture.until(`${request} to be expanded`, async () =>
    (await fixture.messagesOf(request, 1)).some(({ recipient }) => recipient === last),
  );
  return (await fixture.messagesOf(request, 1))
    .map(({ recipient }) => recipient)
    .filter((one) => one !== last)
    .sort();
}
const subscribe = async (list_id: string, ...users: string[]): Promise<void> => {
  for (const user of users) await fixture.sdk.lists.subscriptions.subscribeUser(await fixture.user(user), { list_id });
};
/** Expects an UNROUTABLE record under the request's own id, with its targets as recipient and this error. */
async function reachesNoRecipient(to: To, error: string): Promise<void> {
  const request = await send(to);
  const targets = [to!].flat().flatMap((one) => Object.entries(one));
  const recipient = targets.map(([field, id]) => `${field.replace(/^list_(?=pattern)|_id$/g, '')}:${id}`).join(', ');
  expect(await fixture.once('UNROUTABLE', request)).toMatchObject({ id: request, recipient, reason: 'NO_CHANNELS', error });
}

describe('a list', () => {
  it('reaches its subscribers at the expansion, and each record names list and request', async () => {
    const [list, one, other] = [fixture.name('list'), fixture.name('on'), fixture.name('off')];
    await subscribe(list, one, other);
    await fixture.sdk.lists.subscriptions.unsubscribeUser(other, { list_id: list });

    const request = await send({ list_id: list });

    const [record] = await fixture.messagesOf(request, 1);
    expect(record).toMatchObject({ recipient: one, listId: list, listMessageId: request });
    expect(record!.id).not.toBe(request);
    expect(await fixture.messagesOf(request, 1)).toHaveLength(1);
    expect(await reached({ list_id: list })).toEqual([one]);
  });

  it('reaches no recipient while it is deleted, and its subscribers after a restore', async () => {
    const [list, user] = [fixture.name('list'), fixture.name('on')];
    await fixture.sdk.lists.update(list, { name: list });
    await subscribe(list, user);
    await fixture.sdk.lists.delete(list);
    await reachesNoRecipient({ list_id: list }, `No list "${list}" exists`);

    await fixture.sdk.lists.restore(list, {});
    expect(await reached({ list_id: list })).toEqual([user]);
  });

  it('is independent of the list whose id is a prefix of its own', async () => {
    const list = fixture.name('whole');
    await subscribe(list, `${list}-user`);
    await subscribe(`${list}.part`, `${list}-part-user`);
    expect(await reached({ list_id: list })).toEqual([`${list}-user`]);
    expect(await reached({ list_id: `${list}.part` })).toEqual([`${list}-part-user`]);
  });

  const wrong = ['', 'a b', 'a.*', 'a#', '.a', 'a.', 'a..b', 'a.b.c.d.e'];
  it.each(wrong)('cannot have the id %j', async (list_id) => {
    await expect(send({ list_id })).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    if (list_id !== '') await expect(fixture.sdk.lists.update(list_id, { name: 'x' })).rejects.toMatchObject({ status: 400 });
  });

  it('can have four parts', async () => {
    const list = `${fixture.name('four')}.b.c.d`;
    await subscribe(list, 'fourth');
    expect(await reached({ list_id: list })).toEqual(['fourth']);
  });
});

describe('a pattern', () => {
  /** Each list has one subscriber with the list's id. */
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

  it('reaches a subscriber of several of its lists once, as a subscriber of the first by id', async () => {
    const group = fixture.name('group');
    for (const part of ['b', 'a', 'c']) await subscribe(`${group}.${part}`, `${group}-user`);
    const request = await send({ list_pattern: `${group}.*` });
    expect(await fixture.messagesOf(request, 1)).toMatchObject([
      { recipient: `${group}-user`, listId: `${group}.a`, listMessageId: request },
    ]);
    expect(await reached({ list_pattern: `${group}.*` })).toEqual([`${group}-user`]);
  });
});

describe('an audience', () => {
  const filterOf = (title: string): never => ({ operator: 'EQ', path: 'title', value: title }) as never;
  const member = async (title: string): Promise<string> => {
    const user = fixture.name('member');
    await fixture.sdk.profiles.replace(user, { profile: { title, email: `${user}@example.com` } });
    return user;
  };
  const untilMembers = (audience: string, users: string[]): Promise<unknown> =>
    fixture.until(`the members ${users.join()}`, async () => {
      const { items } = await fixture.sdk.audiences.listMembers(audience);
      return items.map(({ member_id }) => member_id).join() === [...users].sort().join();
    });

  it('reaches its members, or only those that pass each filter', async () => {
    const [audience, tenant] = [fixture.name('audience'), fixture.name('tenant')];
    const [one, other] = [await member(audience), await member(audience)];
    await member('Another title');
    await fixture.sdk.tenants.update(tenant, { name: tenant });
    await fixture.sdk.users.tenants.addSingle(tenant, { user_id: other });
    await fixture.sdk.audiences.update(audience, { filter: filterOf(audience) });
    await untilMembers(audience, [one, other]);

    expect(await reached({ audience_id: audience })).toEqual([one, other].sort());
    const filters = [{ operator: 'MEMBER_OF' as const, path: 'account_id' as const, value: tenant }];
    expect(await reached({ audience_id: audience, filters })).toEqual([other]);
  });

  it('reaches no recipient when it is empty or deleted', async () => {
    const audience = fixture.name('audience');
    await fixture.sdk.audiences.update(audience, { filter: filterOf(audience) });
    await reachesNoRecipient({ audience_id: audience }, `The audience "${audience}" has no members`);

    const user = await member(audience);
    await untilMembers(audience, [user]);
    await fixture.sdk.audiences.delete(audience);
    await reachesNoRecipient({ audience_id: audience }, `No audience "${audience}" exists`);
  });
});

describe('a tenant', () => {
  it('reaches its members and those of child tenants, each once and in the context of their tenant', async () => {
    const [group, branch, shop] = [fixture.name('group'), fixture.name('branch'), fixture.name('shop')];
    const [own, both, below] = [await fixture.user(), await fixture.user(), await fixture.user()];
    await fixture.sdk.tenants.update(group, { name: 'Group' });
    await fixture.sdk.tenants.update(branch, { name: 'Branch', parent_tenant_id: group });
    await fixture.sdk.tenants.update(shop, { name: 'Shop', parent_tenant_id: branch });
    for (const [tenant, user] of [
      [group, own],
      [group, both],
      [branch, both],
      [shop, below],
    ] as const) {
      await fixture.sdk.users.tenants.addSingle(tenant, { user_id: user });
    }

    expect(await reached({ tenant_id: group })).toEqual([own, both].sort());
    const content = { title: 'From {tenant.name}', body: 'x' };
    const request = await send({ tenant_id: group, include_children: true } as To, content);

    expect((await fixture.messagesOf(request, 3)).map(({ recipient }) => recipient).sort()).toEqual([own, both, below].sort());
    for (const [user, name] of [
      [own, 'Group'],
      [both, 'Group'],
      [below, 'Shop'],
    ] as const) {
      const before = user === below ? 0 : 1; // members of the group itself already have one mail
      const mails = await Promise.all((await fixture.smtp.waitForMailsTo(`${user}@example.com`, before + 1)).map((mail) => mail.parse()));
      expect(mails.map(({ subject }) => subject).filter((subject) => subject?.startsWith('From'))).toEqual([`From ${name}`]);
    }
    const { results } = await fixture.call<{ results: object[] }>('GET', `/messages?tenant_id=${shop}`);
    expect(results).toMatchObject([{ recipient: below }]);
  });

  it('reaches no recipient when it is empty or does not exist', async () => {
    const tenant = fixture.name('tenant');
    await reachesNoRecipient({ tenant_id: tenant }, `No tenant "${tenant}" exists`);
    await fixture.sdk.tenants.update(tenant, { name: tenant });
    await reachesNoRecipient({ tenant_id: tenant }, `The tenant "${tenant}" has no members`);
  });
});

describe('an array', () => {
  it('of any kinds expands each entry separately: a user in two entries gets two messages', async () => {
    const [list, one, other] = [fixture.name('list'), fixture.name('one'), fixture.name('other')];
    await subscribe(list, one, other);
    const to = [{ user_id: one, data: { n: 1 } }, { list_id: list, data: { n: 2 } }, { email: 'bare@example.com' }];
    expect(await reached(to)).toEqual([one, one, other, 'bare@example.com'].sort());
    const targets = [{ audience_id: 'no-audience' }, { list_pattern: 'no-list.*' }];
    await reachesNoRecipient(targets, 'No audience "no-audience" exists; no list matches the pattern "no-list.*"');
  });

  it('gives each entry its own data, which override those of the message', async () => {
    const email = `${fixture.name('data')}@example.com`;
    const entries = ['One', 'Two'].map((name) => ({ user_id: email, email, data: { name } }));
    await send(entries, { title: 'Hello {name}', body: 'x' });
    const mails = await Promise.all((await fixture.smtp.waitForMailsTo(email, 2)).map((mail) => mail.parse()));
    expect(mails.map(({ subject }) => subject).sort()).toEqual(['Hello One', 'Hello Two']);
  });

  it('delivers the other entries when one fails', async () => {
    const list = fixture.name('list');
    await subscribe(list, `${list}-first`, `${list}-last`);
    await fixture.sdk.lists.subscriptions.subscribeUser(`${list}-lost`, { list_id: list });
    const records = await fixture.messagesOf(await send([{ list_id: list }, { user_id: 'unreachable' }]), 4);
    for (const { id, recipient } of records) {
      const fails = recipient === `${list}-lost` || recipient === 'unreachable';
      expect(await fixture.once(fails ? 'UNROUTABLE' : 'DELIVERED', id)).toMatchObject(fails ? { reason: 'NO_PROVIDERS' } : {});
    }
  });

  it('has no record under the id of the request: the 404 names the filter of its messages', async () => {
    const requestId = await fixture.send({ to: ['a', 'b'].map((user) => ({ email: `${user}-${fixture.name('found')}@example.com` })) });
    await fixture.messagesOf(requestId, 2);

    const sentence = `${requestId} is a request to 2 recipients: GET /messages?traceId=${requestId} lists its messages`;
    expect(await fixture.client.request('GET', `/messages/${requestId}`)).toMatchObject({ status: 404, body: { message: sentence } });
  });

  it('is refused when it is empty or an entry is of two kinds', async () => {
    for (const to of [[], [{ user_id: 'a', list_id: 'b' }], [{ list_id: 'a', list_pattern: 'b.*' }]] as To[]) {
      await expect(send(to)).rejects.toMatchObject({ status: 400, error: { type: 'invalid_request_error' } });
    }
  });
});
