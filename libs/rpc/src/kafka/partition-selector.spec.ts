import { PartitionSelector } from './partition-selector';

/** Just above the limits of `PartitionSelector` for a suspect partition and for an absent service. */
const SUSPECT_MS = 501;
const ABSENT_MS = 8_001;
const PARTITIONS = 4;

describe('The partitions of a service', () => {
  let selector: PartitionSelector;
  let batch: number;
  beforeEach(() => {
    selector = new PartitionSelector(PARTITIONS);
    batch = 0;
  });

  /** Partitions 0 and 1 are answered by member a, 2 and 3 by b. */
  const answerAll = (now: number): void => {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      selector.onSend(partition, now);
      selector.onAnswer(partition, partition < 2 ? 'a' : 'b', now);
    }
  };
  const chosen = (now: number, times = 2 * PARTITIONS): number[] => {
    const partitions = Array.from({ length: times }, () => selector.choose(++batch, now));
    return [...new Set(partitions)].sort();
  };

  it('are chosen round-robin, one for each batch', () => {
    expect(chosen(0)).toEqual([0, 1, 2, 3]);
    expect(selector.choose(batch, 0)).toBe(selector.choose(batch, 0));
  });

  it('are avoided with all others of their member when one stays unanswered', () => {
    answerAll(0);
    selector.onSend(0, 10);

    expect(chosen(10 + SUSPECT_MS)).toEqual([2, 3]);
    expect([2, 3]).toContain(selector.chooseForRetry(0, 10 + SUSPECT_MS));
    expect(selector.partitionsToProbe(10 + SUSPECT_MS)).toEqual([0]);
  });

  it('are used again as soon as they answer', () => {
    answerAll(0);
    selector.onSend(0, 10);
    const now = 10 + SUSPECT_MS;
    selector.onAnswer(0, 'b', now);

    expect(chosen(now)).toEqual([0, 1, 2, 3]);
  });

  it('offer no other member for a retry while the only member is slow', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      selector.onSend(partition, 0);
      selector.onAnswer(partition, 'a', 0);
    }
    selector.onSend(0, 10);
    selector.onSend(0, 20);
    selector.onAnswer(0, 'a', 400);

    expect(selector.chooseForRetry(0, 600)).toBeUndefined();
  });

  /** The broker acknowledges a request every second, without answers. */
  const sendUnanswered = (from: number, to: number): void => {
    for (let now = from; now <= to; now += 1_000) selector.onAcknowledged(now);
  };

  it('are probed one at a time while the service is absent', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) selector.onSend(partition, 0);
    sendUnanswered(0, ABSENT_MS);

    expect(selector.isAbsent(SUSPECT_MS)).toBe(false);
    expect(selector.partitionsToProbe(SUSPECT_MS)).toHaveLength(PARTITIONS);
    expect(selector.isAbsent(ABSENT_MS)).toBe(true);
    expect(selector.partitionsToProbe(ABSENT_MS)).toHaveLength(1);
  });

  it('do not count as absent without recent requests', () => {
    for (let partition = 0; partition < PARTITIONS; partition++) selector.onSend(partition, 0);
    sendUnanswered(0, 3_000);
    const later = 45_000;

    expect(selector.isAbsent(later)).toBe(false);
    sendUnanswered(later, later + 1_000);
    expect(selector.isAbsent(later + 1_000)).toBe(false);
    sendUnanswered(later + 2_000, later + ABSENT_MS);
    expect(selector.isAbsent(later + ABSENT_MS)).toBe(true);
  });

  it('do not count as absent while the broker acknowledges nothing', () => {
    answerAll(0);
    for (let now = 10; now < 2 * ABSENT_MS; now += 100) selector.onSend(now % PARTITIONS, now);

    expect(selector.isAbsent(2 * ABSENT_MS)).toBe(false);
  });
});
