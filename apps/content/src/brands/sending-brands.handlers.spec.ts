import type { BrandEmail } from '@tidings/contracts/content/brand-settings';
import { BRAND_OBJECT_BYTES_MAX, brands, type CreateBrand } from '@tidings/contracts/content/brands';
import { LOADED_BRANDS_MAX, sendingBrands } from '@tidings/contracts/content/sending';
import { type CallContext, systemContext } from '@tidings/contracts/core/context';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await sharedContent();
});

const create = (context: CallContext, id: string, brand: Partial<CreateBrand> = {}) =>
  call(brands.create, context, { id, name: id, ...brand });
const replaceDefault = (context: CallContext, brand: Partial<CreateBrand>) =>
  call(brands.replace, context, { brand_id: 'default', name: 'Ours', ...brand });
/** Loads the brands of `[context, id]` keys; the id may be absent. */
const load = async (...keys: [context: CallContext, brand_id?: string][]) => {
  const requests = keys.map(([{ workspaceId }, brand_id]) => ({ workspace_id: workspaceId, ...(brand_id !== undefined && { brand_id }) }));
  return (await call(sendingBrands.load, systemContext('spec'), { brands: requests })).brands;
};
const emailOf = async (own: BrandEmail, base: BrandEmail | null): Promise<BrandEmail | null | undefined> => {
  const context = newWorkspace();
  await replaceDefault(context, { settings: { email: base } });
  await create(context, 'acme', { settings: { email: own } });
  const [brand] = await load([context, 'acme']);
  return brand?.settings.email;
};

describe('brands for sending', () => {
  it('come in request order, of several workspaces, null where missing', async () => {
    const [one, other] = [newWorkspace(), newWorkspace()];
    await create(one, 'acme', { settings: { colors: { primary: '#111' } } });
    await create(other, 'acme', { settings: { colors: { primary: '#222' } } });

    const found = await load([other, 'acme'], [one, 'unknown'], [one, 'acme'], [other, 'acme'], [newWorkspace(), 'acme']);

    expect(found.map((brand) => brand && [brand.id, brand.settings.colors?.primary])).toEqual([
      ['acme', '#222'],
      null,
      ['acme', '#111'],
      ['acme', '#222'],
      null,
    ]);
  });

  it('are the default brand where none is named, also where it was never stored', async () => {
    const [unstored, stored] = [newWorkspace(), newWorkspace()];
    await replaceDefault(stored, { settings: { colors: { primary: '#111' } }, snippets: { items: [{ name: 'a', value: 'b' }] } });

    const found = await load([unstored], [unstored, 'default'], [stored], [stored, 'default']);

    const empty = { id: 'default', name: 'Default brand', version: '0', settings: {}, snippets: [] };
    const ours = { id: 'default', name: 'Ours', settings: { colors: { primary: '#111' } }, snippets: [{ name: 'a', value: 'b' }] };
    expect(found).toMatchObject([empty, empty, ours, ours]);
  });

  it('are null for an invalid id, which does not affect others', async () => {
    const context = newWorkspace();
    await create(context, 'acme');

    const found = await load([context, ''], [context, 'a\0'], [context, '\ud800'], [context, 'x'.repeat(100_000)], [context, 'acme']);

    expect(found.map((brand) => brand?.id ?? null)).toEqual([null, null, null, null, 'acme']);
  });

  it('are empty for an empty request and refused above the limit', async () => {
    await expect(load()).resolves.toEqual([]);
    const context = newWorkspace();
    const tooMany = Array.from({ length: LOADED_BRANDS_MAX + 1 }, (): [CallContext] => [context]);
    await expect(load(...tooMany)).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('get a new version whenever anything of them changes', async () => {
    const context = newWorkspace();
    const version = async (): Promise<string> => (await load([context, 'acme']))[0]!.version;
    await create(context, 'acme');
    const versions = [await version()];

    await replaceDefault(context, {});
    versions.push(await version());
    await call(brands.replace, context, { brand_id: 'acme', name: 'acme' });
    versions.push(await version());
    await call(brands.remove, context, { brand_id: 'acme' });
    await create(context, 'acme');
    versions.push(await version());

    expect(new Set(versions).size).toBe(4);
    await expect(version()).resolves.toBe(versions[3]);
  });

  it('load in one statement, however many are requested', async () => {
    const context = newWorkspace();
    await create(context, 'acme');

    const runs = await runsOf(() =>
      load(...Array.from({ length: 300 }, (_, n): [CallContext, string] => [context, n % 2 ? 'acme' : `${n}`])),
    );

    expect(runs).toHaveLength(1);
  });

  it('end at the size limit, with at least one', async () => {
    const context = newWorkspace();
    const large = { a: 'x'.repeat(BRAND_OBJECT_BYTES_MAX - 10) } as object;
    await replaceDefault(context, { settings: large, snippets: large });
    await create(context, 'acme', { settings: large, snippets: large });

    const keys = Array.from({ length: 30 }, (): [CallContext, string] => [context, 'acme']);
    const found = await load(...keys);

    expect(found.length).toBeGreaterThan(2);
    expect(found.length).toBeLessThan(10);
    expect(found.every((brand) => brand?.id === 'acme')).toBe(true);
  });
});

describe('a brand inherits from the default brand', () => {
  const base: BrandEmail = {
    header: { barColor: '#0b0b0b', logo: { image: 'base.png' } },
    head: { content: 'base' },
    footer: { markdown: 'base', social: { twitter: { url: 'base' } } },
  };

  it('whole parts with inheritDefault', async () => {
    const own: BrandEmail = {
      header: { barColor: '#0a0a0a', inheritDefault: true },
      head: { content: 'own', inheritDefault: false },
      footer: { content: 'own', inheritDefault: true },
    };

    await expect(emailOf(own, base)).resolves.toEqual({ header: base.header, head: own.head, footer: base.footer });
  });

  it('nothing for a part that it does not have itself', async () => {
    await expect(emailOf({ head: { content: 'own' } }, base)).resolves.toEqual({ head: { content: 'own' } });
  });

  it('nothing where the default brand lacks the part: then it is absent', async () => {
    const own: BrandEmail = { header: { barColor: '#0a0a0a', inheritDefault: true }, head: { content: 'own' } };

    for (const nothing of [null, {}, { header: null }]) await expect(emailOf(own, nothing)).resolves.toEqual({ head: { content: 'own' } });
  });

  it('the social links of the footer alone', async () => {
    const footer = { markdown: 'own', social: { inheritDefault: true, medium: { url: 'own' } } };

    await expect(emailOf({ footer }, base)).resolves.toEqual({ footer: { markdown: 'own', social: base.footer!.social } });
    await expect(emailOf({ footer }, { footer: { markdown: 'base' } })).resolves.toEqual({ footer: { markdown: 'own' } });
  });

  it('snippets, except names that it has itself', async () => {
    const context = newWorkspace();
    const snippet = (name: string, value: string) => ({ name, value });
    await replaceDefault(context, { snippets: { items: [snippet('shared', 'base'), snippet('common', 'base')] } });
    await create(context, 'acme', { snippets: { items: [snippet('own', 'first'), snippet('common', 'own'), snippet('own', 'last')] } });
    await create(context, 'bare', { snippets: { items: null } });

    const [acme, bare] = await load([context, 'acme'], [context, 'bare']);

    expect(acme!.snippets).toEqual([snippet('shared', 'base'), snippet('common', 'own'), snippet('own', 'last')]);
    expect(bare!.snippets).toEqual([snippet('shared', 'base'), snippet('common', 'base')]);
  });
});
