import { Backlog, ReadBatch } from './backlog';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { Lane } from '@tidings/contracts/messaging/targets';

const GIVEN = { isFirst: true, aloneSinceMs: 0 };
/** More than the requests of a burst. */
const MANY = 500;
const BATCH = 50;
/** How long a look-up waits. */
const LOOK_UP_MS = 2_000;

let backlog: Backlog;
let ids = 0;
beforeEach(() => {
  backlog = new Backlog();
});

function request(workspaceId: string, lane?: Lane, id = `id ${(ids += 1)}`): MessageRequested {
  return { workspaceId, id, lane } as unknown as MessageRequested;
}

function add(requests: readonly MessageRequested[], revoked = new AbortController().signal): ReadBatch {
  const batch = new ReadBatch(GIVEN, requests.length, revoked);
  backlog.add(requests, requests.length, Date.now(), batch);
  return batch;
}

const hurry = (id: string, parks = false, workspaceId = 'a'): void => backlog.hurry({ workspaceId, id, waitMs: LOOK_UP_MS, parks });
const many = (workspaceId: string, lane?: Lane): MessageRequested[] => Array.from({ length: MANY }, () => request(workspaceId, lane));
const next = (max = BATCH, isBurst = false): MessageRequested[] => backlog.next(max, isBurst).map((waiting) => waiting.request);
const ownersOf = (requests: readonly MessageRequested[]): string[] => [...new Set(requests.map(({ workspaceId }) => workspaceId))].sort();

describe('waiting requests', () => {
  it('are processed in the order in which they came', () => {
    const requests = many('a');
    add(requests);

    expect(next()).toEqual(requests.slice(0, BATCH));
    expect(next()).toEqual(requests.slice(BATCH, 2 * BATCH));
  });

  it('of an urgent lane come before all others', () => {
    add([...many('a', 'bulk'), ...many('a', 'normal')]);
    const urgent = request('a', 'critical');
    add([urgent]);

    const chosen = next();

    expect(chosen[0]).toBe(urgent);
    expect(new Set(chosen.slice(1).map(({ lane }) => lane))).toEqual(new Set(['normal']));
  });

  it('of several workspaces are processed in equal shares; what one does not use is left to the others', () => {
    add(many('a'));
    add([...many('b').slice(0, BATCH / 2 - 10)]);

    const chosen = next();

    expect(chosen).toHaveLength(BATCH);
    expect(chosen.filter(({ workspaceId }) => workspaceId === 'b')).toHaveLength(BATCH / 2 - 10);
  });

  it('that a client reads are next', () => {
    const requests = many('a');
    add(requests);
    const last = requests.at(-1)!;

    hurry(last.id);

    expect(next(1)).toEqual([last]);
    expect(next(MANY)).not.toContain(last);
  });

  it('that a client reads before they were read are next when they are, and are read ahead', () => {
    add([...many('a'), ...many('a')]);
    const wanted = request('a');
    expect(backlog.hasSpace(false)).toBe(false);

    hurry(wanted.id);
    expect(backlog.hasSpace(false)).toBe(true);
    add([...many('a'), wanted]);

    expect(backlog.hasSpace(false)).toBe(false);
    expect(next(1)).toEqual([wanted]);
  });

  it('of a request to several are all next when a client looks up the request, also before they were read', () => {
    const of = (requestId: string): MessageRequested[] => [request('a'), request('a')].map((one) => ({ ...one, requestId }));
    const [first, second] = [of('first'), of('second')];
    add([...many('a'), ...first]);

    hurry('first');
    hurry('second');
    add([...many('a'), ...second]);

    expect(next(1)).toEqual([...first, ...second]);
  });

  it('that a client cancels are parked, not those of another workspace', () => {
    add(['own', 'read', 'foreign'].map((id) => request('a', 'normal', id)));

    hurry('own', true);
    hurry('read');
    hurry('foreign', true, 'b');

    const chosen = backlog.next(BATCH, false).map(({ request: { id }, isParked }) => [id, isParked]);
    expect(chosen).toEqual([
      ['own', true],
      ['read', false],
      ['foreign', false],
    ]);
  });

  it('of a request to several are known to be stored once all are', async () => {
    add(['one', 'other'].map((id) => ({ ...request('a', 'normal', id), requestId: 'both' })));
    const [one, other] = backlog.next(BATCH, false);

    const stored = Promise.resolve();
    backlog.endWith(one!, undefined);
    expect(backlog.hasStored('both')).toBe(false);
    backlog.endWith(other!, stored);
    expect(backlog.hasStored('both')).toBe(false);
    await stored;
    expect(backlog.hasStored('both')).toBe(true);
  });

  it('of a request to several are not known to be stored where one is delivered again', () => {
    const batch = add(['one', 'other'].map((id) => ({ ...request('a', 'normal', id), requestId: 'both' })));
    batch.settled.catch(() => undefined);
    const [one, other] = backlog.next(BATCH, false);

    backlog.fail(one!, new Error('no database'));
    backlog.endWith(other!, undefined);

    expect(backlog.hasStored('both')).toBe(false);
  });

  it('are not read ahead for a look-up that has ended', () => {
    add([...many('a'), ...many('a')]);
    hurry('unknown');
    const now = performance.now();
    jest.spyOn(performance, 'now').mockReturnValue(now + LOOK_UP_MS + 1);

    expect(backlog.hasSpace(false)).toBe(false);
    jest.restoreAllMocks();
  });

  it('are processed once where the log has them twice, and both batches end', async () => {
    const [first, second] = [add([request('a', 'normal', 'twice')]), add([request('a', 'normal', 'twice')])];

    const [waiting, ...others] = backlog.next(BATCH, false);
    for (const batch of waiting!.batches) batch.endWith(undefined);

    expect(others).toEqual([]);
    await expect(Promise.all([first.settled, second.settled])).resolves.toHaveLength(2);
  });
});

it('processes a request that came again after the first was hurried', async () => {
  add([request('a', 'normal', 'again')]);
  hurry('again');
  expect(next()).toHaveLength(1);
  const batch = add([request('a', 'normal', 'again')]);

  const [waiting, ...others] = backlog.next(BATCH, false);
  for (const one of waiting!.batches) one.endWith(undefined);

  expect([others, backlog.size]).toEqual([[], 0]);
  await batch.settled;
});

describe('while clients send a burst', () => {
  it('its requests wait; those of others, urgent ones and those that are read do not', () => {
    const burst = many('a');
    add(burst);
    const [urgent, other] = [request('a', 'critical'), request('b')];
    add([urgent, other]);
    hurry(burst[7]!.id);

    expect(next(BATCH, true)).toEqual([burst[7], urgent, other]);
    expect(next(BATCH, true)).toEqual([]);
    expect(next(BATCH, false)).toHaveLength(BATCH);
  });

  it('they wait at most five seconds', () => {
    add(many('a'));
    const now = Date.now();
    jest.spyOn(Date, 'now').mockReturnValue(now + 5_001);

    const chosen = next(BATCH, true);
    jest.restoreAllMocks();

    expect(chosen).toHaveLength(BATCH);
  });

  it('nothing waits once the backlog is full', () => {
    while (backlog.hasSpace(true)) add(many('a'));

    expect(backlog.size).toBe(25_000);
    expect(next(BATCH, true)).toHaveLength(BATCH);
    expect(backlog.hasSpace(true)).toBe(true);
  });

  it('few of a single sender are read ahead, many where several send', () => {
    add([...many('a'), ...many('a')]);

    expect([backlog.hasSpace(false), backlog.hasSpace(true)]).toEqual([false, true]);
  });
});

describe('a batch', () => {
  it('is settled when all its requests are stored', async () => {
    const batch = add([request('a'), request('a')]);
    let isSettled = false;
    void batch.settled.then(() => (isSettled = true));
    let store!: () => void;
    const stored = new Promise<void>((resolve) => (store = resolve));

    const [one, another] = backlog.next(BATCH, false);
    one!.batches[0]!.endWith(undefined);
    another!.batches[0]!.endWith(stored);
    await new Promise(setImmediate);
    expect(isSettled).toBe(false);
    store();

    await batch.settled;
  });

  it('that failed, or belongs to another member, is not processed', async () => {
    const requests = many('a');
    const failed = add(requests);
    const lost = new AbortController();
    add(many('b'), lost.signal);
    const others = many('c');
    add(others);

    const [first] = backlog.next(1, false);
    first!.batches[0]!.fail(new Error('It cannot be stored'));
    lost.abort();

    expect(ownersOf(next(3 * MANY))).toEqual(['c']);
    await expect(failed.settled).rejects.toThrow('It cannot be stored');
    expect(backlog.size).toBe(0);
  });

  it('may fail before it is awaited', async () => {
    const unhandled = jest.fn();
    process.on('unhandledRejection', unhandled);

    add([request('a')]).fail(new Error('The database is unavailable'));
    await new Promise(setImmediate);
    process.off('unhandledRejection', unhandled);

    expect(unhandled).not.toHaveBeenCalled();
  });

  it('fails when the backlog is cleared', async () => {
    const batch = add(many('a'));

    backlog.clear(new Error('The router has stopped'));

    await expect(batch.settled).rejects.toThrow('The router has stopped');
    expect([backlog.size, next()]).toEqual([0, []]);
  });
});
