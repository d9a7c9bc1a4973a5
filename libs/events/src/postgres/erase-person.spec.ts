import { audienceHappened } from '@tidings/contracts/audience/events';
import { profileChanged } from '@tidings/contracts/identity/events';
import { messageRequested } from '@tidings/contracts/messaging/events';
import type { LogErasure, NewEvent } from '../event-log';
import { Notes } from '../spec-events.fixture';
import { waitUntil } from '@tidings/testing/wait-until';
import type { PostgresEventLog } from './postgres-event-log';
import { PostgresUnderTest } from './postgres-under-test.fixture';

const W = '01890a5d-ac96-774b-bcce-b302099a8057';

describe('Erasing a user from the log in PostgreSQL', () => {
  let under: PostgresUnderTest;
  let log: PostgresEventLog;

  beforeAll(async () => {
    under = await PostgresUnderTest.start();
  });
  beforeEach(async () => {
    await under.rows('DELETE FROM events.records');
    await under.rows('DELETE FROM events.groups');
    log = await under.open();
  });
  afterEach(() => under.closeLogs());
  afterAll(() => under.close());

  const storedIds = async (): Promise<string[]> =>
    (await under.rows<{ id: string }>('SELECT id FROM events.records ORDER BY id')).map(({ id }) => id);
  /** All steps; resolves with their sums. */
  const erase = async (userId = 'ada'): Promise<LogErasure> => {
    let [removed, after]: [number, string | undefined] = [0, undefined];
    const remaining: LogErasure['remaining'][number][] = [];
    do {
      const step: LogErasure = await log.erase({ workspaceId: W, userId, after });
      removed += step.removed;
      remaining.push(...step.remaining);
      after = step.next;
    } while (after !== undefined);
    return { removed, remaining };
  };
  const event = (id: string, key: string, payload: object | null): NewEvent<never> => ({
    id,
    key: `${W}:${key}`,
    payload: payload as never,
  });

  it('removes what names the user, and nothing of others', async () => {
    await log.append(messageRequested, [
      event('by key', 'ada', { data: {} }),
      event('by value', 'list', { targets: [{ recipient: 'ada' }, { recipient: 'bob' }] }),
      event('field of that name', 'bob', { data: { ada: 1 } }),
      event('part of a text', 'bob', { data: { text: 'to "ada", who' } }),
      { id: 'other workspace', key: 'w:ada', payload: { recipient: 'ada' } as never },
    ]);
    await log.append(audienceHappened, [event('left', 'staff', { userId: 'ada', type: 'x' })]);

    expect(await erase()).toEqual({ removed: 3, remaining: [] });

    expect(await storedIds()).toEqual(['field of that name', 'other workspace', 'part of a text']);
    expect(await erase()).toEqual({ removed: 0, remaining: [] });
  });

  it('leaves the tombstone of a compacted topic, and says until when', async () => {
    await log.append(profileChanged, [
      event('first', 'ada', { profile: { email: 'ada@example.com' } }),
      event('tombstone', 'ada', null),
      event('of bob', 'bob', { profile: { manager: 'ada' } }),
    ]);

    const { removed, remaining } = await erase();

    expect([removed, await storedIds()]).toEqual([1, ['of bob', 'tombstone']]);
    expect(remaining).toEqual([{ topic: profileChanged.topic, count: 1, until: expect.any(Number) as number }]);
    expect(remaining[0]!.until).toBeGreaterThan(Date.now() + 86_400_000);
  });

  it('removes the records of subjects that are about an erased person', async () => {
    await log.append(audienceHappened, [event('erased', 'm1', { type: 'x' }), event('other', 'm2', { type: 'x' })]);
    await log.append(messageRequested, [event('another topic', 'm1', {})]);
    const erasedAmong = (topic: string, subjects: readonly string[]) =>
      Promise.resolve(topic === audienceHappened.topic ? subjects.filter((subject) => subject === 'm1') : []);

    expect(await log.erase({ workspaceId: W, userId: 'ada', erasedAmong })).toMatchObject({ removed: 1 });

    expect(await storedIds()).toEqual(['another topic', 'other']);
  });

  it('leaves what a group has not handled, and names it', async () => {
    const notes = new Notes();
    const subscription = await log.consume(messageRequested, { group: 'g' }, notes.note as never);
    await log.append(messageRequested, [event('handled', 'ada', {})]);
    await waitUntil(() => notes.records.length === 1);
    await subscription.stop();
    await log.append(messageRequested, [event('waiting', 'ada', {})]);

    const { removed, remaining } = await erase();

    expect([removed, await storedIds()]).toEqual([1, ['waiting']]);
    expect(remaining).toMatchObject([
      { topic: messageRequested.topic, count: 1, reason: expect.stringContaining('not handled') as string },
    ]);
  });

  it('removes dead letters of the user', async () => {
    await log.consume(messageRequested, { group: 'g' }, () => Promise.reject(new Error('bad')));
    await log.append(messageRequested, [event('bad', 'list', { targets: [{ recipient: 'ada' }] })]);
    await waitUntil(async () => (await log.deadLetters.page(messageRequested)).length === 1, { what: 'the dead letter' });

    expect(await erase()).toEqual({ removed: 2, remaining: [] });

    expect(await log.deadLetters.page(messageRequested)).toEqual([]);
  });

  it('goes through more records than one page has', async () => {
    const many = Array.from({ length: 4_500 }, (_, index) => event(`e${index}`, index % 2 ? 'ada' : 'bob', {}));
    for (let from = 0; from < many.length; from += 500) await log.append(messageRequested, many.slice(from, from + 500));

    expect(await erase()).toEqual({ removed: 2_250, remaining: [] });
  });
});
