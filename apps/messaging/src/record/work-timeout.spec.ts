import '@tidings/testing/quiet';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { WorkTimes } from '@tidings/jobs/work-times';
import { waitUntil } from '@tidings/testing/wait-until';
import { Processor } from '../deliver/processor';
import { Renderer } from '../deliver/renderer';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';

/** More than this process works on at once, of each kind. */
const MANY = 12;
/** Short, so that blocked work times out soon. Slow work may time out as well; it is retried. */
const TIMES = new WorkTimes({ leaseMs: 500, timeoutMs: 700, retryMs: 50 });

/** Blocks the first `count` calls of `method`. `blocked` counts them; `unblock` lets them continue and resolves when they have ended. */
function block(method: 'processEach' | 'processApart', count: number): { blocked: () => number; unblock: () => Promise<unknown> } {
  const late: Promise<unknown>[] = [];
  let release: () => void = () => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  const steps = Processor.prototype as unknown as Record<typeof method, (this: Processor, ...values: unknown[]) => Promise<unknown>>;
  const original = steps[method];
  jest.spyOn(steps, method).mockImplementation(function (this: Processor, ...values) {
    if (late.length === count) return original.apply(this, values);
    const done = released.then(() => original.apply(this, values));
    late.push(done);
    return done;
  });
  return {
    blocked: () => late.length,
    unblock: () => {
      release();
      return Promise.all(late);
    },
  };
}

describe('work past its timeout is claimed again and its late results change nothing, in case of', () => {
  let messaging: Messaging;

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start('', { workTimes: TIMES });
  });

  beforeEach(() => messaging.members.clear());
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => messaging.end());

  const count = async (text: string, ids: readonly string[]): Promise<number> =>
    (await messaging.rows(text, [ids.map(messageIdToUuid)])).length;
  const waitUntilProcessed = (ids: readonly string[], table: 'expansions' | 'open_messages') =>
    waitUntil(async () => (await count(`select from messaging.${table} where ${KEYS[table]} = any($1::uuid[])`, ids)) === 0, {
      what: `no rows in ${table}`,
      timeoutMs: 60_000,
    });
  const KEYS = { expansions: 'request_id', open_messages: 'message_id' };

  it('as many pages as run at once', async () => {
    messaging.members.subscribe('crew', ['ada', 'bo', 'cy']);
    const { blocked, unblock } = block('processEach', 4);
    const ids = Array.from({ length: 6 }, () => newMessageId(Date.now()));
    const targets = [{ kind: 'list' as const, listId: 'crew' }];
    await messaging.send(...ids.map((id) => ({ mode: 'test' as const, id, recipient: id, profile: {}, targets })));

    await waitUntil(() => blocked() === 4, { what: 'pages to block' });
    await waitUntilProcessed(ids, 'expansions');
    const steps = `select from messaging.history join messaging.messages on messages.id = history.message_id where request_id = any($1::uuid[])`;
    const before = await count(steps, ids);
    await unblock();

    expect(await count('select from messaging.messages where request_id = any($1::uuid[])', ids)).toBe(6 * 3);
    expect(await count(steps, ids)).toBe(before);
  });

  it('a page that found no recipients', async () => {
    messaging.members.subscribe('empty', []);
    const { blocked, unblock } = block('processEach', 1);
    const ended = jest.spyOn(Processor.prototype, 'end');
    const id = newMessageId(Date.now());
    await messaging.send({ mode: 'test', id, recipient: id, profile: {}, targets: [{ kind: 'list', listId: 'empty' }] });
    await waitUntil(() => blocked() === 1, { what: 'the page to block' });
    messaging.members.subscribe('empty', ['late']); // the next claim finds a member

    await waitUntilProcessed([id], 'expansions');
    await unblock();
    await waitUntil(() => ended.mock.results.length === 1, { what: 'the late end of the request' });
    await ended.mock.results[0]!.value;

    expect(await count('select from messaging.messages where request_id = any($1::uuid[])', [id])).toBe(1);
    expect(await count('select from messaging.messages where id = any($1::uuid[])', [id])).toBe(0);
  });

  it.each(['processEach', 'processApart'] as const)('open messages (%s)', async (method) => {
    if (method === 'processApart') jest.spyOn(Renderer.prototype, 'here').mockImplementation(() => 'too large');
    const { blocked, unblock } = block(method, 1);
    const ids = await messaging.send(...Array.from({ length: MANY }, () => ({ delay: untilMadeDue() })));
    for (const id of ids) await messaging.waitForStatus(id, 'DELAYED');
    await makeDue(messaging, ids);

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    await waitUntilProcessed(ids, 'open_messages');
    await unblock();

    expect(blocked()).toBe(1);
    const steps = await Promise.all(ids.map((id) => messaging.historyTypes(id)));
    expect(new Set(steps.map((types) => types.join(' '))).size).toBe(1);
  });
});
