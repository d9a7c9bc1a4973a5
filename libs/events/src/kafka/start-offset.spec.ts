import { startOf } from './start-offset';

const offsetOf = (start: Partial<Parameters<typeof startOf>[0]>) => startOf({ low: 10n, high: 100n, ...start }).offset;

describe('The start in a partition', () => {
  it('is the committed offset, or the earliest record, where no position is stored', () => {
    expect(offsetOf({})).toBe(10n);
    expect(offsetOf({ committed: 40n })).toBe(40n);
    expect([offsetOf({ committed: 9n }), offsetOf({ committed: 101n })]).toEqual([10n, 10n]);
  });

  it('is the stored position where the database is behind Kafka, with a warning', () => {
    const start = startOf({ low: 10n, high: 100n, committed: 90n, stored: 40n });

    expect(start).toEqual({ offset: 40n, warning: expect.stringContaining('50 records behind the offset 90') as string });
  });

  it('is the committed offset where Kafka is behind the database', () => {
    expect(startOf({ low: 10n, high: 100n, committed: 40n, stored: 90n })).toEqual({ offset: 40n });
  });

  it('is the stored position where Kafka has no offset of the group, or one outside the topic', () => {
    expect(offsetOf({ stored: 40n })).toBe(40n);
    expect(offsetOf({ stored: 40n, committed: 101n })).toBe(40n);
    expect(offsetOf({ stored: 40n, committed: 9n })).toBe(40n);
  });

  it('is the earliest record of a topic that was created anew, shorter or longer than the earlier one', () => {
    expect(startOf({ low: 0n, high: 5n, stored: 40n })).toMatchObject({ offset: 0n, isOtherTopic: true });
    expect(startOf({ low: 0n, high: 90n, stored: 40n, firstNewer: 0n, committed: 80n })).toMatchObject({ offset: 0n, isOtherTopic: true });
    expect(startOf({ low: 0n, high: 90n, stored: 40n, firstNewer: 40n })).toEqual({ offset: 40n });
    expect(startOf({ low: 0n, high: 40n, stored: 40n, firstNewer: 40n })).toEqual({ offset: 40n });
  });

  it('is the earliest record where the topic has removed records that were not handled, with their number', () => {
    const start = startOf({ low: 10n, high: 100n, committed: 90n, stored: 4n, firstNewer: 10n });

    expect(start).toEqual({ offset: 10n, warning: expect.stringContaining('6 records from 4 on were removed') as string });
  });
});
