import { randomUUID } from 'node:crypto';
import type { MessageRouting } from '@tidings/contracts/content/routing';
import { notifications } from '@tidings/contracts/content/notifications';
import { routingStrategies } from '@tidings/contracts/content/routing-strategies';
import type { CallContext } from '@tidings/contracts/core/context';
import { contextOf } from '@tidings/testing/context-of';
import type { TestService } from '@tidings/testing/service';
import { whileLocked } from '@tidings/testing/while-locked';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { sharedContent } from '../testing/start-content';
import { buildStrategy, buildTemplate, payloadOf } from '../testing/template-builder';

let content: TestService;
const call: TestService['call'] = (...parameters) => content.call(...parameters);
let context: CallContext;

beforeAll(async () => {
  content = await sharedContent();
});
beforeEach(() => {
  context = contextOf(randomUUID());
});

const routing: MessageRouting = {
  method: 'single',
  channels: [
    'push',
    { method: 'all', channels: ['email', 'sms'] },
    { channel: 'inbox', config: {}, providers: ['courier', { name: 'x' }] },
  ],
};
const retrieve = (id: string) => call(routingStrategies.retrieve, context, { id });
const archive = (id: string) => call(routingStrategies.archive, context, { id });

it('returns a strategy as it was put', async () => {
  const fields = {
    name: 'Push first',
    description: 'Then the rest',
    tags: ['a'],
    routing,
    channels: { email: { providers: ['ses'], unknown: [1] }, constructor: { if: 'data.x' } },
    providers: { ses: { override: { body: {} } } },
  };

  const created = await call(routingStrategies.create, context, fields);

  expect(created).toEqual({
    ...fields,
    id: expect.stringMatching(/^rs_/) as string,
    created: expect.any(Number) as number,
    creator: 'api',
  });
  await expect(retrieve(created.id)).resolves.toEqual(created);
});

it('clears absent fields on replacement', async () => {
  const { id } = await call(routingStrategies.create, context, {
    name: 'A',
    description: 'B',
    tags: ['c'],
    routing,
    channels: { email: {} },
  });

  const replaced = await call(routingStrategies.replace, context, {
    id,
    name: 'D',
    routing: { method: 'all', channels: ['sms'] },
    tags: null,
  });

  expect(replaced).toEqual({
    id,
    name: 'D',
    routing: { method: 'all', channels: ['sms'] },
    channels: {},
    providers: {},
    created: expect.any(Number) as number,
    creator: 'api',
    updated: expect.any(Number) as number,
    updater: 'api',
  });
});

it('lists strategies without their routing, newest first', async () => {
  for (const name of ['a', 'b', 'c']) await buildStrategy(call, context, name);

  const first = await call(routingStrategies.list, context, { limit: 2 });
  const second = await call(routingStrategies.list, context, { limit: 2, cursor: first.paging.cursor });

  expect([...first.results, ...second.results].map(({ name }) => name)).toEqual(['c', 'b', 'a']);
  expect(Object.keys(first.results[0]!).sort()).toEqual(['created', 'creator', 'id', 'name']);
  expect(second.paging).toEqual({ more: false });
});

it('lists templates whose draft or published version is linked with a strategy', async () => {
  const id = await buildStrategy(call, context);
  const linked = { routing: { strategy_id: id } };
  const draft = await buildTemplate(call, context, { ...linked, name: 'Draft', tags: ['x'], subscription: { topic_id: 'topic' } });
  const published = await buildTemplate(call, context, { ...linked, name: 'Published', state: 'PUBLISHED' });
  const archived = await buildTemplate(call, context, linked);
  await call(notifications.archive, context, { id: archived.id });
  await buildTemplate(call, context);

  const first = await call(routingStrategies.templates, context, { id, limit: 1 });
  const second = await call(routingStrategies.templates, context, { id, limit: 1, cursor: first.paging.cursor });

  expect(first.results).toEqual([
    { id: published.id, name: 'Published', state: 'PUBLISHED', tags: [], created: published.created, creator: 'api' },
  ]);
  expect(second.results).toMatchObject([
    { id: draft.id, name: 'Draft', state: 'DRAFT', tags: ['x'], subscription_topic_id: 'topic', topic_id: 'topic' },
  ]);
  expect(second.paging).toEqual({ more: false });
  await expect(call(routingStrategies.templates, context, { id: 'rs_none' })).rejects.toMatchObject({ code: 'not_found' });
});

it('pages strategies and linked templates of equal creation times, each once', async () => {
  for (const name of ['a', 'b']) await buildStrategy(call, context, name);
  const id = await buildStrategy(call, context, 'c');
  for (const name of ['x', 'y', 'z']) await buildTemplate(call, context, { name, routing: { strategy_id: id } });
  for (const table of ['routing_strategies', 'notification_strategies']) {
    await content.sql(`update ${table} set created_at = date '2026-01-01' where workspace_id = $1`, [context.workspaceId]);
  }
  const namesOf = async (page: (cursor?: string) => Promise<{ results: { name: string }[]; paging: { cursor?: string } }>) => {
    const first = await page();
    const second = await page(first.paging.cursor);
    return [...first.results, ...second.results].map(({ name }) => name).sort();
  };

  const strategies = await namesOf((cursor) => call(routingStrategies.list, context, { limit: 2, cursor }));
  const templates = await namesOf((cursor) => call(routingStrategies.templates, context, { id, limit: 2, cursor }));

  expect(strategies).toEqual(['a', 'b', 'c']);
  expect(templates).toEqual(['x', 'y', 'z']);
});

it('does not find an archived strategy', async () => {
  const id = await buildStrategy(call, context);

  await archive(id);

  for (const attempt of [
    () => retrieve(id),
    () => archive(id),
    () => call(routingStrategies.replace, context, { id, name: 'a', routing }),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: 'not_found' });
  }
});

it('refuses one of a concurrent archival and link', async () => {
  const id = await buildStrategy(call, context);
  const lock = { statement: 'select from routing_strategies where strategy_id = $1 for update', values: [id], waiting: 2 };
  const { adminUrl } = content;
  const qualified = { ...lock, statement: lock.statement.replace('routing_strategies', 'content.routing_strategies') };

  const [archived, linked] = await whileLocked(adminUrl, qualified, () =>
    Promise.allSettled([archive(id), call(notifications.create, context, { notification: payloadOf({ routing: { strategy_id: id } }) })]),
  );

  expect([archived.status, linked.status].sort()).toEqual(['fulfilled', 'rejected']);
});

it('names the path of an error in a strategy', async () => {
  const deep = (levels: number): MessageRouting => ({ method: 'all', channels: levels === 1 ? ['email'] : [deep(levels - 1)] });
  const create = (fields: object) => call(routingStrategies.create, context, { name: 'a', routing, ...fields });

  for (const [fields, path] of [
    [{ routing: { channels: [] } }, 'routing.method'],
    [{ routing: { method: 'all' } }, 'routing.channels'],
    [{ routing: { method: 'all', channels: [] } }, 'routing.channels must name a channel or provider at least'],
    [{ routing: { method: 'all', channels: ['sms', { method: 'single', channels: [] }] } }, 'routing.channels[1].channels must name'],
    [{ routing: deep(9) }, 'nested deeper than 8 levels'],
    [{ routing: { method: 'all', channels: Array.from({ length: 201 }, () => 'email') } }, 'routing.channels[200]'],
    [
      { routing: { method: 'all', channels: [{ channel: 'sms', providers: [{ name: 'a', if: 'data.(' }] }] } },
      'routing.channels[0].providers[0].if',
    ],
    [{ channels: { email: [] } }, 'channels.email'],
    [{ channels: { email: { providers: [''] } } }, 'channels.email.providers[0]'],
    [{ providers: { ses: { override: { a: 'x'.repeat(300_000) } } } }, 'providers has'],
    [{ channels: { email: { override: { a: 'a\0b' } } } }, 'channels.email.override.a'],
  ] as const) {
    await expect(create(fields)).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining(path) as string });
  }
  const { id } = await create({ routing: deep(8) });
  const emptied = call(routingStrategies.replace, context, { id, name: 'a', routing: { method: 'all', channels: [] } });
  await expect(emptied).rejects.toMatchObject({ code: 'invalid_request', message: expect.stringContaining('routing.channels') as string });
});

it('creates one strategy when the call is delivered twice', async () => {
  const redelivered = content.redelivered();
  const deliver = () => redelivered(routingStrategies.create, context, { name: 'once', routing });

  const first = await deliver();

  await expect(deliver()).resolves.toEqual(first);
  await expect(call(routingStrategies.list, context, {})).resolves.toMatchObject({ results: [{ id: first.id }] });
});

const ids = new Map<string, string>();
const newestId = (): string => [...ids.values()].at(-1)!;
describeWorkspaceIsolation('a routing strategy', {
  arrange: async (owner) => void ids.set(owner.workspaceId, await buildStrategy(call, owner)),
  read: (owner) => call(routingStrategies.retrieve, owner, { id: ids.get(owner.workspaceId)! }),
  attempts: {
    retrieve: { attempt: (stranger) => call(routingStrategies.retrieve, stranger, { id: newestId() }), refusedWith: 'not_found' },
    replace: {
      attempt: (stranger) => call(routingStrategies.replace, stranger, { id: newestId(), name: 'x', routing }),
      refusedWith: 'not_found',
    },
    archive: { attempt: (stranger) => call(routingStrategies.archive, stranger, { id: newestId() }), refusedWith: 'not_found' },
    templates: { attempt: (stranger) => call(routingStrategies.templates, stranger, { id: newestId() }), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(routingStrategies.list, stranger, {}) },
    'a link': {
      attempt: (stranger) => buildTemplate(call, stranger, { routing: { strategy_id: newestId() } }),
      refusedWith: 'invalid_request',
    },
  },
});
