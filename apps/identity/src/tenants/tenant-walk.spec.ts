import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { tenants } from '@tidings/contracts/identity/tenants';
import { timesOf } from '@tidings/testing/campaign';
import { type RunningIdentity, sharedIdentity } from '../testing/start-identity';
import { buildTenant } from '../testing/tenant-builder';
import { buildMembers, buildTree, crowd, membersOf } from '../testing/tenant-members';

const SEEDS = [1, 2, 3, 4, 5].slice(0, timesOf({ quick: 1, full: 5 }));

let identity: RunningIdentity;

beforeAll(async () => {
  identity = await sharedIdentity();
});

const move = (context: CallContext, tenant_id: string, parent_tenant_id: string | null) =>
  buildTenant(identity.call, context, tenant_id, { parent_tenant_id });
const once = (then: () => Promise<unknown>) => async (page: number) => void (page === 1 && (await then()));

/** Repeatable: numbers below `end` from a seed. */
function dice(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

describe.each(['a few', 'thousands of'])('whoever is a member all the while is met, with %s tenants,', (size) => {
  const treeOf = async (...paths: string[]) => {
    const context = await buildTree(identity, ...paths);
    if (size === 'thousands of') await crowd(identity, context, paths[0]!);
    return context;
  };

  it('where a tenant goes to a level that was passed', async () => {
    const context = await treeOf('root', 'root/a', 'a/b', 'b/deep');
    await buildMembers(identity, context, { a: ['1'], b: ['2'], deep: ['3'] });

    const met = await membersOf(
      identity,
      context,
      { tenant_id: 'root', limit: 2 },
      once(() => move(context, 'deep', 'root')),
    );

    expect(new Set(met)).toEqual(new Set(['a/1', 'b/2', 'deep/3']));
  });

  it('where the tenants below one go with it', async () => {
    const context = await treeOf('root', 'root/a', 'root/x', 'a/b', 'x/z', 'b/deep');
    await buildMembers(identity, context, { z: ['1'], deep: ['2'] });

    const met = await membersOf(
      identity,
      context,
      { tenant_id: 'root', limit: 1 },
      once(() => move(context, 'b', 'root')),
    );

    expect(met).toEqual(expect.arrayContaining(['z/1', 'deep/2']));
  });

  it('where the tenant in which a page ended is deleted, or goes away', async () => {
    for (const leave of [
      (context: CallContext) => identity.call(tenants.remove, context, { tenant_id: 'a' }),
      (context: CallContext) => move(context, 'a', null),
      (context: CallContext) => move(context, 'a', 'z'),
    ]) {
      const context = await treeOf('root', 'root/a', 'root/z', 'z/y');
      await buildMembers(identity, context, { a: ['5', '6'], z: ['1'], y: ['2'] });

      const met = await membersOf(
        identity,
        context,
        { tenant_id: 'root', limit: 1 },
        once(() => leave(context)),
      );

      expect(met).toEqual(expect.arrayContaining(['a/5', 'z/1', 'y/2']));
    }
  });

  it.each(SEEDS)('in any disorder (seed %d)', async (seed) => {
    const below = dice(seed);
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const context = await treeOf('root', ...ids.map((id) => `root/${id}`));
    await buildMembers(identity, context, Object.fromEntries(ids.map((id) => [id, ['1', '2']])));
    const disorder = async () => {
      for (let change = 0; change < 3; change += 1) {
        const parents = ['root', ...ids];
        await move(context, ids[below(ids.length)]!, parents[below(parents.length)]!).catch(refused);
      }
      const stranger = `${ids[below(ids.length)]!}-stranger`;
      if (below(2) === 0) await move(context, stranger, ids[below(ids.length)]!).catch(refused);
      else await identity.call(tenants.remove, context, { tenant_id: stranger }).catch(refused);
    };
    for (let change = 0; change < 5; change += 1) await disorder();

    const met = await membersOf(identity, context, { tenant_id: 'root', limit: 1 }, disorder);

    expect(ids.flatMap((id) => [`${id}/1`, `${id}/2`]).filter((member) => !met.includes(member))).toEqual([]);
  });
});

/** A place that is none, or nobody to delete. */
function refused(error: unknown): void {
  if (!(error instanceof ServiceError)) throw error;
}

describe('nobody is met twice', () => {
  it('where no tenant is moved, though tenants and members come and go', async () => {
    const context = await buildTree(identity, 'root', 'root/a', 'root/c', 'c/d');
    await buildMembers(identity, context, { root: ['1'], a: ['1', '2'], c: ['1'], d: ['3'] });

    const met = await membersOf(identity, context, { tenant_id: 'root', limit: 1 }, async (page) => {
      await buildTenant(identity.call, context, 'a', { parent_tenant_id: 'root', name: `Renamed ${page}` });
      await move(context, `new ${page}`, 'c');
      await buildMembers(identity, context, { root: [`0 ${page}`] });
    });

    expect(met).toEqual(['root/1', 'a/1', 'a/2', 'c/1', 'd/3']);
  });

  it('where the thousands of tenants become a few between the pages', async () => {
    const context = await buildTree(identity, 'root', 'root/a', 'root/z', 'z/b');
    await crowd(identity, context, 'root');
    await buildMembers(identity, context, { root: ['1'], a: ['2', '3'], z: ['4'], b: ['5'] });

    const met = await membersOf(identity, context, { tenant_id: 'root', limit: 2 }, () =>
      identity.sql(`delete from tenants where workspace_id = $1 and name = 'One of the crowd'`, [context.workspaceId]),
    );

    expect(met).toEqual(['root/1', 'a/2', 'a/3', 'z/4', 'b/5']);
  });
});
