import fc from 'fast-check';
import { nextOpening, OPENING_DAYS_MAX } from './opening-hours';
import { isOpen, rulesNear, rulesText, shownBy } from './opening-hours.fixture';
import { parseOpeningHours } from './parse-opening-hours';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

function next(window: string, from: string, zone = 'UTC'): string | undefined {
  const openMs = nextOpening(parseOpeningHours(window, 'until'), Date.parse(from), zone);
  return openMs === undefined ? undefined : new Date(openMs).toISOString().replace(':00.000Z', 'Z');
}

describe('the next opening', () => {
  it.each([
    // 23 November 2026 is a Monday.
    ['Mo-Fr 09:00-17:00', '2026-11-21T12:00Z', '2026-11-23T09:00Z'],
    ['Mo-Fr 09:00-17:00', '2026-11-23T09:00Z', '2026-11-23T09:00Z'],
    ['Mo-Fr 09:00-17:00', '2026-11-23T16:59:59.999Z', '2026-11-23T16:59:59.999Z'],
    ['Mo-Fr 09:00-17:00', '2026-11-23T17:00Z', '2026-11-24T09:00Z'],
    ['Mo-Fr 09:00-17:00', '2026-11-27T17:00Z', '2026-11-30T09:00Z'],
    ['Mo 09:00-12:00, 14:00-18:00', '2026-11-23T12:00Z', '2026-11-23T14:00Z'],
    ['Mo 09:00-12:00, 14:00-18:00', '2026-11-23T18:00Z', '2026-11-30T09:00Z'],
    ['24/7', '2026-11-23T12:34:56.789Z', '2026-11-23T12:34:56.789Z'],
    ['24/7; Su off', '2026-11-22T00:00Z', '2026-11-23T00:00Z'],
    ['Mo-Fr 09:00-17:00; We off', '2026-11-24T20:00Z', '2026-11-26T09:00Z'],
    ['Mo-Fr 09:00-17:00; We 11:00-12:00', '2026-11-25T08:00Z', '2026-11-25T11:00Z'],
    ['We off; Mo-Fr 09:00-17:00', '2026-11-25T08:00Z', '2026-11-25T09:00Z'],
    ['Dec 24-Jan 2: off; Mo-Fr 09:00-17:00', '2026-12-24T18:00Z', '2026-12-25T09:00Z'],
    ['Mo-Fr 09:00-17:00; Dec 24-Jan 2: off', '2026-12-23T18:00Z', '2027-01-04T09:00Z'],
    ['Jun-Aug: Mo 10:00-11:00', '2026-05-20T00:00Z', '2026-06-01T10:00Z'],
    ['Oct 31: 10:00-11:00', '2026-10-01T00:00Z', '2026-10-31T10:00Z'],
    ['Feb 29: 10:00-11:00', '2028-02-01T00:00Z', '2028-02-29T10:00Z'],
    ['22:00-02:00', '2026-11-23T01:59Z', '2026-11-23T01:59Z'],
    ['22:00-02:00', '2026-11-23T02:00Z', '2026-11-23T22:00Z'],
    ['Fr 22:00-02:00', '2026-11-28T01:00Z', '2026-11-28T01:00Z'],
    ['Fr 22:00-02:00', '2026-11-27T01:00Z', '2026-11-27T22:00Z'],
    ['Dec 31: 22:00-02:00', '2027-01-01T01:00Z', '2027-01-01T01:00Z'],
  ])('of %s after %s is %s', (window, from, openAt) => {
    expect(next(window, from)).toBe(openAt);
  });

  it('lasts past midnight, except into a day that a later rule closes', () => {
    expect(next('Fr 22:00-02:00; Sa 10:00-12:00', '2026-11-28T01:00Z')).toBe('2026-11-28T01:00Z');
    expect(next('22:00-02:00; Sa off', '2026-11-27T23:59Z')).toBe('2026-11-27T23:59Z');
    expect(next('22:00-02:00; Sa off', '2026-11-28T00:00Z')).toBe('2026-11-29T22:00Z');
    expect(next('off; Fr 22:00-02:00', '2026-11-28T01:00Z')).toBe('2026-11-28T01:00Z');
  });

  it('is calculated in the wall time of the zone', () => {
    expect(next('Mo-Fr 09:00-17:00', '2026-11-23T00:00Z', 'Europe/Berlin')).toBe('2026-11-23T08:00Z');
    expect(next('Mo-Fr 09:00-17:00', '2026-07-20T00:00Z', 'Europe/Berlin')).toBe('2026-07-20T07:00Z');
    expect(next('Mo-Fr 09:00-17:00', '2026-11-23T00:00Z', 'America/New_York')).toBe('2026-11-23T14:00Z');
    expect(next('Mo 00:00-01:00', '2026-11-22T00:00Z', 'UTC+4')).toBe('2026-11-22T20:00Z');
    expect(next('Mo 23:00-24:00', '2026-11-23T00:00Z', 'UTC-03:30')).toBe('2026-11-24T02:30Z');
  });

  it('is the end of a skipped hour that contains the start', () => {
    // In Berlin 01:59:59 is followed by 03:00 on 28 March 2027.
    expect(next('02:30-05:00', '2027-03-28T00:00Z', 'Europe/Berlin')).toBe('2027-03-28T01:00Z');
    expect(next('Su 02:00-03:00', '2027-03-27T12:00Z', 'Europe/Berlin')).toBe('2027-04-04T00:00Z');
  });

  it('occurs twice in a repeated hour', () => {
    // In Berlin 02:59:59 is followed by 02:00 on 31 October 2027.
    expect(next('02:00-02:30', '2027-10-30T22:00Z', 'Europe/Berlin')).toBe('2027-10-31T00:00Z');
    expect(next('02:00-02:30', '2027-10-31T00:30Z', 'Europe/Berlin')).toBe('2027-10-31T01:00Z');
    expect(next('02:00-02:30', '2027-10-31T01:30Z', 'Europe/Berlin')).toBe('2027-11-01T01:00Z');
  });

  it('is not searched further than 90 days ahead', () => {
    const from = Date.UTC(2026, 10, 1);
    const hours = parseOpeningHours('Jan 30: 00:00-24:00', 'until');
    const openMs = Date.UTC(2027, 0, 30);

    expect((openMs - from) / DAY_MS).toBe(OPENING_DAYS_MAX);
    expect(nextOpening(hours, from, 'UTC')).toBeUndefined();
    expect(nextOpening(hours, from + 1, 'UTC')).toBe(openMs);
    expect(next('off', '2026-11-23T00:00Z')).toBeUndefined();
    expect(next('Feb 29', '2027-02-01T00:00Z')).toBeUndefined();
  });

  it('needs a known zone', () => {
    expect(() => next('24/7', '2026-11-23T00:00Z', 'Mars/Olympus')).toThrow('Unknown time zone Mars/Olympus');
  });
});

describe('minute by minute', () => {
  const DAYS_BEFORE = 2;
  const DAYS = 6;

  // Instants at which the offset of these zones changes; the last two have no change.
  it.each([
    ['Europe/Berlin', '2027-03-28T01:00:00Z'],
    ['Europe/Berlin', '2027-10-31T01:00:00Z'],
    ['America/New_York', '2027-03-14T07:00:00Z'],
    ['America/New_York', '2027-11-07T06:00:00Z'],
    ['America/Santiago', '2027-09-05T04:00:00Z'], // 24:00 is 01:00: a day without its first hour
    ['Africa/Cairo', '2027-10-28T21:00:00Z'], // 24:00 is 23:00: a day that ends twice
    ['Australia/Lord_Howe', '2027-04-03T15:00:00Z'], // by half an hour
    ['Pacific/Apia', '2011-12-30T10:00:00Z'], // a skipped day
    ['Asia/Kathmandu', '2027-12-31T18:15:00Z'],
    ['UTC', '2028-02-29T12:00:00Z'],
  ])('agrees with the definition in %s around %s', (zone, change) => {
    const startMs = Date.parse(change) - DAYS_BEFORE * DAY_MS;
    const shown = shownBy(zone, startMs, DAYS * 24 * 60);
    const { month, day } = shown[0]!;

    fc.assert(
      fc.property(rulesNear(month, day), fc.nat({ max: 4 * 24 * 60 - 1 }), fc.nat({ max: MINUTE_MS - 1 }), (rules, first, ms) => {
        const openMs = nextOpening(parseOpeningHours(rulesText(rules), 'until'), startMs + first * MINUTE_MS + ms, zone);

        const open = shown.findIndex((at, index) => index >= first && isOpen(rules, at));
        if (open < 0) expect(openMs ?? Infinity).toBeGreaterThanOrEqual(startMs + shown.length * MINUTE_MS);
        else expect(openMs).toBe(startMs + open * MINUTE_MS + (open === first ? ms : 0));
      }),
      { numRuns: 60 },
    );
  });
});
