import { type Delay, DELAY_MS_MAX, dueAt, parseDelay } from './delay';
import { refusalOf } from './refusal.fixture';
import type { ZoneSources } from './zone-clock';

const MINUTE_MS = 60_000;
/** A Saturday. */
const NOW = Date.parse('2026-11-21T12:00:00Z');

/** A delay by the recipient's wall time; `untilMs` is the same in UTC, for older processes. */
const shown = (instant: string): Delay => ({ shownMs: Date.parse(instant), untilMs: Date.parse(instant) });

describe('a delay', () => {
  it.each<[unknown, Delay]>([
    [{ duration: 0 }, { durationMs: 0 }],
    [{ duration: 0.001 }, { durationMs: MINUTE_MS }],
    [{ duration: 1 }, { durationMs: MINUTE_MS }],
    [{ duration: MINUTE_MS }, { durationMs: MINUTE_MS }],
    [{ duration: MINUTE_MS + 1 }, { durationMs: 2 * MINUTE_MS }],
    [{ duration: DELAY_MS_MAX, until: null, timezone: null }, { durationMs: DELAY_MS_MAX }],
    [{ duration: 60_000, timezone: 'UTC+4', other: 'field' }, { durationMs: MINUTE_MS }],
    [{ until: '2026-11-22T09:00:00+01:00' }, { untilMs: Date.parse('2026-11-22T08:00:00Z') }],
    [{ until: '2026-11-22', timezone: 'Europe/Berlin' }, { untilMs: Date.parse('2026-11-22T00:00:00Z') }],
    [{ until: '2026-11-22T09:00', timezone: 'Europe/Berlin' }, { untilMs: Date.parse('2026-11-22T08:00:00Z') }],
    [{ until: '2027-03-28 02:30:00', timezone: 'Europe/Berlin' }, { untilMs: Date.parse('2027-03-28T01:30:00Z') }],
    [{ until: '2026-11-22T09:00Z', timezone: 'Europe/Berlin' }, { untilMs: Date.parse('2026-11-22T09:00:00Z') }],
    [{ until: '2026-11-22T09:00' }, shown('2026-11-22T09:00:00Z')],
    [{ until: '1999-12-31T23:59:59Z', duration: null }, { untilMs: Date.parse('1999-12-31T23:59:59Z') }],
    [{ until: '2027-11-22T12:00:00Z' }, { untilMs: NOW + DELAY_MS_MAX }],
    [{ until: 'Mo-Fr 09:00-17:00' }, { window: 'Mo-Fr 09:00-17:00' }],
    [{ until: 'Mo-Fr 09:00-17:00', timezone: null }, { window: 'Mo-Fr 09:00-17:00' }],
    [
      { until: '09:00-17:00', timezone: 'Europe/Berlin' },
      { window: '09:00-17:00', timezone: 'Europe/Berlin' },
    ],
  ])('parses %j as %j', (value, delay) => {
    expect(parseDelay(value, 'message.delay', NOW)).toEqual(delay);
  });

  it.each<[unknown, string]>([
    [null, 'message.delay must be an object with duration or until (got null)'],
    ['1h', 'message.delay must be an object with duration or until (got "1h")'],
    [[{ duration: 1 }], 'message.delay must be an object with duration or until (got [{"duration":1}])'],
    [{}, 'message.delay must have duration (milliseconds) or until (an instant, or opening hours)'],
    [{ duration: null, until: null }, 'message.delay must have duration (milliseconds) or until'],
    [{ duration: 1, until: '2026-11-22' }, 'message.delay must have duration or until, not both'],
    [{ duration: -1 }, `message.delay.duration must be a number of milliseconds between 0 and ${DELAY_MS_MAX} (got -1)`],
    [{ duration: DELAY_MS_MAX + 1 }, 'message.delay.duration must be a number of milliseconds between'],
    [{ duration: NaN }, 'message.delay.duration must be a number of milliseconds between'],
    [{ duration: '60000' }, '(got "60000")'],
    [{ duration: { ms: 1 } }, '(got {"ms":1})'],
    [{ until: '' }, 'message.delay.until must be an ISO 8601 date or date with time between 1970 and 9999, or opening hours'],
    [{ until: ' \n' }, 'message.delay.until must be an ISO 8601 date'],
    [{ until: 1_800_000_000_000 }, '(got 1800000000000)'],
    [{ until: '2026-13-01' }, 'message.delay.until must be an ISO 8601 date'],
    [{ until: '2027-02-30T10:00:00Z' }, '(got "2027-02-30T10:00:00Z")'],
    [{ until: '2027-11-22T12:00:00.001Z' }, 'message.delay.until must be within the next year (got "2027-11-22T12:00:00.001Z")'],
    [{ until: 'tomorrow' }, 'message.delay.until must be opening hours such as "Mo-Fr 09:00-17:00"'],
    [{ until: 'x'.repeat(1_000_000) }, 'message.delay.until has 1000000 characters'],
    [
      { until: '2026-11-22', timezone: 'Mars' },
      'message.delay.timezone must be a time zone such as "Europe/Berlin" or "UTC+4" (got "Mars")',
    ],
    [{ duration: 1, timezone: 4 }, 'message.delay.timezone must be a time zone'],
    [{ duration: 1, timezone: '' }, 'message.delay.timezone must be a time zone'],
  ])('must not be %j', (value, sentence) => {
    expect(refusalOf(() => parseDelay(value, 'message.delay', NOW))).toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining(sentence) as string,
    });
  });
});

describe('a delayed message', () => {
  const due = (delay: Delay, zones: ZoneSources = {}, acceptedMs?: number) => dueAt(delay, { nowMs: NOW, acceptedMs, zones });

  it('is due the given minutes after its acceptance', () => {
    expect(due({ durationMs: 2 * MINUTE_MS })).toEqual({ dueMs: NOW + 2 * MINUTE_MS, details: 'Delayed by 2 minutes' });
    expect(due({ durationMs: MINUTE_MS }, {}, NOW - 10_000)).toEqual({ dueMs: NOW + 50_000, details: 'Delayed by 1 minute' });
  });

  it('is due now if the time has passed', () => {
    expect(due({ durationMs: MINUTE_MS }, {}, NOW - 3 * MINUTE_MS)).toMatchObject({ dueMs: NOW });
    expect(due({ untilMs: NOW - 1 })).toMatchObject({ dueMs: NOW });
    expect(due({ untilMs: NOW + 1 })).toEqual({ dueMs: NOW + 1, details: 'Delayed until 2026-11-21T12:00:00.001Z' });
  });

  it('is due at the wall time in the zone of its recipient', () => {
    const delay = shown('2026-11-22T09:00:00Z');

    expect(due(delay, { to: { zoneinfo: 'Asia/Tokyo' }, profile: { timezone: 'Europe/Berlin' } })).toEqual({
      dueMs: Date.parse('2026-11-22T00:00:00Z'),
      details: 'Delayed until 2026-11-22T00:00:00.000Z (Asia/Tokyo)',
    });
    expect(due(delay, { profile: { timezone: 'Europe/Berlin' } })).toMatchObject({ dueMs: Date.parse('2026-11-22T08:00:00Z') });
    expect(due(delay)).toMatchObject({ dueMs: Date.parse('2026-11-22T09:00:00Z') });
    expect(due(shown('2026-11-21T20:00:00Z'), { profile: { timezone: 'Asia/Tokyo' } })).toMatchObject({ dueMs: NOW });
  });

  it('is due when its window opens in the zone of its recipient', () => {
    const window = 'Mo-Fr 09:00-17:00';

    expect(due({ window }, { to: { zoneinfo: 'Asia/Tokyo' }, profile: { timezone: 'Europe/Berlin' } })).toEqual({
      dueMs: Date.parse('2026-11-23T00:00:00Z'),
      details: 'The delivery window "Mo-Fr 09:00-17:00" (Asia/Tokyo) opens at 2026-11-23T00:00:00.000Z',
    });
    expect(due({ window }, { profile: { timezone: 'Europe/Berlin' } })).toMatchObject({ dueMs: Date.parse('2026-11-23T08:00:00Z') });
    expect(due({ window }, { profile: { timezone: 'Berlin' } })).toMatchObject({ dueMs: Date.parse('2026-11-23T09:00:00Z') });
    expect(due({ window, timezone: 'America/New_York' }, { to: { zoneinfo: 'Asia/Tokyo' } })).toMatchObject({
      dueMs: Date.parse('2026-11-23T14:00:00Z'),
    });
  });

  it('is due now if its window is open', () => {
    expect(due({ window: 'Sa 10:00-13:00' })).toEqual({ dueMs: NOW, details: 'The delivery window "Sa 10:00-13:00" (UTC) is open' });
  });

  it('can never be sent if its window does not open in 90 days, or is no longer valid', () => {
    expect(due({ window: 'Jun-Aug: 10:00-12:00' })).toEqual({
      error: 'The delivery window "Jun-Aug: 10:00-12:00" (UTC) does not open within 90 days',
    });
    expect(due({ window: 'weekdays' })).toEqual({ error: expect.stringContaining('The delivery window must be opening hours') as string });
  });
});
