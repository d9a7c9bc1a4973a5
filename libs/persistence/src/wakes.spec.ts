import { waitUntil } from '@tidings/testing/wait-until';
import { type Member, type Service, startService } from './outbox.fixture';
import { SHARDS } from './shards';

const QUEUE = 'messaging.rows';

describe('wakes', () => {
  let service: Service;
  let process: Member;
  let other: Member;

  beforeEach(async () => {
    service = await startService();
    [process, other] = [await service.member(), await service.member()];
    const relays = [process.relay(), other.relay()];
    // One after the other: relays that start at once may each own some.
    relays[0]!.start();
    await waitUntil(() => relays[0]!.shards.length === SHARDS, { what: 'a relay that owns every shard' });
    relays[1]!.start();
  });
  afterEach(() => service.stop());

  /** Counts the wakes of a queue in a process. */
  const count = ({ database: { wakes } }: Member, queue = QUEUE): { wakes: number; end: () => void } => {
    const counted = { wakes: 0, end: wakes.listen(queue, () => void (counted.wakes += 1)) };
    return counted;
  };
  /** Wakes `target` until it has noticed: its relay may still connect. Earlier wakes of the channel have then arrived too. */
  const settle = async (from: Member, target: Member): Promise<void> => {
    const settled = count(target, 'messaging.settled');
    await waitUntil(async () => (await from.database.wakes.leave('messaging.settled'), settled.wakes > 0), { what: 'a wake' });
    settled.end();
  };

  it('reach the pollers of the queue in other processes, and many share one', async () => {
    await settle(process, other);
    const [own, here, there] = [count(process), count(other, 'messaging.others'), count(other)];

    for (let row = 0; row < 100; row += 1) process.database.wakes.wakeOthers(QUEUE);
    await waitUntil(() => there.wakes > 0, { what: 'the wake of another process' });
    await settle(process, other);

    expect([own.wakes, here.wakes, there.wakes]).toEqual([0, 0, 1]);
  });

  it('are not sent for a queue without pollers, but for one that stops', async () => {
    await settle(process, other);
    const there = count(other);
    const query = jest.spyOn(process.database, 'query');

    process.database.wakes.wakeOthers(QUEUE);
    expect(there.wakes).toBe(0);
    await process.database.wakes.leave(QUEUE);

    expect(query).toHaveBeenCalledTimes(1);
    await waitUntil(() => there.wakes === 1, { what: 'the wake of a process that stops' });
  });

  it('end with their listener, and are lost without an error while the database is unavailable', async () => {
    await settle(process, other);
    const there = count(other);
    there.end();
    jest.spyOn(process.database, 'query').mockRejectedValueOnce(new Error('unavailable'));
    await expect(process.database.wakes.leave(QUEUE)).resolves.toBeUndefined();
    jest.spyOn(process.database, 'query').mockReturnValueOnce(new Promise(() => undefined)); // frozen
    await expect(process.database.wakes.leave(QUEUE)).resolves.toBeUndefined();
    await process.database.wakes.leave(QUEUE);
    await settle(process, other);

    expect(there.wakes).toBe(0);
  });
});
