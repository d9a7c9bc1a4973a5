import { randomUUID } from 'node:crypto';
import { BRAND_OBJECT_BYTES_MAX, brands, BRANDS_PAGE_MAX, type CreateBrand } from '@tidings/contracts/content/brands';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { whileLocked } from '@tidings/testing/while-locked';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { type ContentListener, listenToContent, newWorkspace } from '../testing/content-listener';
import { sharedContent } from '../testing/start-content';

let content: TestService;
let listener: ContentListener;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await sharedContent();
  listener = await listenToContent(content);
});
afterAll(() => listener.close());

const create = (context: CallContext, brand: Partial<CreateBrand> = {}) => call(brands.create, context, { name: 'Acme', ...brand });
const retrieve = (context: CallContext, brand_id: string) => call(brands.retrieve, context, { brand_id });
const replace = (context: CallContext, brand_id: string, fields: Partial<CreateBrand> = {}) =>
  call(brands.replace, context, { brand_id, name: 'Acme', ...fields });
const remove = (context: CallContext, brand_id: string) => call(brands.remove, context, { brand_id });
const noBrand = (id: string) => ({ code: 'not_found', message: `Brand ${id} does not exist` });

/** All known settings, in an order of their own, and unknown ones. */
const SETTINGS = {
  inapp: {
    preferences: { templateIds: ['one'] },
    placement: 'top' as const,
    colors: { primary: '#fff' },
    icons: { bell: 'b', message: null },
    widgetBackground: { topColor: '#111', bottomColor: null },
    borderRadius: '4px',
    disableMessageIcon: true,
    fontFamily: 'Inter',
  },
  colors: { tertiary: '#000000', primary: '#9D3789', own: '#123456', secondary: null },
  email: {
    footer: { markdown: '**Bold**', social: { twitter: { url: 'https://x.example' }, medium: {}, facebook: null } },
    header: { barColor: '#9D3789', logo: { href: 'https://acme.example', image: 'https://acme.example/logo.png' } },
    head: { inheritDefault: false, content: '<style></style>' },
    templateOverride: { enabled: true, width: '600', mjml: { enabled: false }, footerFullWidth: null },
  },
  'anything else': { a: [1, 2.5, null, { b: '😀' }] },
};
const SNIPPETS = { items: [{ name: 'greeting', value: 'Hello {{name}}', format: 'handlebars' as const }] };

describe('a brand', () => {
  it('is returned as it was put, with the order of its keys', async () => {
    const context = newWorkspace();

    const created = await create(context, { id: 'acme', settings: SETTINGS, snippets: SNIPPETS });

    expect(created).toEqual({
      id: 'acme',
      name: 'Acme',
      created: expect.any(Number) as number,
      updated: created.created,
      published: created.created,
      version: new Date(created.created).toISOString(),
      settings: SETTINGS,
      snippets: SNIPPETS,
    });
    expect(Math.abs(Date.now() - created.created)).toBeLessThan(60_000);
    const read = await retrieve(context, 'acme');
    expect(JSON.stringify(read.settings)).toBe(JSON.stringify(SETTINGS));
    expect(read).toEqual(created);
  });

  it('gets a generated id where none is given', async () => {
    const context = newWorkspace();

    const made = [await create(context), await create(context, { id: null })];

    for (const { id } of made) expect(id).toMatch(/^brd_[\w-]{20}$/);
    expect(made[0]!.id).not.toBe(made[1]!.id);
    await expect(retrieve(context, made[0]!.id)).resolves.toEqual(made[0]);
  });

  it('is not created twice under one id', async () => {
    const context = newWorkspace();
    const first = await create(context, { id: 'acme' });

    const refused = { code: 'conflict', message: 'Brand acme already exists', hints: { shouldRetry: false } };
    await expect(create(context, { id: 'acme', name: 'Other' })).rejects.toMatchObject(refused);
    await expect(retrieve(context, 'acme')).resolves.toEqual(first);
  });

  it('loses fields absent from a later PUT and gets a new version, however soon', async () => {
    const context = newWorkspace();
    const created = await create(context, { id: 'acme', settings: SETTINGS, snippets: SNIPPETS });

    const versions = [created.version];
    for (let time = 0; time < 5; time += 1) versions.push((await replace(context, 'acme', { name: 'Bare', settings: null })).version);

    const read = await retrieve(context, 'acme');
    expect(read).toEqual({
      id: 'acme',
      name: 'Bare',
      settings: {},
      created: created.created,
      updated: Date.parse(versions[5]!),
      published: Date.parse(versions[5]!),
      version: versions[5],
    });
    expect(new Set(versions).size).toBe(6);
    expect([...versions].sort()).toEqual(versions);
  });

  it('is not created by PUT', async () => {
    await expect(replace(newWorkspace(), 'acme')).rejects.toMatchObject(noBrand('acme'));
  });

  it('is not found after DELETE, also by a second DELETE', async () => {
    const context = newWorkspace();
    await create(context, { id: 'acme' });

    await expect(remove(context, 'acme')).resolves.toBeUndefined();

    await expect(retrieve(context, 'acme')).rejects.toMatchObject(noBrand('acme'));
    await expect(remove(context, 'acme')).rejects.toMatchObject(noBrand('acme'));
    await expect(create(context, { id: 'acme' })).resolves.toMatchObject({ id: 'acme' });
  });

  it.each(['settings', 'snippets'])('stores %s of exactly the allowed bytes, and no more', async (field) => {
    const context = newWorkspace();
    const fitting = { a: 'x'.repeat(BRAND_OBJECT_BYTES_MAX - '{"a":""}'.length) };

    await expect(create(context, { [field]: fitting })).resolves.toMatchObject({ [field]: fitting });
    await expect(create(context, { id: 'large', [field]: { a: `${fitting.a}x` } })).rejects.toMatchObject({
      code: 'invalid_request',
      message: `${field} would take ${BRAND_OBJECT_BYTES_MAX + 1} bytes, at most ${BRAND_OBJECT_BYTES_MAX} are stored`,
    });
    await expect(retrieve(context, 'large')).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each<[string, object, string]>([
    ['no name', { name: '' }, 'name'],
    ['an empty id', { id: '' }, 'id'],
    ['an id that is too long', { id: 'x'.repeat(257) }, 'id'],
    ['a NUL in its id', { id: 'a\0b' }, 'id'],
    ['a NUL in its name', { name: 'a\0b' }, 'name'],
    ['settings that are an array', { settings: [] }, 'settings must be an object'],
    ['a colour that is a number', { settings: { colors: { primary: 7 } } }, 'settings.colors.primary must be a string (got 7)'],
    [
      'a colour that is none',
      { settings: { colors: { primary: 'bluish' } } },
      'settings.colors.primary must be a color, such as #9D3789, rgb(157, 55, 137) or teal (got "bluish")',
    ],
    [
      'several that are none',
      { settings: { colors: { primary: 'a', secondary: 'b' }, email: { header: { barColor: 'c' } } } },
      'settings.colors.primary must be a color, such as #9D3789, rgb(157, 55, 137) or teal (got "a"); ' +
        'settings.colors.secondary must be a color, such as #9D3789, rgb(157, 55, 137) or teal (got "b"); ' +
        'settings.email.header.barColor must be a color, such as #9D3789, rgb(157, 55, 137) or teal (got "c")',
    ],
    ['a bar of no colour', { settings: { email: { header: { barColor: '#12' } } } }, 'settings.email.header.barColor must be a color'],
    [
      'a frame of no colour',
      { settings: { email: { templateOverride: { mjml: { backgroundColor: 'rgb(1)' } } } } },
      'settings.email.templateOverride.mjml.backgroundColor must be a color',
    ],
    [
      'a widget of no colour',
      { settings: { inapp: { widgetBackground: { topColor: 'url(x)' } } } },
      'settings.inapp.widgetBackground.topColor must be a color',
    ],
    ['a header that is a text', { settings: { email: { header: 'x' } } }, 'settings.email.header must be an object (got "x")'],
    [
      'an inheritDefault that is a text',
      { settings: { email: { head: { inheritDefault: 'yes' } } } },
      'settings.email.head.inheritDefault',
    ],
    ['an unknown placement', { settings: { inapp: { placement: 'middle' } } }, 'settings.inapp.placement must be one of top'],
    ['a snippet without a value', { snippets: { items: [{ name: 'a' }] } }, 'snippets.items[0].value is required'],
    [
      'snippets that call each other',
      {
        snippets: {
          items: [
            { name: 'a', value: '{{> b}}' },
            { name: 'b', value: '{{> a}}' },
          ],
        },
      },
      '"a" > "b" > "a"',
    ],
    ['a snippet of another format', { snippets: { items: [{ name: 'a', value: 'b', format: 'liquid' }] } }, 'snippets.items[0].format'],
    ['a lone surrogate in its settings', { settings: { colors: { primary: '\ud800' } } }, 'settings.colors.primary'],
  ])('cannot have %s', async (_, fields, path) => {
    const context = newWorkspace();
    const refused = { code: 'invalid_request', message: expect.stringContaining(path) as string };

    await expect(create(context, fields)).rejects.toMatchObject(refused);
    if (!('id' in fields)) await expect(replace(context, 'default', fields)).rejects.toMatchObject(refused);
  });

  it.each(['#FFF', ' #ffffff80 ', 'RebeccaPurple', 'transparent', 'rgb(1, 2, 3)', 'hsla(120deg 50% 50% / 0.5)', '', null])(
    'may have the colour %j',
    async (primary) => {
      const settings = { colors: { primary } };
      await expect(create(newWorkspace(), { settings })).resolves.toMatchObject({ settings });
    },
  );

  it('is created by one of two concurrent calls', async () => {
    const context = newWorkspace();
    await create(context, { id: 'other' });

    const outcomes = await whileLocked(
      content.adminUrl,
      {
        statement: `insert into content.brands (workspace_id, brand_id, name, settings, bytes) values ($1, 'acme', 'x', '{}', 2)`,
        values: [context.workspaceId],
        waiting: 2,
      },
      () => Promise.allSettled([create(context, { id: 'acme', name: 'A' }), create(context, { id: 'acme', name: 'B' })]),
    );

    expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    const made = outcomes.find((outcome) => outcome.status === 'fulfilled');
    await expect(retrieve(context, 'acme')).resolves.toEqual(made?.value);
  });

  it('is created once by a call that is delivered twice', async () => {
    const context = newWorkspace();
    const redelivered = content.redelivered();
    const deliver = () => redelivered(brands.create, context, { name: 'Acme' });

    const first = await deliver();

    await expect(deliver()).resolves.toEqual(first);
    expect((await call(brands.list, context, {})).results.map(({ id }) => id).sort()).toEqual([first.id, 'default'].sort());
    await expect(listener.publishedOf(context, 1)).resolves.toEqual([['brand', first.id]]);
  });

  it('is published when created, replaced and deleted, and not when refused', async () => {
    const context = newWorkspace();
    await create(context, { id: 'acme' });
    await create(context, { id: 'acme' }).catch(() => undefined);
    await replace(context, 'acme');
    await replace(context, 'unknown').catch(() => undefined);
    await remove(context, 'acme');
    await remove(context, 'acme').catch(() => undefined);
    await replace(context, 'default');

    await expect(listener.publishedOf(context, 4)).resolves.toEqual([
      ['brand', 'acme'],
      ['brand', 'acme'],
      ['brand', 'acme'],
      ['brand', 'default'],
    ]);
  });
});

describe('the default brand', () => {
  it.each<[string, (context: CallContext) => Promise<unknown>]>([
    ['is listed', async (context) => (await call(brands.list, context, {})).results[0]],
    ['is read', (context) => retrieve(context, 'default')],
    [
      'is listed beside the first brand that is created',
      async (context) => {
        await create(context, { id: 'z' });
        return (await call(brands.list, context, {})).results[0];
      },
    ],
  ])('%s though it was never created', async (_, load) => {
    const context = newWorkspace();

    const found = await load(context);

    expect(found).toMatchObject({ id: 'default', name: 'Default brand', settings: {} });
    await expect(retrieve(context, 'default')).resolves.toEqual(found);
  });

  it('can be replaced, and not created', async () => {
    const context = newWorkspace();

    const replaced = await replace(context, 'default', { name: 'Ours', settings: SETTINGS });

    expect(replaced).toMatchObject({ id: 'default', name: 'Ours', settings: SETTINGS });
    await expect(retrieve(context, 'default')).resolves.toEqual(replaced);
    await expect(create(context, { id: 'default' })).rejects.toMatchObject({ code: 'conflict' });
    await expect(create(newWorkspace(), { id: 'default' })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('cannot be deleted, though it was never created', async () => {
    const context = newWorkspace();
    const refused = { code: 'conflict', message: 'Cannot delete default brand', hints: { shouldRetry: false } };

    await expect(remove(context, 'default')).rejects.toMatchObject(refused);
    const { version } = await replace(context, 'default');
    await expect(remove(context, 'default')).rejects.toMatchObject(refused);
    await expect(retrieve(context, 'default')).resolves.toMatchObject({ version });
  });

  it('exists once when the first calls of a workspace are concurrent', async () => {
    const context = newWorkspace();

    const calls = [
      call(brands.list, context, {}),
      retrieve(context, 'default'),
      create(context, { id: 'a' }),
      create(context, { id: 'b' }),
    ];
    await Promise.all([...calls, replace(context, 'default', { name: 'Ours' })]);

    expect((await call(brands.list, context, {})).results.map(({ id, name }) => [id, name])).toEqual([
      ['a', 'Acme'],
      ['b', 'Acme'],
      ['default', 'Ours'],
    ]);
  });
});

describe('the list of brands', () => {
  const loadPages = async (context: CallContext): Promise<string[][]> => {
    const pages: string[][] = [];
    let cursor: string | undefined;
    do {
      const { results, paging } = await call(brands.list, context, { cursor });
      pages.push(results.map(({ id }) => id));
      expect(paging.more).toBe(paging.cursor !== undefined);
      cursor = paging.cursor;
    } while (cursor !== undefined && pages.length < 50);
    return pages;
  };

  it('is paged by id, each brand once', async () => {
    const context = newWorkspace();
    const ids = Array.from({ length: BRANDS_PAGE_MAX + 20 }, (_, n) => `b${String(n).padStart(3, '0')}`);
    for (const id of ids.toReversed()) await create(context, { id });

    const pages = await loadPages(context);

    expect(pages.map(({ length }) => length)).toEqual([BRANDS_PAGE_MAX, 21]);
    expect(pages.flat()).toEqual([...ids, 'default']);
  });

  it('ends pages at the size limit and misses no brand', async () => {
    const context = newWorkspace();
    const large = { a: 'x'.repeat(BRAND_OBJECT_BYTES_MAX - 10) };
    const ids = Array.from({ length: 10 }, (_, n) => `b${n}`);
    for (const id of ids) await create(context, { id, settings: large as object, snippets: large as object });

    const pages = await loadPages(context);

    expect(pages.length).toBeGreaterThan(1);
    expect(pages.flat()).toEqual([...ids, 'default']);
  });

  it('refuses the cursor of another workspace and an invalid one', async () => {
    const [context, other] = [newWorkspace(), newWorkspace()];
    for (let n = 0; n <= BRANDS_PAGE_MAX; n += 1) await create(context, { id: `b${n}` });
    const { cursor } = (await call(brands.list, context, {})).paging;

    for (const cursors of [cursor, 'zz']) {
      await expect(call(brands.list, other, { cursor: cursors })).rejects.toMatchObject({ code: 'invalid_request' });
    }
  });
});

describeWorkspaceIsolation('a brand', {
  arrange: async (owner) => void (await create(owner, { id: 'acme', settings: SETTINGS })),
  read: (owner) => retrieve(owner, 'acme'),
  attempts: {
    retrieve: { attempt: (stranger) => retrieve(stranger, 'acme'), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(brands.list, stranger, {}) },
    create: { attempt: (stranger) => create(stranger, { id: 'acme' }) },
    replace: { attempt: (stranger) => replace(stranger, 'acme'), refusedWith: 'not_found' },
    remove: { attempt: (stranger) => remove(stranger, 'acme'), refusedWith: 'not_found' },
  },
});

it('refuses an id that cannot be stored in every call', async () => {
  const context = contextOf(randomUUID());
  for (const attempt of [() => retrieve(context, 'a\0'), () => replace(context, 'a\0'), () => remove(context, 'a\0')]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('brand_id') as string });
  }
});
