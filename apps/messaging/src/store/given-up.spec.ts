import '@tidings/testing/quiet';
import { messageIdToUuid, newMessageId } from '@tidings/contracts/messaging/message-id';
import { waitUntil } from '@tidings/testing/wait-until';
import { Processor } from '../routing/processor';
import { Renderer } from '../routing/renderer';
import { makeDue, untilMadeDue } from '../testing/make-due';
import { Messaging } from '../testing/start-messaging';
import { WorkTimes } from './work-times';

/** More than this process works on at once, of each kind. */
const MANY = 12;
/** What hangs is given up soon, and so may be what only takes long: it is begun again. */
const TIMES = new WorkTimes({ leaseMs: 500, timeoutMs: 700, retryMs: 50 });

/** Lets the first `count` calls of `method` hang; they go on when the function that comes back is called, which resolves when they are over. */
function hang(method: 'processEach' | 'processApart', count: number): { hanging: () => number; goOn: () => Promise<unknown> } {
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
    hanging: () => late.length,
    goOn: () => {
      release();
      return Promise.all(late);
    },
  };
}

describe('work that hangs is given up, and what comes of it late counts no more', () => {
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
  const over = (ids: readonly string[], table: 'expansions' | 'open_messages') =>
    waitUntil(async () => (await count(`select from messaging.${table} where ${KEYS[table]} = any($1::uuid[])`, ids)) === 0, {
      what: `nothing of it to be left in ${table}`,
      timeoutMs: 60_000,
    });
  const KEYS = { expansions: 'request_id', open_messages: 'message_id' };

  it('pages of sends to many, as many as there are places for', async () => {
    messaging.members.subscribe('crew', ['ada', 'bo', 'cy']);
    const { hanging, goOn } = hang('processEach', 4);
    const ids = Array.from({ length: 6 }, () => newMessageId(Date.now()));
    const targets = [{ kind: 'list' as const, listId: 'crew' }];
    await messaging.send(...ids.map((id) => ({ mode: 'test' as const, id, recipient: id, profile: {}, targets })));

    await waitUntil(() => hanging() === 4, { what: 'pages to hang' });
    await over(ids, 'expansions');
    const steps = `select from messaging.history join messaging.messages on messages.id = history.message_id where request_id = any($1::uuid[])`;
    const before = await count(steps, ids);
    await goOn();

    expect(await count('select from messaging.messages where request_id = any($1::uuid[])', ids)).toBe(6 * 3);
    expect(await count(steps, ids)).toBe(before);
  });

  it('a page that says late that nobody was there', async () => {
    messaging.members.subscribe('empty', []);
    const { hanging, goOn } = hang('processEach', 1);
    const ended = jest.spyOn(Processor.prototype, 'end');
    const id = newMessageId(Date.now());
    await messaging.send({ mode: 'test', id, recipient: id, profile: {}, targets: [{ kind: 'list', listId: 'empty' }] });
    await waitUntil(() => hanging() === 1, { what: 'the page to hang' });
    messaging.members.subscribe('empty', ['late']); // whoever takes it up finds somebody

    await over([id], 'expansions');
    await goOn();
    await waitUntil(() => ended.mock.results.length === 1, { what: 'the page to say so' });
    await ended.mock.results[0]!.value;

    expect(await count('select from messaging.messages where request_id = any($1::uuid[])', [id])).toBe(1);
    expect(await count('select from messaging.messages where id = any($1::uuid[])', [id])).toBe(0);
  });

  it.each(['processEach', 'processApart'] as const)('open messages that are taken on (%s)', async (method) => {
    if (method === 'processApart') jest.spyOn(Renderer.prototype, 'here').mockImplementation(() => 'too large');
    const { hanging, goOn } = hang(method, 1);
    const ids = await messaging.send(...Array.from({ length: MANY }, () => ({ delay: untilMadeDue() })));
    for (const id of ids) await messaging.waitForStatus(id, 'DELAYED');
    await makeDue(messaging, ids);

    for (const id of ids) await messaging.waitForStatus(id, 'DELIVERED');
    await over(ids, 'open_messages');
    await goOn();

    expect(hanging()).toBe(1);
    const steps = await Promise.all(ids.map((id) => messaging.historyTypes(id)));
    expect(new Set(steps.map((types) => types.join(' '))).size).toBe(1);
  });
});
