import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { tenants } from '@tidings/contracts/identity/tenants';
import { timesOf } from '@tidings/testing/campaign';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildTenant } from '../testing/tenant-builder';
import { buildManyTenants, buildMembers, buildTree, membersOf } from '../testing/tenant-members';

const SEEDS = [1, 2, 3, 4, 5].slice(0, timesOf({ quick: 1, full: 5 }));

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const move = (context: CallContext, tenant_id: string, parent_tenant_id: string | null) =>
  buildTenant(identity.call, context, tenant_id, { parent_tenant_id });
const once = (then: () => Promise<unknown>) => async (page: number) => void (page === 1 && (await then()));

/** Repeatable random integers below `end`, from a seed. */
function randomBelow(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

describe.each(['a few', 'thousands of'])('permanent members are all returned, with %s tenants,', (size) => {
  const treeOf = async (...paths: string[]) => {
    const context = await buildTree(identity, ...paths);
    if (size === 'thousands of') await buildManyTenants(identity, context, paths[0]!);
    return context;
  };

  it('when a tenant moves to a finished level', async () => {
    const context = await treeOf('root', 'root/a', 'a/b', 'b/deep');
    await buildMembers(identity, context, { a: ['1'], b: ['2'], deep: ['3'] });

    const members = await membersOf(
      identity,
      context,
      { tenant_id: 'root', limit: 2 },
      once(() => move(context, 'deep', 'root')),
    );

    expect(new Set(members)).toEqual(new Set(['a/1', 'b/2', 'deep/3']));
  });

  it('when a tenant moves with its descendants', async () => {
    const context = await treeOf('root', 'root/a', 'root/x', 'a/b', 'x/z', 'b/deep');
    await buildMembers(identity, context, { z: ['1'], deep: ['2'] });

    const members = await membersOf(
      identity,
      context,
      { tenant_id: 'root', limit: 1 },
      once(() => move(context, 'b', 'root')),
    );

    expect(members).toEqual(expect.arrayContaining(['z/1', 'deep/2']));
  });

  it('when the tenant in which a page ended is deleted or moved', async () => {
    for (const change of [
      (context: CallContext) => identity.call(tenants.remove, context, { tenant_id: 'a' }),
      (context: CallContext) => move(context, 'a', null),
      (context: CallContext) => move(context, 'a', 'z'),
    ]) {
      const context = await treeOf('root', 'root/a', 'root/z', 'z/y');
      await buildMembers(identity, context, { a: ['5', '6'], z: ['1'], y: ['2'] });

      const members = await membersOf(
        identity,
        context,
        { tenant_id: 'root', limit: 1 },
        once(() => change(context)),
      );

      expect(members).toEqual(expect.arrayContaining(['a/5', 'z/1', 'y/2']));
    }
  });

  it.each(SEEDS)('under random changes (seed %d)', async (seed) => {
    const below = randomBelow(seed);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const context = await treeOf('root', ...ids.map((id) => `root/${id}`));
    await buildMembers(identity, context, Object.fromEntries(ids.map((id) => [id, ['1', '2']])));
    const changeRandomly = async () => {
      for (let change = 0; change < 3; change += 1) {
        const parents = ['root', ...ids];
        await move(context, ids[below(ids.length)]!, parents[below(parents.length)]!).catch(ignoreRefusal);
      }
      const stranger = `${ids[below(ids.length)]!}-stranger`;
      if (below(2) === 0) await move(context, stranger, ids[below(ids.length)]!).catch(ignoreRefusal);
      else await identity.call(tenants.remove, context, { tenant_id: stranger }).catch(ignoreRefusal);
    };
    for (let change = 0; change < 5; change += 1) await changeRandomly();

    const members = await membersOf(identity, context, { tenant_id: 'root', limit: 1 }, changeRandomly);

    expect(ids.flatMap((id) => [`${id}/1`, `${id}/2`]).filter((member) => !members.includes(member))).toEqual([]);
  });
});

/** Random changes may be refused: an invalid parent, or a missing tenant. */
function ignoreRefusal(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

describe('no member is returned twice', () => {
  it('when tenants and members are added, but no tenant is moved', async () => {
    const context = await buildTree(identity, 'root', 'root/a', 'root/c', 'c/d');
    await buildMembers(identity, context, { root: ['1'], a: ['1', '2'], c: ['1'], d: ['3'] });

    const members = await membersOf(identity, context, { tenant_id: 'root', limit: 1 }, async (page) => {
      await buildTenant(identity.call, context, 'a', { parent_tenant_id: 'root', name: `Renamed ${page}` });
      await move(context, `new ${page}`, 'c');
      await buildMembers(identity, context, { root: [`0 ${page}`] });
    });

    expect(members).toEqual(['root/1', 'a/1', 'a/2', 'c/1', 'd/3']);
  });

  it('when thousands of tenants become a few between the pages', async () => {
    const context = await buildTree(identity, 'root', 'root/a', 'root/z', 'z/b');
    await buildManyTenants(identity, context, 'root');
    await buildMembers(identity, context, { root: ['1'], a: ['2', '3'], z: ['4'], b: ['5'] });

    const members = await membersOf(identity, context, { tenant_id: 'root', limit: 2 }, () =>
      identity.sql(`delete from tenants where workspace_id = $1 and name = 'One of many'`, [context.workspaceId]),
    );

    expect(members).toEqual(['root/1', 'a/2', 'a/3', 'z/4', 'b/5']);
  });
});
