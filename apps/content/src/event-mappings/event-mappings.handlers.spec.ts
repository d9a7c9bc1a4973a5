import { eventMappings, type PutEventMapping } from '@tidings/contracts/content/event-mappings';
import type { CallContext } from '@tidings/contracts/core/context';
import type { TestService } from '@tidings/testing/service';
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

const put = (context: CallContext, event_id: string, id: string, type = 'notification' as const) =>
  call(eventMappings.replace, context, { event_id, id, type });
const get = (context: CallContext, event_id: string) => call(eventMappings.retrieve, context, { event_id });

describe('an event', () => {
  it.each(['ORDER_PLACED', 'Segment-TrackEvent:Order Placed', 'a/b?c=%2F', '😀', '__proto__'])('may be called %s', async (event_id) => {
    const context = newWorkspace();

    await expect(put(context, event_id, 'N1')).resolves.toEqual({ status: 'SUCCESS' });

    await expect(get(context, event_id)).resolves.toEqual({ event: event_id, id: 'N1', type: 'notification' });
  });

  it('is mapped to the notification that was put last', async () => {
    const context = newWorkspace();
    await put(context, 'e', 'N1');

    await put(context, 'e', 'N2');

    await expect(get(context, 'e')).resolves.toMatchObject({ id: 'N2' });
  });

  it('is not found before it is mapped', async () => {
    const unknown = { code: 'not_found', message: 'Event e is not mapped to a notification' };
    await expect(get(newWorkspace(), 'e')).rejects.toMatchObject(unknown);
  });

  it.each<[string, object, string]>([
    ['another type', { type: 'automation' }, 'type must be one of notification (got "automation")'],
    ['no type', { type: undefined }, 'type is required'],
    ['no notification', { id: undefined }, 'id is required'],
    ['an empty notification', { id: '' }, 'id'],
    ['a NUL in its notification', { id: 'a\0' }, 'id'],
    ['a NUL in its id', { event_id: 'a\0' }, 'event_id'],
    ['an id that is too long', { event_id: 'x'.repeat(513) }, 'event_id'],
  ])('cannot be mapped with %s', async (_, fields, message) => {
    const request = { event_id: 'e', id: 'N1', type: 'notification', ...fields } as PutEventMapping;

    await expect(call(eventMappings.replace, newWorkspace(), request)).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(message) as string,
    });
  });

  it('is mapped once by a call that is delivered twice, and each put is published once', async () => {
    const context = newWorkspace();
    const redelivered = content.redelivered();
    const deliver = () => redelivered(eventMappings.replace, context, { event_id: 'e', id: 'N1', type: 'notification' as const });
    await deliver();
    await put(context, 'e', 'N2');

    await expect(deliver()).resolves.toEqual({ status: 'SUCCESS' });

    await expect(get(context, 'e')).resolves.toMatchObject({ id: 'N2' });
    await put(context, 'f', 'N3');
    await expect(listener.publishedOf(context, 3)).resolves.toEqual([
      ['event_mapping', 'e'],
      ['event_mapping', 'e'],
      ['event_mapping', 'f'],
    ]);
  });
});

describe('the list of events', () => {
  it('is empty in a new workspace', async () => {
    await expect(call(eventMappings.list, newWorkspace(), {})).resolves.toEqual({ paging: { more: false }, results: [] });
  });

  it('is paged by id, each event once', async () => {
    const context = newWorkspace();
    await content.sql(
      `insert into event_mappings (workspace_id, event_id, notification_id) select $1, 'e' || lpad(n::text, 4, '0'), 'N' || n from generate_series(1, 1500) n`,
      [context.workspaceId],
    );

    const first = await call(eventMappings.list, context, {});
    const second = await call(eventMappings.list, context, { cursor: first.paging.cursor });

    expect([first.results.length, second.results.length]).toEqual([1_000, 500]);
    expect([first.paging.more, second.paging.more]).toEqual([true, false]);
    expect(first.results[0]).toEqual({ event: 'e0001', id: 'N1', type: 'notification' });
    expect(second.results[0]).toEqual({ event: 'e1001', id: 'N1001', type: 'notification' });
    await expect(call(eventMappings.list, newWorkspace(), { cursor: first.paging.cursor })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});

describeWorkspaceIsolation('an event mapping', {
  arrange: async (owner) => void (await put(owner, 'e', 'N1')),
  read: (owner) => get(owner, 'e'),
  attempts: {
    retrieve: { attempt: (stranger) => get(stranger, 'e'), refusedWith: 'not_found' },
    list: { attempt: (stranger) => call(eventMappings.list, stranger, {}) },
    replace: { attempt: (stranger) => put(stranger, 'e', 'N9') },
  },
});
