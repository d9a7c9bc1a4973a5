import { randomUUID } from 'node:crypto';
import { eventMappings } from '@tidings/contracts/content/event-mappings';
import { notifications } from '@tidings/contracts/content/notifications';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { sharedContent } from '../testing/start-content';
import { buildStrategy, buildTemplate, payloadOf, textContent } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const publish = (id: string) => call(notifications.publish, context, { id });
const replace = (id: string, text: string, more: object = {}) =>
  call(notifications.replace, context, { id, notification: payloadOf({ content: textContent(text) }), ...more });

it('pages versions ten at a time, or fewer on request', async () => {
  const { id } = await buildTemplate(call, context, { state: 'PUBLISHED' });
  for (let n = 2; n <= 12; n += 1) await replace(id, `text ${n}`, { state: 'PUBLISHED' });
  const page = (query: object) => call(notifications.versions, context, { id, ...query });

  const first = await page({});
  const second = await page({ cursor: first.paging.cursor });
  const draftAlone = await page({ limit: 1 });
  const afterDraft = await page({ limit: 1, cursor: draftAlone.paging.cursor });

  expect(first).toMatchObject({ paging: { more: true } });
  expect(first.versions.map(({ version }) => version).slice(0, 3)).toEqual(['draft', 'published:v012', 'v011']);
  expect(first.versions).toHaveLength(10);
  expect(second.versions.map(({ version }) => version)).toEqual(['v003', 'v002', 'v001']);
  expect(second.paging).toEqual({ more: false });
  expect(draftAlone.versions.map(({ version }) => version)).toEqual(['draft']);
  expect(afterDraft.versions.map(({ version }) => version)).toEqual(['published:v012']);
});

describe('listing templates', () => {
  it('shows templates in the older form, newest first', async () => {
    const strategy_id = await buildStrategy(call, context);
    const plain = await buildTemplate(call, context, { name: 'Plain' });
    const full = await buildTemplate(call, context, {
      name: 'Full',
      tags: ['a'],
      subscription: { topic_id: 'topic' },
      routing: { strategy_id },
      state: 'PUBLISHED',
    });

    const { results, paging } = await call(notifications.list, context, { notes: true });

    expect(paging).toEqual({ more: false });
    expect(results).toEqual([
      {
        id: full.id,
        title: 'Full',
        topic_id: 'topic',
        event_ids: [],
        tags: { data: [{ id: 'a', name: 'a' }] },
        routing: { method: 'single', channels: ['email', 'sms'] },
        created_at: full.created,
        updated_at: full.created,
        note: '',
      },
      {
        id: plain.id,
        title: 'Plain',
        topic_id: '',
        event_ids: [],
        tags: { data: [] },
        routing: { method: 'single', channels: [] },
        created_at: plain.created,
        updated_at: plain.created,
        note: '',
      },
    ]);
  });

  it('finds templates that have all tags in the listed version', async () => {
    const both = await buildTemplate(call, context, { tags: ['a', 'b'], state: 'PUBLISHED' });
    const one = await buildTemplate(call, context, { tags: ['a'] });
    const idsOf = async (...tags: string[]) => (await call(notifications.list, context, { tags })).results.map(({ id }) => id);

    expect(await idsOf('a')).toEqual([one.id, both.id]);
    expect(await idsOf('b', 'a')).toEqual([both.id]);
    expect(await idsOf('a', 'c')).toEqual([]);
    await call(notifications.replace, context, { id: both.id, notification: payloadOf({ tags: ['c'] }) });
    expect(await idsOf('b', 'a')).toEqual([both.id]);
    await publish(both.id);
    expect(await idsOf('c')).toEqual([both.id]);
    expect(await idsOf('a')).toEqual([one.id]);
  });

  it('continues after the previous page, also with tags and equal creation times', async () => {
    for (let n = 0; n < 25; n += 1) await buildTemplate(call, context, { name: `n${n}`, tags: n % 5 === 0 ? ['a'] : ['a', 'b'] });
    // Eight have one time. Later ones have lower ids, so that neither times nor ids alone give the order.
    await content.sql(
      `with timed as (
         select template_id, timestamptz '2026-01-01' + row_number() over (order by template_id desc) / 8 * interval '1 second' as at
           from notification_templates where workspace_id = $1
       ), tagged as (
         update notification_tags set created_at = at from timed
          where workspace_id = $1 and notification_tags.template_id = timed.template_id
       )
       update notification_templates set created_at = at from timed
        where workspace_id = $1 and notification_templates.template_id = timed.template_id`,
      [context.workspaceId],
    );

    for (const [query, count] of [
      [{}, 25],
      [{ tags: ['a'] }, 25],
      [{ tags: ['a', 'b'] }, 20],
    ] as const) {
      const first = await call(notifications.list, context, { ...query, tags: 'tags' in query ? [...query.tags] : undefined });
      const rest = first.paging.more
        ? await call(notifications.list, context, {
            ...query,
            tags: 'tags' in query ? [...query.tags] : undefined,
            cursor: first.paging.cursor,
          })
        : { results: [], paging: { more: false } };
      const titles = [...first.results, ...rest.results].map(({ title }) => title);
      expect(new Set(titles).size).toBe(count);
      expect(titles).toHaveLength(count);
      expect(rest.paging.more).toBe(false);
    }
  });

  it('finds the template of an event and lists its events', async () => {
    const { id } = await buildTemplate(call, context);
    await buildTemplate(call, context);
    for (const event_id of ['Order Placed', 'ORDER'])
      await call(eventMappings.replace, context, { event_id, id, type: 'notification' as const });

    const { results } = await call(notifications.list, context, { event_id: 'Order Placed' });

    expect(results).toMatchObject([{ id, event_ids: ['ORDER', 'Order Placed'] }]);
    await expect(call(notifications.list, context, { event_id: 'unknown' })).resolves.toEqual({ results: [], paging: { more: false } });
  });

  it('refuses a cursor of another listing', async () => {
    for (let n = 0; n < 21; n += 1) await buildTemplate(call, context);
    const { paging } = await call(notifications.list, context, {});

    await expect(call(notifications.list, context, { tags: ['a'], cursor: paging.cursor })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
