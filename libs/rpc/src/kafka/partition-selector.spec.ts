import { PartitionSelector } from './partition-selector';

/** Of `MemberRoutes`: a partition without an answer is passed over, a service without one is absent. */
const SUSPECT_MS = 501;
const ABSENT_MS = 8_001;
const PARTITIONS = 4;

describe('The partitions of a service', () => {
  let routes: PartitionSelector;
  let turn: number;
  beforeEach(() => {
    routes = new PartitionSelector(PARTITIONS);
    turn = 0;
  });

  /** Partitions 0 and 1 are answered by a, 2 and 3 by b. */
  const meetMembers = (now: number): void => {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      routes.asked(partition, now);
      routes.answered(partition, partition < 2 ? 'a' : 'b', now);
    }
  };
  const chosen = (now: number, times = 2 * PARTITIONS): number[] => {
    const partitions = Array.from({ length: times }, () => routes.choose(++turn, now));
    return [...new Set(partitions)].sort();
  };

  it('are asked in turns, all of a batch at one', () => {
    expect(chosen(0)).toEqual([0, 1, 2, 3]);
    expect(routes.choose(turn, 0)).toBe(routes.choose(turn, 0));
  });

  it('are passed over with all others of their member when it leaves one without an answer', () => {
    meetMembers(0);
    routes.asked(0, 10);

    expect(chosen(10 + SUSPECT_MS)).toEqual([2, 3]);
    expect([2, 3]).toContain(routes.elsewhere(0, 10 + SUSPECT_MS));
    expect(routes.toProbe(10 + SUSPECT_MS)).toEqual([0]);
  });

  it('are asked again as soon as they answer', () => {
    meetMembers(0);
    routes.asked(0, 10);
    const now = 10 + SUSPECT_MS;
    routes.answered(0, 'b', now);

    expect(chosen(now)).toEqual([0, 1, 2, 3]);
  });

  it('are asked a second time of nobody where there is one member, and it is only slow', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      routes.asked(partition, 0);
      routes.answered(partition, 'a', 0);
    }
    routes.asked(0, 10);
    routes.asked(0, 20);
    routes.answered(0, 'a', 400);

    expect(routes.elsewhere(0, 600)).toBeUndefined();
  });

  /** The broker takes asks, one every second, and nobody answers. */
  const askInVain = (from: number, to: number): void => {
    for (let now = from; now <= to; now += 1_000) routes.taken(now);
  };

  it('are all silent when the service is absent: one of them is probed', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) routes.asked(partition, 0);
    askInVain(0, ABSENT_MS);

    expect(routes.absent(SUSPECT_MS)).toBe(false);
    expect(routes.toProbe(SUSPECT_MS)).toHaveLength(PARTITIONS);
    expect(routes.absent(ABSENT_MS)).toBe(true);
    expect(routes.toProbe(ABSENT_MS)).toHaveLength(1);
  });

  it('are not those of an absent service when it was not asked again: whoever asks next learns how it is', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) routes.asked(partition, 0);
    askInVain(0, 3_000);
    const later = 45_000;

    expect(routes.absent(later)).toBe(false);
    askInVain(later, later + 1_000);
    expect(routes.absent(later + 1_000)).toBe(false);
    askInVain(later + 2_000, later + ABSENT_MS);
    expect(routes.absent(later + ABSENT_MS)).toBe(true);
  });

  it('are not those of an absent service while the broker takes nothing', () => {
    meetMembers(0);
    for (let now = 10; now < 2 * ABSENT_MS; now += 100) routes.asked(now % PARTITIONS, now);

    expect(routes.absent(2 * ABSENT_MS)).toBe(false);
  });
});
