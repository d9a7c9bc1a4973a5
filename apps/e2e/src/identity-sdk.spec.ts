import Courier, { BadRequestError, ConflictError, NotFoundError, PermissionDeniedError } from '@trycourier/courier';
import { SharedSystem } from './testing/shared-system';

describe('identity through the official Node SDK', () => {
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join();
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  it('stores tenants: creates, replaces, lists by parent, deletes', async () => {
    const head = { name: 'Acme', properties: { plan: 'pro' }, user_profile: { locale: 'en' }, brand_id: null };
    expect(await sdk.tenants.update('acme', head)).toMatchObject({ id: 'acme', name: 'Acme', properties: { plan: 'pro' } });
    await sdk.tenants.update('acme-berlin', { name: 'Acme Berlin', parent_tenant_id: 'acme' });
    await sdk.tenants.update('acme-paris', { name: 'Acme Paris', parent_tenant_id: 'acme' });

    const { properties, ...rest } = await sdk.tenants.update('acme', { name: 'Acme Ltd' });
    expect(properties ?? null).toBeNull();
    expect(rest).toMatchObject({ id: 'acme', name: 'Acme Ltd' });
    expect(await sdk.tenants.retrieve('acme-berlin')).toMatchObject({ name: 'Acme Berlin', parent_tenant_id: 'acme' });

    const first = await sdk.tenants.list({ parent_tenant_id: 'acme', limit: 1 });
    expect(first).toMatchObject({ type: 'list', has_more: true, items: [{ id: 'acme-berlin' }] });
    const second = await sdk.tenants.list({ parent_tenant_id: 'acme', limit: 1, cursor: first.cursor });
    expect(second).toMatchObject({ has_more: false, items: [{ id: 'acme-paris' }] });

    await sdk.tenants.delete('acme-paris');
    await expect(sdk.tenants.retrieve('acme-paris')).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.tenants.delete('acme-paris')).rejects.toBeInstanceOf(NotFoundError);
  });

  it('refuses a cycle of tenants and names it', async () => {
    await sdk.tenants.update('circle-a', { name: 'A' });
    await sdk.tenants.update('circle-b', { name: 'B', parent_tenant_id: 'circle-a' });

    const circle = sdk.tenants.update('circle-a', { name: 'A', parent_tenant_id: 'circle-b' });

    await expect(circle).rejects.toBeInstanceOf(BadRequestError);
    await expect(circle).rejects.toThrow(/circle-b/);
  });

  it('adds users to tenants and removes them', async () => {
    for (const id of ['north', 'south', 'west']) await sdk.tenants.update(id, { name: id });

    await sdk.users.tenants.addMultiple('tina', { tenants: [{ tenant_id: 'north', profile: { title: 'Buyer' } }, { tenant_id: 'south' }] });
    await sdk.users.tenants.addSingle('west', { user_id: 'tina', profile: { title: 'Guest' } });
    await sdk.users.tenants.addSingle('west', { user_id: 'tom' });

    const { items, ...page } = await sdk.users.tenants.list('tina');
    expect(page).toMatchObject({ has_more: false, type: 'list', url: expect.stringContaining('/users/tina/tenants') as string });
    expect(items).toMatchObject([
      { tenant_id: 'north', profile: { title: 'Buyer' } },
      { tenant_id: 'south', profile: {} },
      { tenant_id: 'west', profile: { title: 'Guest' } },
    ]);
    const members = await sdk.tenants.listUsers('west');
    expect(members.items).toMatchObject([{ user_id: 'tina' }, { user_id: 'tom' }]);

    await sdk.users.tenants.removeSingle('south', { user_id: 'tina' });
    expect((await sdk.users.tenants.list('tina')).items?.map(({ tenant_id }) => tenant_id)).toEqual(['north', 'west']);
    await sdk.users.tenants.removeAll('tina');
    expect((await sdk.users.tenants.list('tina')).items).toEqual([]);
  });

  it('pages through the tenants of a user', async () => {
    const ids = Array.from({ length: 25 }, (_, index) => `paged-${String(index).padStart(2, '0')}`);
    for (const id of ids) await sdk.tenants.update(id, { name: id });
    await sdk.users.tenants.addMultiple('pia', { tenants: ids.map((tenant_id) => ({ tenant_id })) });

    const seen: string[] = [];
    let cursor: string | null | undefined;
    do {
      const page = await sdk.users.tenants.list('pia', { limit: 10, cursor });
      seen.push(...(page.items ?? []).map(({ tenant_id }) => tenant_id));
      cursor = page.has_more ? page.cursor : undefined;
    } while (cursor);

    expect(seen).toEqual(ids);
  });

  it('stores push tokens: adds, reads, changes, removes', async () => {
    const device = { app_id: 'app', platform: 'ios', model: null };
    await sdk.users.tokens.addSingle('apn-token', { user_id: 'pat', provider_key: 'apn', device, properties: { locale: 'de' } });
    await sdk.users.tokens.addSingle('fcm-token', { user_id: 'pat', provider_key: 'firebase-fcm', expiry_date: false });
    await sdk.users.tokens.addMultiple('pat'); // this SDK sends no body

    expect(await sdk.users.tokens.retrieve('apn-token', { user_id: 'pat' })).toMatchObject({
      token: 'apn-token',
      provider_key: 'apn',
      device: { app_id: 'app', platform: 'ios' },
      properties: { locale: 'de' },
      status: 'active',
    });
    const { tokens } = await sdk.users.tokens.list('pat');
    expect(tokens.map(({ token, expiry_date }) => [token, typeof expiry_date]).sort()).toEqual([
      ['apn-token', 'string'],
      ['fcm-token', 'boolean'],
    ]);

    await sdk.users.tokens.update('apn-token', { user_id: 'pat', patch: [{ op: 'replace', path: '/properties/locale', value: 'fr' }] });
    expect(await sdk.users.tokens.retrieve('apn-token', { user_id: 'pat' })).toMatchObject({ properties: { locale: 'fr' } });

    await sdk.users.tokens.delete('apn-token', { user_id: 'pat' });
    await expect(sdk.users.tokens.retrieve('apn-token', { user_id: 'pat' })).rejects.toBeInstanceOf(NotFoundError);
    await expect(sdk.users.tokens.delete('apn-token', { user_id: 'pat' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it('stores push tokens of any characters, and moves one to the last user that registered it', async () => {
    for (const token of ['ExponentPushToken[a+b/c=]', 'c2:APA91b_x-y', '100%/é?#&', 'a'.repeat(500)]) {
      await sdk.users.tokens.addSingle(token, { user_id: 'first', provider_key: 'expo' });
      expect(await sdk.users.tokens.retrieve(token, { user_id: 'first' })).toMatchObject({ token });

      await sdk.users.tokens.addSingle(token, { user_id: 'second', provider_key: 'expo' });

      await expect(sdk.users.tokens.retrieve(token, { user_id: 'first' })).rejects.toBeInstanceOf(NotFoundError);
      expect(await sdk.users.tokens.retrieve(token, { user_id: 'second' })).toMatchObject({ token, status: 'active' });
    }
  });

  it('refuses an invalid expiry date', async () => {
    for (const expiry_date of ['soon', true] as const) {
      const refused = sdk.users.tokens.addSingle('dated', { user_id: 'dan', provider_key: 'expo', expiry_date });
      await expect(refused).rejects.toBeInstanceOf(BadRequestError);
      await expect(refused).rejects.toThrow(/expiry_date/);
    }
  });

  interface Created {
    id: string;
  }
  const topic = async (default_status: string): Promise<{ section: Created; topic: Created }> => {
    // The SDK has no method for sections; its generic `post` is used.
    const section = await sdk.post<Created>('/preferences/sections', { body: { name: 'Orders' } });
    const created = await sdk.post<Created>(`/preferences/sections/${section.id}/topics`, { body: { name: 'Shipping', default_status } });
    return { section, topic: created };
  };

  it('stores a user’s preference for a topic, in general and per tenant', async () => {
    const { topic: shipping } = await topic('OPTED_IN');
    await sdk.tenants.update('shop', { name: 'Shop' });
    const status = async (tenant_id?: string) =>
      (await sdk.users.preferences.retrieveTopic(shipping.id, { user_id: 'paula', tenant_id })).topic.status;
    expect(await status()).toBe('OPTED_IN');

    const answer = await sdk.users.preferences.updateOrCreateTopic(shipping.id, { user_id: 'paula', topic: { status: 'OPTED_OUT' } });
    expect(answer).toEqual({ message: 'success' });
    expect(await status()).toBe('OPTED_OUT');
    expect(await status('shop')).toBe('OPTED_OUT');

    await sdk.users.preferences.updateOrCreateTopic(shipping.id, {
      user_id: 'paula',
      tenant_id: 'shop',
      topic: { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['email', 'push'] },
    });
    expect(await status()).toBe('OPTED_OUT');
    expect((await sdk.users.preferences.retrieveTopic(shipping.id, { user_id: 'paula', tenant_id: 'shop' })).topic).toMatchObject({
      topic_id: shipping.id,
      topic_name: 'Shipping',
      status: 'OPTED_IN',
      default_status: 'OPTED_IN',
      has_custom_routing: true,
      custom_routing: ['email', 'push'],
    });
    const { items, paging } = await sdk.users.preferences.retrieve('paula');
    expect(paging).toEqual({ more: false });
    expect(items.find(({ topic_id }) => topic_id === shipping.id)).toMatchObject({ status: 'OPTED_OUT' });
    await expect(sdk.users.preferences.retrieveTopic('nowhere', { user_id: 'paula' })).rejects.toBeInstanceOf(NotFoundError);
  });

  it("loads a tenant's default before the topic's, and a parent's before its child's", async () => {
    const { topic: shipping } = await topic('OPTED_IN');
    await sdk.tenants.update('group', { name: 'Group' });
    await sdk.tenants.update('branch', { name: 'Branch', parent_tenant_id: 'group' });
    const status = async (tenant_id: string) =>
      (await sdk.users.preferences.retrieveTopic(shipping.id, { user_id: 'nils', tenant_id })).topic.status;

    await sdk.tenants.preferences.items.update(shipping.id, { tenant_id: 'group', status: 'OPTED_OUT' });
    expect(await status('branch')).toBe('OPTED_OUT');
    expect((await sdk.tenants.retrieve('group')).default_preferences?.items).toMatchObject([{ id: shipping.id, status: 'OPTED_OUT' }]);

    await sdk.tenants.preferences.items.update(shipping.id, { tenant_id: 'branch', status: 'OPTED_IN' });
    expect(await status('branch')).toBe('OPTED_IN');

    await sdk.tenants.preferences.items.delete(shipping.id, { tenant_id: 'branch' });
    expect(await status('branch')).toBe('OPTED_OUT');
    expect(await status('group')).toBe('OPTED_OUT');
  });

  it('refuses an opt-out of a required topic and the deletion of a section with topics', async () => {
    const { section, topic: required } = await topic('REQUIRED');

    const out = sdk.users.preferences.updateOrCreateTopic(required.id, { user_id: 'otto', topic: { status: 'OPTED_OUT' } });
    await expect(out).rejects.toBeInstanceOf(BadRequestError);
    await expect(sdk.delete(`/preferences/sections/${section.id}`, { maxRetries: 0 })).rejects.toBeInstanceOf(ConflictError);

    await sdk.delete(`/preferences/sections/${section.id}/topics/${required.id}`);
    await sdk.delete(`/preferences/sections/${section.id}`);
  });

  it('issues tokens that access only their users', async () => {
    await sdk.users.tokens.addSingle('of-eve', { user_id: 'eve', provider_key: 'expo' });
    const { token } = await sdk.auth.issueToken({ scope: 'user_id:eve read:user-tokens', expires_in: '1 hour' });
    const page = new Courier({ apiKey: token, baseURL: system.url });

    expect((await page.users.tokens.list('eve')).tokens).toMatchObject([{ token: 'of-eve' }]);
    await expect(page.users.tokens.list('ada')).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(page.users.tokens.delete('of-eve', { user_id: 'eve' })).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(page.profiles.retrieve('eve')).rejects.toBeInstanceOf(PermissionDeniedError);
    await expect(page.auth.issueToken({ scope: 'user_id:eve read:user-tokens', expires_in: '1 hour' })).rejects.toBeInstanceOf(
      PermissionDeniedError,
    );
    await expect(sdk.auth.issueToken({ scope: 'everything', expires_in: '1 hour' })).rejects.toThrow(/everything/);
  });

  it('lists audit events with their actor', async () => {
    const { results, paging } = await sdk.auditEvents.list();
    expect(paging.more).toBe(false);
    const created = results.find(({ type }) => type === 'workspace:created');
    expect(created).toMatchObject({ source: 'tidings', actor: { id: 'admin' } });
    expect(await sdk.auditEvents.retrieve(created!.auditEventId)).toEqual(created);
  });
});
