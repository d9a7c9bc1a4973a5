import { randomUUID } from 'node:crypto';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import { notificationBlocks } from '@tidings/contracts/content/notification-blocks';
import { notificationContent } from '@tidings/contracts/content/notification-content';
import { notifications } from '@tidings/contracts/content/notifications';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { sharedContent } from '../testing/start-content';
import { buildTemplate, textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const contentOf = (id: string, version?: string) => call(notificationContent.retrieve, context, { id, version });
const draftOf = async (id: string) => (await call(notifications.retrieve, context, { id, version: 'draft' })).content;
const put = (id: string, elements: object[], more: object = {}) =>
  call(notificationContent.replace, context, { id, content: { elements } as ElementalContent, ...more });
const putElement = (id: string, elementId: string, element: Record<string, unknown>) =>
  call(notificationContent.replaceElement, context, { id, elementId, element });
const putLocale = (id: string, localeId: string, elements: Record<string, unknown>[], more: object = {}) =>
  call(notificationContent.replaceLocale, context, { id, localeId, elements, ...more });

describe('content of elements', () => {
  const nested: ElementalContent = {
    version: '2022-01-01',
    elements: [
      { type: 'meta', title: 'Hi' },
      { type: 'group', id: 'mine', elements: [{ type: 'text', content: 'A' }, { type: 'divider' }] },
      { type: 'text', content: 'B', locales: { fr_FR: { content: 'B en français' } } },
    ],
  };

  it('is returned as it was put, each node with id and checksum', async () => {
    const { id } = await buildTemplate(call, context, { content: nested });

    const { version, elements, etag } = await contentOf(id);

    expect({ version, etag }).toEqual({ version: '2022-01-01', etag: 'r1' });
    const checksum = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    const own = expect.stringMatching(/^el_/) as string;
    expect(elements).toEqual([
      { type: 'meta', title: 'Hi', id: own, checksum },
      {
        type: 'group',
        id: 'mine',
        checksum,
        elements: [
          { type: 'text', content: 'A', id: own, checksum },
          { type: 'divider', id: own, checksum },
        ],
      },
      { type: 'text', content: 'B', id: own, checksum, locales: { fr_FR: { content: 'B en français', checksum } } },
    ]);
    await expect(draftOf(id)).resolves.toEqual(nested);
  });

  it('has checksums of its texts alone', async () => {
    const { id } = await buildTemplate(call, context, {
      content: {
        elements: [
          { type: 'text', content: 'A' },
          { type: 'text', content: 'A', color: 'red', if: 'data.x' },
          { type: 'text', content: 'B' },
          { type: 'group', elements: [{ type: 'text', content: 'A' }] },
          { type: 'group', elements: [{ type: 'text', content: 'B' }] },
        ],
      },
    });

    const [a, colored, b, groupA, groupB] = (await contentOf(id)).elements!.map(({ checksum }) => checksum);

    expect(colored).toBe(a);
    expect(b).not.toBe(a);
    expect(groupB).not.toBe(groupA);
  });

  it('is replaced whole and keeps the ids of equal nodes', async () => {
    const { id } = await buildTemplate(call, context, { content: nested });
    const before = (await contentOf(id)).elements!;

    const mutation = await put(id, [{ type: 'text', content: 'new' }, nested.elements[2]!, { type: 'meta', title: 'Hi' }]);

    const after = (await contentOf(id, 'draft')).elements!;
    expect(after.map(({ id: own }) => own).slice(1)).toEqual([before[2]!.id, before[0]!.id]);
    expect(mutation).toEqual({
      id,
      version: 'draft',
      state: 'DRAFT',
      elements: after.map(({ id: own, checksum }) => ({ id: own, checksum })),
      etag: 'r2',
    });
  });

  it('is published with the change where the state is PUBLISHED', async () => {
    const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });

    await expect(put(id, [{ type: 'text', content: 'x' }], { state: 'PUBLISHED' })).resolves.toMatchObject({
      version: 'v002',
      state: 'PUBLISHED',
    });
    await expect(contentOf(id, 'published')).resolves.toMatchObject({ elements: [{ content: 'x' }] });
  });

  it('is not replaced where it changed since it was read', async () => {
    const { id } = await buildTemplate(call, context);
    const { etag } = await contentOf(id);
    await put(id, [{ type: 'text', content: 'other' }], { if_match: etag });

    await expect(put(id, [{ type: 'text', content: 'mine' }], { if_match: etag })).rejects.toMatchObject({ code: 'conflict' });
    await expect(putLocale(id, 'de', [], { if_match: etag })).rejects.toMatchObject({ code: 'conflict' });
  });

  it('refuses invalid Elemental and duplicate ids', async () => {
    const { id } = await buildTemplate(call, context);

    await expect(put(id, [{ type: 'text' }, { type: 'button' }])).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('content.elements[1].type must be one of text') as string,
    });
    await expect(
      put(id, [
        { type: 'text', id: 'a' },
        { type: 'text', id: 'a' },
      ]),
    ).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('one element', () => {
  it('keeps its id, children and translations when replaced', async () => {
    const group = { type: 'group', id: 'g', elements: [{ type: 'text', id: 'inner', content: 'A' }] };
    const text = { type: 'text', id: 't', content: 'B', color: 'red', locales: { de: { content: 'Be' } } };
    const { id } = await buildTemplate(call, context, { content: { elements: [group, text] } as ElementalContent });

    await putElement(id, 'g', { type: 'group', if: 'data.vip' });
    await putElement(id, 't', { type: 'text', data: { content: 'C', color: 'blue' }, color: 'green' });
    await putElement(id, 'inner', { type: 'image', src: 'https://example.com/a.png', state: 'published' });

    expect((await draftOf(id)).elements).toEqual([
      { type: 'group', id: 'g', if: 'data.vip', elements: [{ type: 'image', id: 'inner', src: 'https://example.com/a.png' }] },
      { type: 'text', id: 't', content: 'C', color: 'green', locales: { de: { content: 'Be' } } },
    ]);
    await expect(contentOf(id, 'v001')).resolves.toMatchObject({ elements: [{ id: 'g' }, { id: 't' }] });
  });

  it('is found by its generated id', async () => {
    const { id } = await buildTemplate(call, context, { content: textContent('A') });
    const [element] = (await contentOf(id)).elements!;

    const { elements } = await putElement(id, element!.id, { type: 'text', content: 'B' });

    expect(elements).toEqual([{ id: element!.id, checksum: expect.not.stringMatching(element!.checksum) as string }]);
    await expect(draftOf(id)).resolves.toEqual(textContent('B'));
  });

  it('must exist, and its type must be allowed at its position', async () => {
    const { id } = await buildTemplate(call, context, {
      content: { elements: [{ type: 'group', id: 'g', elements: [{ type: 'text', id: 't' }] }] },
    });

    await expect(putElement(id, 'unknown', { type: 'text' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(putElement(id, 't', { type: 'channel', channel: 'email' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(putElement(id, 't', { type: 'text', state: 'odd' })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(putElement(id, 't', { type: 'text', data: [] })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(putElement(id, 't', {})).rejects.toMatchObject({ code: 'invalid_request' });
  });
});

describe('a language', () => {
  const elements = [
    { type: 'meta', id: 'm', title: 'Hi' },
    { type: 'text', id: 't', content: 'A' },
  ];

  it('is what was put last, for all elements', async () => {
    const { id } = await buildTemplate(call, context, { content: { elements } as ElementalContent });

    await putLocale(id, 'fr_FR', [
      { id: 'm', title: 'Salut' },
      { id: 't', content: 'Un' },
    ]);
    await putLocale(id, 'de', [{ id: 't', content: 'Ein' }]);
    await putLocale(id, 'fr_FR', [{ id: 't', content: 'Une' }]);

    expect((await draftOf(id)).elements).toEqual([
      { type: 'meta', id: 'm', title: 'Hi' },
      { type: 'text', id: 't', content: 'A', locales: { de: { content: 'Ein' }, fr_FR: { content: 'Une' } } },
    ]);
  });

  it('names existing elements, each once', async () => {
    const { id } = await buildTemplate(call, context, { content: { elements } as ElementalContent });

    for (const wrong of [[{ id: 'unknown' }], [{ content: 'x' }], [{ id: 't' }, { id: 't' }], [{ id: 't', content: 1 }]]) {
      await expect(putLocale(id, 'de', wrong)).rejects.toMatchObject({ code: 'invalid_request' });
    }
    await expect(putLocale(id, '__proto__', [{ id: 't', content: 'x' }])).rejects.toMatchObject({ code: 'invalid_request' });
    for (const localeId of ['nonsense!', 'f', '__proto__']) {
      await expect(putLocale(id, localeId, [])).rejects.toMatchObject({
        code: 'invalid_request',
        message: `localeId must be the name of a language, such as fr or fr_CA (got "${localeId}")`,
      });
    }
    await expect(call(notificationContent.replaceLocale, context, { id, localeId: 'de' })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describe('content of blocks', () => {
  const blocks = [
    { id: 'b1', type: 'text' as const, content: 'Hello', locales: { de: 'Hallo' } },
    { id: 'b2', type: 'list' as const, content: { parent: 'One', children: 'Two' } },
  ];
  const channels = [{ id: 'c1', type: 'email', content: { subject: 'Hi' } }];

  it('is returned as it was put, with checksums', async () => {
    const { id } = await buildTemplate(call, context);

    const mutation = await call(notificationBlocks.replaceDraft, context, { id, blocks, channels });

    const checksum = expect.stringMatching(/^[0-9a-f]{32}$/) as string;
    expect(mutation).toMatchObject({ version: 'draft', elements: [{ id: 'b1' }, { id: 'b2' }, { id: 'c1' }] });
    await expect(call(notificationContent.retrieveDraft, context, { id })).resolves.toEqual({
      blocks: blocks.map((block) => ({ ...block, checksum })),
      channels: [{ ...channels[0], checksum }],
      checksum,
      etag: 'r2',
    });
  });

  it('is published by the path without draft', async () => {
    const { id } = await buildTemplate(call, context);

    await expect(call(notificationBlocks.replace, context, { id, blocks, channels })).resolves.toMatchObject({
      state: 'PUBLISHED',
      version: 'v001',
    });

    await expect(call(notificationContent.retrieve, context, { id, version: 'published' })).resolves.toMatchObject({ blocks });
  });

  it('is Elemental in a retrieved template', async () => {
    const { id } = await buildTemplate(call, context);
    await call(notificationBlocks.replaceDraft, context, { id, blocks, channels });

    expect((await draftOf(id)).elements).toEqual([
      { type: 'meta', title: 'Hi' },
      { type: 'text', id: 'b1', content: 'Hello', locales: { de: { content: 'Hallo' } } },
      {
        type: 'list',
        id: 'b2',
        elements: [{ type: 'list-item', content: 'One', elements: [{ type: 'list', elements: [{ type: 'list-item', content: 'Two' }] }] }],
      },
    ]);
  });

  it('is translated by block, by channel, by language and as a whole', async () => {
    const { id } = await buildTemplate(call, context);
    await call(notificationBlocks.replace, context, { id, blocks, channels });
    const localesNow = async (version?: string) => {
      const now = await contentOf(id, version);
      return [...now.blocks!, ...now.channels!].map(({ locales }) => locales ?? {});
    };

    await call(notificationBlocks.translateBlock, context, { id, block_id: 'b1', locales: { fr: 'Bonjour' } });
    await call(notificationBlocks.translateChannel, context, { id, channel_id: 'c1', locales: { fr: { subject: 'Salut' } } });
    await call(notificationContent.replaceLocale, context, { id, localeId: 'it', blocks: [{ id: 'b1', content: 'Ciao' }] });
    expect(await localesNow('published')).toEqual([{ de: 'Hallo', fr: 'Bonjour', it: 'Ciao' }, {}, { fr: { subject: 'Salut' } }]);
    await call(notificationBlocks.replaceDraftLocale, context, { id, localeId: 'es', blocks: [{ id: 'b2', content: { parent: 'Uno' } }] });
    await call(notificationBlocks.translateDraftBlock, context, { id, block_id: 'b2', locales: { pt: { parent: 'Um' } } });
    await call(notificationBlocks.translateDraftChannel, context, { id, channel_id: 'c1', locales: { pt: { title: 'Olá' } } });
    expect((await localesNow('draft')).slice(1)).toEqual([
      { es: { parent: 'Uno' }, pt: { parent: 'Um' } },
      { fr: { subject: 'Salut' }, pt: { title: 'Olá' } },
    ]);
    await call(notificationBlocks.replaceDraftLocales, context, { id, blocks: [{ id: 'b1', locales: { en: 'Hi' } }] });
    expect((await localesNow('draft'))[0]).toEqual({ en: 'Hi' });
    await call(notificationBlocks.replaceLocales, context, { id, blocks: [{ id: 'b2', locales: {} }], channels: [{ id: 'c1' }] });

    expect(await localesNow('published')).toEqual([{ de: 'Hallo', fr: 'Bonjour', it: 'Ciao' }, {}, {}]);
    expect((await localesNow('draft'))[0]).toEqual({ en: 'Hi' }); // the published version changed without publishing the draft
  });

  it('does not change without translations, and neither do elements', async () => {
    const { id, etag } = await buildTemplate(call, context, { state: 'PUBLISHED' });

    await expect(call(notificationBlocks.replaceLocales, context, { id, blocks: [] })).resolves.toMatchObject({ version: 'v001', etag });
    await expect(call(notificationBlocks.replaceDraftLocales, context, { id, blocks: [], channels: [] })).resolves.toMatchObject({ etag });
  });

  it('refuses values that are no texts, duplicate ids and missing parts', async () => {
    const { id } = await buildTemplate(call, context);
    const putBlocks = (...wrong: object[]) => call(notificationBlocks.replaceDraft, context, { id, blocks: wrong as typeof blocks });

    await expect(putBlocks({ id: 'a', type: 'text', content: 1 })).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('blocks[0].content') as string,
    });
    await expect(putBlocks({ id: 'a', type: 'text', locales: { de: { parent: {} } } })).rejects.toMatchObject({ code: 'invalid_request' });
    await expect(putBlocks({ id: 'a', type: 'text' }, { id: 'a', type: 'text' })).rejects.toMatchObject({ code: 'invalid_request' });
    await putBlocks({ id: 'a', type: 'text' });
    await expect(call(notificationBlocks.translateDraftBlock, context, { id, block_id: 'b', locales: {} })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(
      call(notificationBlocks.translateDraftBlock, context, { id, block_id: 'a', locales: { de: 1 as never } }),
    ).rejects.toMatchObject({
      code: 'invalid_request',
    });
    await expect(call(notificationBlocks.translateBlock, context, { id, block_id: 'a', locales: {} })).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('is not published') as string,
    });
    await expect(putElement(id, 'a', { type: 'text' })).rejects.toMatchObject({ code: 'invalid_request' });
    await put(id, [{ type: 'text', content: 'elements again' }]);
    await expect(call(notificationBlocks.translateDraftBlock, context, { id, block_id: 'a', locales: {} })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

it('is reached by its own workspace only', async () => {
  const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });
  const before = await contentOf(id);
  const stranger = contextOf(randomUUID());
  const [element] = before.elements!;

  for (const attempt of [
    () => call(notificationContent.retrieve, stranger, { id }),
    () => call(notificationContent.retrieveDraft, stranger, { id }),
    () => call(notificationContent.replace, stranger, { id, content: textContent('x') }),
    () => call(notificationContent.replaceElement, stranger, { id, elementId: element!.id, element: { type: 'text' } }),
    () => call(notificationContent.replaceLocale, stranger, { id, localeId: 'de', elements: [] }),
    () => call(notificationBlocks.replace, stranger, { id, blocks: [] }),
    () => call(notificationBlocks.replaceDraftLocales, stranger, { id, blocks: [] }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  }
  await expect(contentOf(id)).resolves.toEqual(before);
});
