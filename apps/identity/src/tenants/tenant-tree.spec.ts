import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { tenants } from '@tidings/contracts/identity/tenants';
import { advisoryClass } from '@tidings/persistence/advisory';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildChain, buildTenant } from '../testing/tenant-builder';
import { whileHeld } from '@tidings/testing/while-held';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const place = (context: CallContext, tenant_id: string, parent_tenant_id: string | null) =>
  buildTenant(call, context, tenant_id, { parent_tenant_id });
const parentOf = async (context: CallContext, tenant_id: string) =>
  (await call(tenants.retrieve, context, { tenant_id })).parent_tenant_id ?? null;

/** What both do while the tree is held: they have read all they read before they wait, and go on at the same moment. */
function atOnce<R>(context: CallContext, waiting: number, start: () => Promise<R>): Promise<R> {
  const values = [advisoryClass('tenant-tree', 'identity'), context.workspaceId];
  return whileHeld(identity.adminUrl, { statement: 'select pg_advisory_xact_lock($1, hashtext($2))', values, waiting }, start);
}

describe('a parent', () => {
  it('may stand three levels above, no more; the refusal names the chain', async () => {
    const context = await buildChain(call, 'a', 'b', 'c', 'd');

    await expect(place(context, 'e', 'd')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(/5 levels.*at most 4.*a → b → c → d → e/) as string,
    });
    await expect(call(tenants.retrieve, context, { tenant_id: 'e' })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each([
    ['itself', 'a', 'a', 'a → a'],
    ['its child', 'a', 'b', 'a → b → a'],
    ['its great-grandchild', 'a', 'd', 'a → d → c → b → a'],
  ])('cannot be %s; the refusal names the circle', async (_, tenant, parent, circle) => {
    const context = await buildChain(call, 'a', 'b', 'c', 'd');

    await expect(place(context, tenant, parent)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(circle) as string,
    });
    await expect(parentOf(context, 'a')).resolves.toBeNull();
  });

  it('must exist', async () => {
    await expect(place(contextOf(randomUUID()), 'a', 'ghost')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('ghost') as string,
    });
  });

  it('must exist in the same workspace', async () => {
    await buildChain(call, 'root');

    await expect(place(contextOf(randomUUID()), 'a', 'root')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is given up where a later PUT names none', async () => {
    const context = await buildChain(call, 'a', 'b');

    await place(context, 'b', null);

    await expect(parentOf(context, 'b')).resolves.toBeNull();
  });
});

describe('moving a tenant with others below it', () => {
  it.each([
    ['two levels below the second', ['x', 'y'], ['a', 'b', 'c'], 'y'],
    ['three levels below the first', ['x'], ['a', 'b', 'c', 'd'], 'x'],
  ])('counts them: %s are too many', async (_, above, below, parent) => {
    const context = await buildChain(call, ...above);
    for (const [index, id] of below.entries()) await place(context, id, below[index - 1] ?? null);

    await expect(place(context, 'a', parent)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(parentOf(context, 'a')).resolves.toBeNull();
  });

  it('allows what makes four levels', async () => {
    const context = await buildChain(call, 'a', 'b', 'c');
    await place(context, 'x', null);

    await place(context, 'a', 'x');

    await expect(parentOf(context, 'a')).resolves.toBe('x');
  });
});

describe('two changes of the tree at once', () => {
  it('never make a circle together', async () => {
    const context = contextOf(randomUUID());
    await place(context, 'a', null);
    await place(context, 'b', null);

    const outcomes = await atOnce(context, 2, () => Promise.allSettled([place(context, 'a', 'b'), place(context, 'b', 'a')]));

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([await parentOf(context, 'a'), await parentOf(context, 'b')].filter((parent) => parent !== null)).toHaveLength(1);
  });

  it('never make five levels together', async () => {
    const context = await buildChain(call, 'a', 'b', 'c');
    await place(context, 'x', null);

    const outcomes = await atOnce(context, 2, () => Promise.allSettled([place(context, 'd', 'c'), place(context, 'a', 'x')]));

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('never leave a child without the parent it was given', async () => {
    const context = await buildChain(call, 'a');

    const [child, removal] = await atOnce(context, 2, () =>
      Promise.allSettled([place(context, 'b', 'a'), call(tenants.remove, context, { tenant_id: 'a' })]),
    );

    expect([child.status, removal.status].sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('deleting a tenant', () => {
  it('is refused while it has children, with their names and how to go on', async () => {
    const context = await buildChain(call, 'a', 'b');

    await expect(call(tenants.remove, context, { tenant_id: 'a' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Tenant a has children (b): delete them or give them another parent first',
    });
    await expect(parentOf(context, 'b')).resolves.toBe('a');
  });

  it('succeeds once they are gone', async () => {
    const context = await buildChain(call, 'a', 'b');

    await call(tenants.remove, context, { tenant_id: 'b' });
    await call(tenants.remove, context, { tenant_id: 'a' });

    await expect(call(tenants.retrieve, context, { tenant_id: 'a' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
