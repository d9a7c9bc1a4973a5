import { audienceDeadLetters } from '@tidings/contracts/audience/dead-letters';
import type { DeadLetterOperations } from '@tidings/contracts/core/dead-letter-operations';
import type {
  DeadLetterInRange,
  DeadLetterRangeOf,
  DeadLetterSummary,
  NamedDeadLetters,
  PutBackRecords,
  RedrivenRecords,
} from '@tidings/contracts/core/dead-letters';
import { ServiceError } from '@tidings/contracts/core/errors';
import { auditRecorded } from '@tidings/contracts/identity/audit-events';
import { identityDeadLetters } from '@tidings/contracts/identity/dead-letters';
import { profileChanged } from '@tidings/contracts/identity/events';
import { messagingDeadLetters } from '@tidings/contracts/messaging/dead-letters';
import { messageRequested } from '@tidings/contracts/messaging/events';
import { encodeOriginal } from '@tidings/events/original-record';
import type { TestGateway } from '../testing/start-test-gateway';
import { runAgainst, startGatewayOfShop } from './command/run-command.fixture';

const { topic: PROFILES } = profileChanged;
const { topic: REQUESTS } = messageRequested;
const { topic: AUDIT } = auditRecorded;
const READERS: readonly DeadLetterOperations[] = [identityDeadLetters, audienceDeadLetters, messagingDeadLetters];

/** The dead letters of all services, by topic; the number of one is its cursor. */
let waiting: Map<string, number[]>;
/** Of these the bytes are not stored. */
let withoutBytes: Set<string>;
/** Records that services appended. */
let putBack: { by: string; topic: string; count: number }[];
let gateway: TestGateway;

beforeAll(async () => void (gateway = await startGatewayOfShop()));
afterAll(() => gateway.stop());
beforeEach(() => {
  waiting = new Map();
  withoutBytes = new Set();
  putBack = [];
  gateway.events.putBack.length = 0;
  for (const operations of READERS) {
    gateway.client.answer(operations.range, (_context, { topic, after = '0', up_to, limit = 100 }: DeadLetterRangeOf) => {
      const all = waiting.get(topic) ?? [];
      const last = all.at(-1);
      const within = all.filter((one) => one > Number(after) && one <= Number(up_to ?? last));
      return { results: within.slice(0, limit).map((one) => letterOf(topic, one)), ...(last !== undefined && { last: String(last) }) };
    });
    gateway.client.answer(operations.redrive, (_context, { ids }: NamedDeadLetters): RedrivenRecords => {
      const { found, missing } = split(ids.slice(0, 60));
      const records = found.map((id) => ({
        id,
        ...(!withoutBytes.has(id) && { record: encodeOriginal({ id, key: 'k', payload: '{}' }) }),
      }));
      return { records, missing, covered: records.length + missing.length };
    });
    gateway.client.answer(operations.remove, (_context, { ids }: NamedDeadLetters) => remove(ids));
    gateway.client.answer(operations.discard, (_context, { ids }: NamedDeadLetters) => {
      const { found, missing } = split(ids);
      remove(found);
      return { missing };
    });
    gateway.client.answer(operations.putBack, (_context, { topic, records }: PutBackRecords) => {
      putBack.push({ by: operations.putBack.service, topic, count: records.length });
    });
  }
});

const idOf = (topic: string, number: number): string => `${topic}:${number}`;
const letterOf = (topic: string, number: number): DeadLetterInRange => ({
  id: idOf(topic, number),
  topic,
  partition: 3,
  offset: String(number),
  group: 'g',
  error: 'bad',
  time: '2026-11-29T10:00:00.000Z',
  count: 2,
  cursor: String(number),
});
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

function split(ids: readonly string[]): { found: string[]; missing: string[] } {
  const all = new Set([...waiting].flatMap(([topic, found]) => found.map((one) => idOf(topic, one))));
  return { found: ids.filter((id) => all.has(id)), missing: ids.filter((id) => !all.has(id)) };
}

function remove(ids: readonly string[]): void {
  for (const [topic, found] of waiting)
    waiting.set(
      topic,
      found.filter((one) => !ids.includes(idOf(topic, one))),
    );
}

const tidings = (...args: string[]): ReturnType<typeof runAgainst> => runAgainst(gateway, ['dead-letters', ...args]);
const listed = async (...args: string[]): Promise<DeadLetterSummary[]> =>
  JSON.parse((await tidings('list', '--json', ...args)).out) as DeadLetterSummary[];

it('are listed over the pages and topics of all services', async () => {
  waiting = new Map([
    [AUDIT, numbers(1)],
    [PROFILES, numbers(250)],
    [REQUESTS, numbers(100)],
  ]);

  const all = await listed();

  expect(all.map(({ id }) => id).sort()).toEqual([...waiting].flatMap(([topic, found]) => found.map((one) => idOf(topic, one))).sort());
  expect(Object.keys(all[0]!)).toEqual(expect.arrayContaining(['id', 'topic', 'error', 'time']));
  expect(all[0]).not.toHaveProperty('cursor');
  expect(await listed('--topic', REQUESTS)).toHaveLength(100);
  const text = (await tidings('list', '--topic', AUDIT)).out.split('\n')[1]!.replaceAll(/ +/g, ' ');
  expect(text).toBe(`${AUDIT}:1 2026-11-29T10:00:00.000Z 3/1 2 bad`);
});

it('of an unknown topic are not found', async () => {
  expect(await tidings('list', '--topic', 'tidings.unknown.v1')).toMatchObject({
    code: 1,
    err: expect.stringContaining(PROFILES) as string,
  });
  expect(await tidings('redrive', 'unknown')).toMatchObject({ code: 1, err: expect.stringContaining('unknown') as string });
});

it('are put back by a service that writes the topic, or by the gateway itself, and are removed afterwards', async () => {
  waiting = new Map([
    [PROFILES, numbers(2)],
    [REQUESTS, numbers(1)],
  ]);

  expect(await tidings('redrive', idOf(PROFILES, 1))).toMatchObject({ code: 0 });
  expect(await tidings('redrive', idOf(REQUESTS, 1))).toMatchObject({ code: 0 });

  expect(putBack).toEqual([{ by: 'identity', topic: PROFILES, count: 1 }]);
  expect(gateway.events.putBack).toEqual([{ topic: REQUESTS, record: { id: idOf(REQUESTS, 1), key: 'k', payload: '{}' } }]);
  expect(waiting).toEqual(
    new Map([
      [PROFILES, [2]],
      [REQUESTS, []],
    ]),
  );
  expect(gateway.client.callsOf(audienceDeadLetters.redrive).at(-1)!.context.actor).toEqual({ type: 'operator', id: 'admin' });
});

it('stay when the log does not accept their records', async () => {
  waiting = new Map([[REQUESTS, numbers(1)]]);
  gateway.events.failure = new ServiceError('unavailable', 'The log is unavailable');

  const { code } = await tidings('redrive', idOf(REQUESTS, 1));
  gateway.events.failure = undefined;

  expect([code, waiting.get(REQUESTS)]).toEqual([1, [1]]);
});

it.each(['redrive', 'discard'])('that are missing make %s an error', async (treatment) => {
  waiting = new Map([[PROFILES, numbers(1)]]);

  expect(await tidings(treatment, idOf(PROFILES, 1))).toMatchObject({ code: 0 });
  expect(await tidings(treatment, idOf(PROFILES, 1))).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('redriven or discarded') as string,
  });
});

it('without bytes are refused, and left by a command for all', async () => {
  waiting = new Map([[PROFILES, numbers(3)]]);
  withoutBytes.add(idOf(PROFILES, 2));

  expect(await tidings('redrive', idOf(PROFILES, 2))).toMatchObject({ code: 1, err: expect.stringContaining('too large') as string });
  const all = await tidings('redrive', '--all', '--json');

  expect(JSON.parse(all.out)).toMatchObject({ redriven: 2, left: [{ id: idOf(PROFILES, 2) }] });
  expect(waiting.get(PROFILES)).toEqual([2]);
});

it('that wait are all redriven, those that come back meanwhile are not', async () => {
  waiting = new Map([
    [AUDIT, numbers(5)],
    [PROFILES, numbers(250)],
  ]);
  gateway.client.answer(identityDeadLetters.putBack, (_context, { topic, records }: PutBackRecords) => {
    putBack.push({ by: 'identity', topic, count: records.length });
    const all = waiting.get(topic)!;
    waiting.set(topic, [...all, ...records.map((_, index) => all.at(-1)! + 1 + index)]);
  });

  const { code, out, err } = await tidings('redrive', '--all', '--topic', PROFILES);

  expect([code, out]).toEqual([0, '250 redriven\n']);
  expect(err.split('\n').filter(Boolean)).toEqual(['100 redriven', '200 redriven']);
  expect(putBack.reduce((sum, { count }) => sum + count, 0)).toBe(250);
  expect(waiting.get(PROFILES)!.every((one) => one > 250)).toBe(true);
  expect(waiting.get(AUDIT)).toHaveLength(5);
});

it('are discarded all', async () => {
  waiting = new Map([
    [AUDIT, numbers(5)],
    [PROFILES, numbers(101)],
  ]);

  expect(await tidings('discard', '--all')).toMatchObject({ code: 0, out: '106 discarded\n' });
  expect(await listed()).toEqual([]);
  expect(putBack).toEqual([]);
});

it.each([[[]], [['--all', 'ID']], [['ID', '--topic', PROFILES]]])('are not treated without knowing which: %j', async (args) => {
  expect(await tidings('discard', ...args)).toMatchObject({ code: 1, err: expect.stringContaining('--all') as string });
});
