import { brands } from '@tidings/contracts/content/brands';
import { eventMappings } from '@tidings/contracts/content/event-mappings';
import { sendingBrands, sendingTranslations } from '@tidings/contracts/content/sending';
import { translations } from '@tidings/contracts/content/translations';
import { systemContext } from '@tidings/contracts/core/context';
import { expectIndexed } from '@tidings/testing/explain';
import { runsOf } from '@tidings/testing/runs-of';
import type { TestService } from '@tidings/testing/service';
import { newWorkspace } from '../testing/content-listener';
import { startContent } from '../testing/start-content';

const ROWS = 20_000;
const context = newWorkspace();
const { workspaceId: workspace_id } = context;
const system = systemContext('spec');

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);

beforeAll(async () => {
  content = await startContent();
  for (const insert of [
    `insert into brands (workspace_id, brand_id, name, settings, bytes) select $1, 'b' || n, 'Brand', '{}', 2 from generate_series(1, ${ROWS}) n`,
    `insert into translations (workspace_id, locale, po, bytes) select $1, 'la_' || n, '', 2 from generate_series(1, ${ROWS}) n`,
    `insert into event_mappings (workspace_id, event_id, notification_id) select $1, 'e' || n, 'N' from generate_series(1, ${ROWS}) n`,
  ]) {
    await content.sql(insert, [workspace_id]);
  }
  await content.sql('analyze', []);
});
afterAll(() => content.stop());

const many = Array.from({ length: 200 }, (_, n) => n * 7);

describe.each<[string, () => Promise<unknown>]>([
  [
    'listing brands, from a page in the middle too',
    async () => {
      const { paging } = await call(brands.list, context, {});
      await call(brands.list, context, { cursor: paging.cursor });
    },
  ],
  ['getting a brand', () => call(brands.retrieve, context, { brand_id: 'b77' })],
  ['making a brand', () => call(brands.create, context, { name: 'New' })],
  ['replacing a brand', () => call(brands.replace, context, { brand_id: 'b77', name: 'Other' })],
  ['deleting a brand', () => call(brands.remove, context, { brand_id: 'b78' })],
  ['loading brands', () => call(sendingBrands.load, system, { brands: many.map((n) => ({ workspace_id, brand_id: `b${n}` })) })],
  ['getting a translation', () => call(translations.retrieve, context, { domain: 'default', locale: 'la_77' })],
  ['putting a translation', () => call(translations.replace, context, { domain: 'default', locale: 'la_77', translation: '' })],
  [
    'listing translations, from a page in the middle too',
    async () => {
      const { paging } = await call(translations.list, context, {});
      await call(translations.list, context, { cursor: paging.cursor });
      await call(translations.list, context, { locale: 'la_77' });
    },
  ],
  [
    'loading translations',
    () => call(sendingTranslations.load, system, { translations: many.map((n) => ({ workspace_id, locale: `la_${n}` })) }),
  ],
  ['mapping an event', () => call(eventMappings.replace, context, { event_id: 'e77', id: 'N', type: 'notification' as const })],
  ['getting an event', () => call(eventMappings.retrieve, context, { event_id: 'e77' })],
  [
    'listing events, from a page in the middle too',
    async () => {
      const { paging } = await call(eventMappings.list, context, {});
      await call(eventMappings.list, context, { cursor: paging.cursor });
    },
  ],
])('%s', (_, work) => {
  it('scans no whole table', async () => {
    const runs = await runsOf(work);

    expect(runs.length).toBeGreaterThan(0);
    for (const [statement, values] of runs) await expectIndexed(content.sql, statement, values);
  });
});
