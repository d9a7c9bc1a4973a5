import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { preferenceTopics } from '@tidings/contracts/identity/preference-topics';
import { type DefaultPreferenceItem, tenants } from '@tidings/contracts/identity/tenants';
import { buildTopic } from '../testing/build-topic';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildTenant } from '../testing/tenant-builder';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);
const tenant_id = 'acme';

beforeAll(async () => {
  identity = await sharedIdentity();
});

/** A workspace with two topics and a tenant that has a default for the first. */
async function arrange() {
  const context = contextOf(randomUUID());
  const [first, second] = [await buildTopic(call, context), await buildTopic(call, context)];
  await put(context, [{ id: first.id, status: 'OPTED_OUT' }]);
  return { context, first, second };
}

const put = (context: CallContext, items: DefaultPreferenceItem[] | null) =>
  buildTenant(call, context, tenant_id, { default_preferences: { items } });
const itemsOf = async (context: CallContext) => (await call(tenants.retrieve, context, { tenant_id })).default_preferences?.items ?? [];
const item = (id: string, rest: object) => ({ id, type: 'subscription_topic', has_custom_routing: false, custom_routing: [], ...rest });

it('defaults given with a tenant replace the stored ones', async () => {
  const { context, first, second } = await arrange();
  await expect(itemsOf(context)).resolves.toEqual([item(first.id, { status: 'OPTED_OUT' })]);

  await put(context, [{ id: second.id, status: 'REQUIRED', custom_routing: ['email', 'push'] }]);

  await expect(itemsOf(context)).resolves.toEqual([
    item(second.id, { status: 'REQUIRED', has_custom_routing: true, custom_routing: ['email', 'push'] }),
  ]);
});

it('unknown channels of defaults are ignored, the others are stored', async () => {
  const { context, first } = await arrange();

  await put(context, [{ id: first.id, status: 'OPTED_IN', custom_routing: ['slack', 'email'] }]);

  const stored = { status: 'OPTED_IN', has_custom_routing: true, custom_routing: ['email'] };
  await expect(itemsOf(context)).resolves.toEqual([item(first.id, stored)]);
});

it('defaults do not change where a PUT does not name them, and are removed where it has none', async () => {
  const { context, first } = await arrange();

  await buildTenant(call, context, tenant_id, { name: 'Renamed' });
  await expect(itemsOf(context)).resolves.toEqual([item(first.id, { status: 'OPTED_OUT' })]);

  await put(context, []);
  await expect(itemsOf(context)).resolves.toEqual([]);

  await put(context, [{ id: first.id, status: 'OPTED_OUT' }]);
  await buildTenant(call, context, tenant_id, { default_preferences: null });
  await expect(itemsOf(context)).resolves.toEqual([]);
});

it('defaults are set, replaced and removed one by one', async () => {
  const { context, first, second } = await arrange();
  const one = { tenant_id, topic_id: second.id };

  await call(tenants.replaceDefault, context, { ...one, status: 'OPTED_IN', custom_routing: ['sms'], has_custom_routing: false });
  expect(await itemsOf(context)).toContainEqual(item(second.id, { status: 'OPTED_IN', custom_routing: ['sms'] }));

  await call(tenants.replaceDefault, context, { ...one, status: 'REQUIRED', custom_routing: null, has_custom_routing: null });
  expect(await itemsOf(context)).toContainEqual(item(second.id, { status: 'REQUIRED' }));

  await call(tenants.removeDefault, context, one);
  await expect(itemsOf(context)).resolves.toEqual([item(first.id, { status: 'OPTED_OUT' })]);
});

it('defaults require existing topics: not_found for a single default, invalid_request with a tenant, and nothing is stored', async () => {
  const { context, first } = await arrange();
  const ghost = { code: 'not_found', message: expect.stringContaining('ghost') as string };

  await expect(call(tenants.replaceDefault, context, { tenant_id, topic_id: 'ghost', status: 'OPTED_IN' })).rejects.toMatchObject(ghost);
  await expect(call(tenants.removeDefault, context, { tenant_id, topic_id: 'ghost' })).rejects.toMatchObject(ghost);
  await expect(put(context, [{ id: 'ghost', status: 'OPTED_IN' }])).rejects.toMatchObject({ ...ghost, code: 'invalid_request' });

  await expect(itemsOf(context)).resolves.toEqual([item(first.id, { status: 'OPTED_OUT' })]);
});

it('defaults require existing tenants', async () => {
  const { context, first } = await arrange();
  const unknown = { tenant_id: 'ghost', topic_id: first.id };

  for (const attempt of [
    () => call(tenants.replaceDefault, context, { ...unknown, status: 'OPTED_IN' }),
    () => call(tenants.removeDefault, context, unknown),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found', message: 'Tenant ghost does not exist' });
  }
});

it('defaults are removed with their tenant: a new one with its id has none', async () => {
  const { context } = await arrange();

  await call(tenants.remove, context, { tenant_id });
  await buildTenant(call, context, tenant_id);

  await expect(itemsOf(context)).resolves.toEqual([]);
});

it('defaults are not shown for a deleted topic', async () => {
  const { context, first } = await arrange();

  await call(preferenceTopics.remove, context, { section_id: first.section_id, topic_id: first.id });

  await expect(itemsOf(context)).resolves.toEqual([]);
  await expect(call(tenants.removeDefault, context, { tenant_id, topic_id: first.id })).rejects.toMatchObject({ code: 'not_found' });
});

it('defaults must not name a topic twice', async () => {
  const { context, first } = await arrange();
  const twice: DefaultPreferenceItem = { id: first.id, status: 'OPTED_IN' };

  await expect(put(context, [twice, twice])).rejects.toMatchObject({
    code: 'invalid_request',
    message: 'default_preferences.items must not name a topic twice (got an array of 2)',
  });
});

it('defaults are all stored when ten are set at once', async () => {
  const { context, first } = await arrange();
  const topics = await Promise.all(Array.from({ length: 10 }, () => buildTopic(call, context)));

  await Promise.all(topics.map(({ id }) => call(tenants.replaceDefault, context, { tenant_id, topic_id: id, status: 'OPTED_IN' })));

  expect((await itemsOf(context)).map(({ id }) => id).sort()).toEqual([first.id, ...topics.map(({ id }) => id)].sort());
});
