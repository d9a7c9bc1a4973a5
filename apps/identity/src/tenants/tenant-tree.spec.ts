import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { tenants } from '@tidings/contracts/identity/tenants';
import { advisoryClass } from '@tidings/persistence/advisory';
import { contextOf } from '@tidings/testing/context-of';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildChain, buildTenant } from '../testing/tenant-builder';
import { whileLocked } from '@tidings/testing/while-locked';

let identity: RunningIdentity;
const call: RunningIdentity['call'] = (...parameters) => identity.call(...parameters);

beforeAll(async () => {
  identity = await sharedIdentity();
});

const setParent = (context: CallContext, tenant_id: string, parent_tenant_id: string | null) =>
  buildTenant(call, context, tenant_id, { parent_tenant_id });
const parentOf = async (context: CallContext, tenant_id: string) =>
  (await call(tenants.retrieve, context, { tenant_id })).parent_tenant_id ?? null;

/** Runs calls while the tree is locked: both do their first reads, wait for the lock, and continue at the same moment. */
function atOnce<R>(context: CallContext, waiting: number, start: () => Promise<R>): Promise<R> {
  const values = [advisoryClass('tenant-tree', 'identity'), context.workspaceId];
  return whileLocked(identity.adminUrl, { statement: 'select pg_advisory_xact_lock($1, hashtext($2))', values, waiting }, start);
}

describe('a parent', () => {
  it('may be on level three, no deeper; the refusal names the chain', async () => {
    const context = await buildChain(call, 'a', 'b', 'c', 'd');

    await expect(setParent(context, 'e', 'd')).rejects.toMatchObject({
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

    await expect(setParent(context, tenant, parent)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(circle) as string,
    });
    await expect(parentOf(context, 'a')).resolves.toBeNull();
  });

  it('must exist', async () => {
    await expect(setParent(contextOf(randomUUID()), 'a', 'ghost')).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('ghost') as string,
    });
  });

  it('must exist in the same workspace', async () => {
    await buildChain(call, 'root');

    await expect(setParent(contextOf(randomUUID()), 'a', 'root')).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('is removed where a later PUT names none', async () => {
    const context = await buildChain(call, 'a', 'b');

    await setParent(context, 'b', null);

    await expect(parentOf(context, 'b')).resolves.toBeNull();
  });
});

describe('moving a tenant with others below it', () => {
  it.each([
    ['two levels below the second', ['x', 'y'], ['a', 'b', 'c'], 'y'],
    ['three levels below the first', ['x'], ['a', 'b', 'c', 'd'], 'x'],
  ])('is refused for too many levels: %s', async (_, above, below, parent) => {
    const context = await buildChain(call, ...above);
    for (const [index, id] of below.entries()) await setParent(context, id, below[index - 1] ?? null);

    await expect(setParent(context, 'a', parent)).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(parentOf(context, 'a')).resolves.toBeNull();
  });

  it('is allowed up to four levels', async () => {
    const context = await buildChain(call, 'a', 'b', 'c');
    await setParent(context, 'x', null);

    await setParent(context, 'a', 'x');

    await expect(parentOf(context, 'a')).resolves.toBe('x');
  });
});

describe('two changes of the tree at once', () => {
  it('never make a circle together', async () => {
    const context = contextOf(randomUUID());
    await setParent(context, 'a', null);
    await setParent(context, 'b', null);

    const outcomes = await atOnce(context, 2, () => Promise.allSettled([setParent(context, 'a', 'b'), setParent(context, 'b', 'a')]));

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    expect([await parentOf(context, 'a'), await parentOf(context, 'b')].filter((parent) => parent !== null)).toHaveLength(1);
  });

  it('never make five levels together', async () => {
    const context = await buildChain(call, 'a', 'b', 'c');
    await setParent(context, 'x', null);

    const outcomes = await atOnce(context, 2, () => Promise.allSettled([setParent(context, 'd', 'c'), setParent(context, 'a', 'x')]));

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it('never leave a child without the parent it was given', async () => {
    const context = await buildChain(call, 'a');

    const [child, removal] = await atOnce(context, 2, () =>
      Promise.allSettled([setParent(context, 'b', 'a'), call(tenants.remove, context, { tenant_id: 'a' })]),
    );

    expect([child.status, removal.status].sort()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('deleting a tenant', () => {
  it('is refused while it has children, with their ids and the next step', async () => {
    const context = await buildChain(call, 'a', 'b');

    await expect(call(tenants.remove, context, { tenant_id: 'a' })).rejects.toMatchObject({
      code: 'conflict',
      message: 'Tenant a has children (b): delete them or give them another parent first',
    });
    await expect(parentOf(context, 'b')).resolves.toBe('a');
  });

  it('succeeds once they are deleted', async () => {
    const context = await buildChain(call, 'a', 'b');

    await call(tenants.remove, context, { tenant_id: 'b' });
    await call(tenants.remove, context, { tenant_id: 'a' });

    await expect(call(tenants.retrieve, context, { tenant_id: 'a' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
