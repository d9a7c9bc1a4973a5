import { randomUUID } from 'node:crypto';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { MESSAGE_STATUSES } from '@tidings/contracts/messaging/message-states';
import { type ListMessages, type MessagePage, messages } from '@tidings/contracts/messaging/messages';
import { expectIndexed } from '@tidings/testing/explain';
import { timesOf } from '@tidings/testing/campaign';
import { ensurePartitions } from '../../record/partitions';
import { FIRST_ID, LAST_ID } from '../../record/weeks';
import { MessageWriter } from '../../testing/message-writer';
import { Messaging } from '../../testing/start-messaging';
import { type StoredMessage, storeMessages } from '../../testing/stored-messages';
import { MESSAGES_PAGE_SIZE, PAGE_READS_MAX, SCAN_SETTINGS } from '../list-messages';
import { parseMessageFilter } from './message-filter';
import { valuesOf, ACCESS_PATHS } from './access-path';

const DAY_MS = 86_400_000;
const ROUNDS = timesOf({ quick: 30, full: 120 });
const SEED = Number(process.env.TIDINGS_TEST_SEED ?? Date.now() % 1_000_000);

let messaging: Messaging;
let writer: MessageWriter;

beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
  writer = await MessageWriter.open(messaging.database.urlOf('messaging'));
});
afterAll(async () => {
  await writer.close();
  await messaging.end();
});

/** All pages, with how many messages each had. */
async function pagesOf(request: ListMessages, context = messaging.context): Promise<{ ids: string[]; sizes: number[] }> {
  const ids: string[] = [];
  const sizes: number[] = [];
  let cursor: string | undefined;
  do {
    const page: MessagePage = await messaging.call(messages.list, { ...request, ...(cursor && { cursor }) }, { ...context });
    ids.push(...page.results.map(({ id }) => id));
    sizes.push(page.results.length);
    cursor = page.paging.cursor;
    expect(page.paging.more).toBe(cursor !== undefined);
  } while (cursor);
  return { ids, sizes };
}

function contextOfNew(): Messaging['context'] {
  return { ...messaging.context, workspaceId: randomUUID() };
}

describe(`any combination of filters (seed ${SEED})`, () => {
  let random = SEED;
  const below = (limit: number): number => {
    random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
    return Math.floor((random / 2 ** 32) * limit);
  };
  const pick = <Value>(values: readonly Value[]): Value => values[below(values.length)]!;
  const some = <Value>(values: readonly Value[]): Value[] => values.filter(() => below(2) === 0);
  const maybe = <Field extends object>(field: Field): Partial<Field> => (below(3) === 0 ? field : {});

  const PEOPLE = ['ada', 'grace', 'alan'];
  const EVENTS = ['shipped', 'welcome'];
  const TAGS = ['a', 'b', 'c'];
  const PROVIDERS = ['smtp', 'smtp:prv_a', 'smtp:prv_b', 'smtp:default', 'http:prv_c'];
  /** Names in filters, and the providers that each means. */
  const NAMED = new Map([
    ['smtp', PROVIDERS.filter((one) => one.startsWith('smtp'))],
    ['http', ['http:prv_c']],
    ['prv_a', ['smtp:prv_a']],
    ['second', ['smtp:prv_b']],
    ['prv_c', ['http:prv_c']],
    ['default', ['smtp:default']],
  ]);
  const OPEN = PROVIDERS.filter((one) => one.includes(':'));
  const LISTS = ['all', 'vip.all'];
  const TRACES = ['t-1', 't-2'];
  const now = Date.now();
  const REQUESTS = [newMessageId(now - 3 * DAY_MS), newMessageId(now - 40 * DAY_MS)];
  /** `open`: the providers of its routes in progress. */
  type Stored = StoredMessage & Required<Pick<StoredMessage, 'id' | 'at' | 'status' | 'archived' | 'recipient'>> & { open?: string[] };
  let stored: Stored[];
  let context: Messaging['context'];

  beforeAll(async () => {
    context = contextOfNew();
    await ensurePartitions(writer.database, now - 40 * DAY_MS);
    await messaging.rows(
      `insert into messaging.provider_configurations (workspace_id, configuration_id, provider, channel, alias, settings, secrets, position)
       values ($1, 'prv_a', 'smtp', 'email', null, '{}', '', 0), ($1, 'prv_b', 'smtp', 'email', 'second', '{}', '', 0),
              ($1, 'prv_c', 'http', 'email', null, '{}', '', 0)`,
      [context.workspaceId],
    );
    stored = Array.from({ length: 400 }, () => {
      const at = now - below(120) * DAY_MS - below(DAY_MS);
      return {
        id: newMessageId(at),
        at,
        workspace_id: context.workspaceId,
        status: pick(MESSAGE_STATUSES),
        recipient: pick(PEOPLE),
        event: pick(['', ...EVENTS]),
        notification: pick(['', ...EVENTS]),
        archived: below(5) === 0,
        ...maybe({ tags: some(TAGS) }),
        ...maybe({ trace_id: pick(TRACES) }),
        ...maybe({ list_id: pick(LISTS) }),
        ...maybe({ tenant_id: 'acme' }),
        ...maybe({ request: pick(REQUESTS) }),
        ...maybe({ providers: [pick(PROVIDERS), ...some(PROVIDERS)] }),
        ...maybe({ open: some(OPEN) }),
      };
    });
    await storeMessages(
      messaging,
      stored.map(({ open: _open, ...one }) => one),
    );
    const open = stored.flatMap(({ id, open = [] }) => open.map((name, leaf) => ({ id: messageIdToUuid(id), leaf, name })));
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, integration, attempt, attempt_open, due_at)
       select id, leaf, $1, 'email', split_part(name, ':', 1), split_part(name, ':', 2), 1, true, clock_timestamp() + interval '1 hour'
         from json_to_recordset($2) as input (id uuid, leaf smallint, name text)`,
      [context.workspaceId, JSON.stringify(open)],
    );
    // Terms must follow later changes of the message: providers, archiving.
    await messaging.rows(`update messaging.messages set archived = not archived where workspace_id = $1`, [context.workspaceId]);
    await messaging.rows(`update messaging.messages set archived = not archived where workspace_id = $1`, [context.workspaceId]);
  });

  const randomFilter = (): ListMessages => ({
    ...maybe({ archived: true }),
    ...maybe({ recipient: pick(PEOPLE) }),
    ...maybe({ event: pick(EVENTS) }),
    ...maybe({ notification: pick(EVENTS) }),
    ...maybe({ status: some(MESSAGE_STATUSES) }),
    ...maybe({ tags: some(TAGS) }),
    ...maybe({ tag: some(TAGS) }),
    ...maybe({ provider: some([...NAMED.keys()]) }),
    ...maybe({ list: pick(LISTS) }),
    ...maybe({ tenant_id: pick(['acme', 'other']) }),
    ...maybe({ traceId: pick([...TRACES, ...REQUESTS, stored[0]!.id]) }),
    ...maybe({ enqueued_after: String(now - below(120) * DAY_MS) }),
    ...(below(15) === 0 && { messageId: pick(stored).id }),
  });

  const matches = (one: Stored, request: ListMessages): boolean => {
    const tags = [...(request.tags ?? []), ...(request.tag ?? [])];
    const is = (wanted: string | undefined, has: string | undefined): boolean => wanted === undefined || wanted === has;
    const any = (wanted: readonly string[] | undefined, has: readonly string[] = []): boolean =>
      !wanted?.length || wanted.some((value) => has.includes(value));
    return (
      (request.archived === true || !one.archived) &&
      is(request.recipient, one.recipient) &&
      is(request.event, one.event) &&
      is(request.notification, one.notification) &&
      any(request.status, [one.status]) &&
      any(tags, one.tags) &&
      any(
        request.provider?.flatMap((name) => NAMED.get(name)!),
        [...(one.providers ?? []), ...(one.open ?? [])],
      ) &&
      is(request.list, one.list_id) &&
      is(request.tenant_id, one.tenant_id) &&
      is(request.messageId, one.id) &&
      any(
        request.traceId === undefined ? undefined : [request.traceId],
        [one.trace_id, one.request, one.id].filter((id) => id !== undefined),
      ) &&
      (request.enqueued_after === undefined || one.at > Number(request.enqueued_after))
    );
  };

  it('lists the messages that match all of them, newest first, each once', async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const request = randomFilter();
      const expected = stored.filter((one) => matches(one, request)).map(({ id }) => id);
      const { ids } = await pagesOf(request, context);
      expect({ request, ids }).toEqual({ request, ids: expected.sort().reverse() });
    }
  });
});

it('refuses a provider that is neither configured in the workspace nor in the catalog', async () => {
  const refused = messaging.call(messages.list, { provider: ['smtp', 'prv_a'] }, contextOfNew());
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_request',
    message: expect.stringMatching(
      /^provider must be a provider of the catalog \(smtp, http, .*\), or the id or alias of a configuration \(got "prv_a"\)$/,
    ) as string,
  });
});

describe('among many messages', () => {
  const MANY = 2 * PAGE_READS_MAX + 500;
  let context: Messaging['context'];
  let needles: string[];

  beforeAll(async () => {
    context = contextOfNew();
    // Two match, the oldest ones, after more messages than one page reads. Every condition alone matches half of all.
    needles = await storeMessages(
      messaging,
      Array.from({ length: 2 }, () => ({
        workspace_id: context.workspaceId,
        tags: ['hay', 'needle'],
        event: 'shipped',
        recipient: 'grace',
      })),
    );
    for (let inserted = 0; inserted < MANY; inserted += 2_500) {
      const some = Array.from({ length: Math.min(2_500, MANY - inserted) }, (_, n) => ({
        workspace_id: context.workspaceId,
        ...(n % 2 === 0 ? { tags: ['hay'], event: 'shipped' } : { tags: ['hay', 'vip'], recipient: 'grace', status: 'OPENED' as const }),
      }));
      await storeMessages(messaging, some);
    }
    await messaging.rows('vacuum analyze messaging.messages, messaging.message_terms');
  });

  it('ends a page early that would read too many, and finds all matches over the pages', async () => {
    const { ids, sizes } = await pagesOf({ tags: ['hay'], event: 'shipped', recipient: 'grace' }, context);
    expect(ids).toEqual([...needles].reverse());
    expect(sizes.length).toBeGreaterThan(1);
  });

  it('chooses the access path that completes: a rare condition is found at once beside common ones', async () => {
    const { ids, sizes } = await pagesOf({ status: ['DELIVERED'], event: 'shipped', tags: ['needle'] }, context);
    expect(ids).toEqual([...needles].reverse());
    expect(sizes).toEqual([2]);
  });

  it('skips archived messages', async () => {
    await messaging.rows(`update messaging.messages set archived = true where workspace_id = $1 and not tags ? 'needle'`, [
      context.workspaceId,
    ]);
    for (const request of [{}, { event: 'shipped' }, { tags: ['hay'] }, { status: ['DELIVERED' as const] }]) {
      const page = await messaging.call(messages.list, request, context);
      expect(page).toMatchObject({ paging: { more: false }, results: [...needles].reverse().map((id) => ({ id })) });
    }
    const all = await messaging.call(messages.list, { archived: true }, context);
    expect(all.results).toHaveLength(MESSAGES_PAGE_SIZE);
  });

  it.each(Object.entries(ACCESS_PATHS))('reads its indexes in their order: by %s', async (_, { statement }) => {
    const smtp = { kinds: [], configurations: ['prv_a'], keys: ['smtp'], integrations: ['prv_a'] };
    const filter = parseMessageFilter({ event: 'shipped', status: ['OPENED'], tags: ['vip'], traceId: needles[0]! }, smtp);
    await writer.database.transaction(async (tx) => {
      await tx.query(SCAN_SETTINGS);
      const values = valuesOf(context.workspaceId, filter, { from: FIRST_ID, below: LAST_ID }, PAGE_READS_MAX, MESSAGES_PAGE_SIZE + 1);
      await expectIndexed((text, given) => tx.query(text, given), statement, values);
    });
  });
});

it('shows the origin of a message', async () => {
  const request = newMessageId(Date.now() - DAY_MS);
  const [id] = await storeMessages(messaging, [{ request, list_id: 'all.customers', job_id: 'job-1', idempotency_key: 'key-1' }]);
  await messaging.rows('update messaging.messages set canceled_at = 1700000000000 where job_id is not null');
  const record = await messaging.call(messages.retrieve, { message_id: id! });
  expect(record).toMatchObject({
    id,
    listId: 'all.customers',
    listMessageId: request,
    jobId: 'job-1',
    idempotencyKey: 'key-1',
    canceledAt: 1_700_000_000_000,
  });
});
