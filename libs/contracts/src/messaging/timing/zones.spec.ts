import { isZone, zoneClock, zoneOf } from './zone-clock';

const HOUR_MS = 3_600_000;
const JANUARY = Date.UTC(2027, 0, 15);
const JULY = Date.UTC(2027, 6, 15);

describe('a zone', () => {
  it.each([
    ['Europe/Berlin', 1, 2],
    ['europe/berlin', 1, 2],
    ['America/New_York', -5, -4],
    ['US/Pacific', -8, -7],
    ['Asia/Kolkata', 5.5, 5.5],
    ['Asia/Calcutta', 5.5, 5.5],
    ['Australia/Lord_Howe', 11, 10.5],
    ['America/St_Johns', -3.5, -2.5],
    ['America/Argentina/Buenos_Aires', -3, -3],
    ['Etc/GMT+5', -5, -5],
    ['UTC', 0, 0],
    ['GMT', 0, 0],
    ['UTC+4', 4, 4],
    ['UTC+04', 4, 4],
    ['utc+0430', 4.5, 4.5],
    ['UTC-03:30', -3.5, -3.5],
    ['GMT+1', 1, 1],
    ['GMT-0', 0, 0],
    ['+05:30', 5.5, 5.5],
    ['UTC+14', 14, 14],
  ])('may be %s, %d hours from UTC in January, %d in July', (name, january, july) => {
    const clock = zoneClock(name)!;

    expect(isZone(name)).toBe(true);
    expect(clock(JANUARY).offsetMs / HOUR_MS).toBe(january);
    expect(clock(JULY).offsetMs / HOUR_MS).toBe(july);
  });

  it.each([
    '',
    ' ',
    'Berlin',
    'Europe/Atlantis',
    ' Europe/Berlin',
    'Europe/Berlin ',
    'UTC+15',
    'UTC+14:01',
    'UTC+4:60',
    'UTC+',
    'UTC +4',
    'UTC+444444',
    '4',
    '../../etc/passwd',
    'Europe/Berlin\0',
    '__proto__',
    'constructor',
    'Etc/Unknown',
    'x'.repeat(1_000_000),
    null,
    undefined,
    4,
    {},
    ['UTC'],
  ])('must not be %j', (name) => {
    expect(isZone(name)).toBe(false);
  });
});

describe('the clock of a zone', () => {
  it.each([
    ['Europe/Berlin', '2027-03-28T01:00:00Z', 1, 2],
    ['Europe/Berlin', '2027-10-31T01:00:00Z', 2, 1],
    ['Australia/Lord_Howe', '2027-04-03T15:00:00Z', 11, 10.5],
    ['America/Santiago', '2027-09-05T04:00:00Z', -4, -3],
    ['Pacific/Apia', '2011-12-30T10:00:00Z', -10, 14],
  ])('of %s changes at %s from %d to %d hours, to the millisecond', (name, at, before, after) => {
    const clock = zoneClock(name)!;
    const ms = Date.parse(at);

    expect(clock(ms - 1)).toEqual({ offsetMs: before * HOUR_MS, untilMs: ms });
    expect(clock(ms).offsetMs).toBe(after * HOUR_MS);
    expect(clock(ms).untilMs).toBeGreaterThan(ms);
  });

  it('covers many years without a gap', () => {
    const clock = zoneClock('Europe/Berlin')!;
    const end = Date.UTC(2060, 0, 1);
    let offsets = 0;
    let [ms, last] = [Date.UTC(1969, 0, 1), NaN];
    while (ms < end) {
      const { offsetMs, untilMs } = clock(ms);
      if (!(untilMs > ms)) throw new Error(`nothing follows ${ms}`);
      if (offsetMs !== last) offsets += 1;
      [ms, last] = [untilMs, offsetMs];
    }
    expect(offsets).toBe(1 + 2 * (2060 - 1980)); // summer time since 1980
  });
});

describe('the zone of a recipient', () => {
  it.each([
    ['UTC+1', { to: { zoneinfo: 'UTC+2', timezone: 'UTC+3' }, profile: { zoneinfo: 'UTC+4', timezone: 'UTC+5' } }, 'UTC+1'],
    [undefined, { to: { zoneinfo: 'UTC+2', timezone: 'UTC+3' }, profile: { zoneinfo: 'UTC+4', timezone: 'UTC+5' } }, 'UTC+2'],
    [undefined, { to: { timezone: 'UTC+3' }, profile: { zoneinfo: 'UTC+4', timezone: 'UTC+5' } }, 'UTC+3'],
    [undefined, { profile: { zoneinfo: 'UTC+4', timezone: 'UTC+5' } }, 'UTC+4'],
    [undefined, { to: {}, profile: { timezone: 'UTC+5' } }, 'UTC+5'],
    [undefined, {}, 'UTC'],
  ])('is the first zone of %j and %j: %s', (delayTimezone, sources, zone) => {
    expect(zoneOf(delayTimezone, sources)).toBe(zone);
  });

  it('skips names that are no zone', () => {
    const profile = { zoneinfo: { city: 'Berlin' }, timezone: 'Europe/Berlin' };

    expect(zoneOf('nowhere', { to: { zoneinfo: 'Mars/Olympus', timezone: 4 }, profile })).toBe('Europe/Berlin');
    expect(zoneOf(null, { to: { zoneinfo: '' }, profile: { zoneinfo: 7, timezone: 'x'.repeat(100_000) } })).toBe('UTC');
  });
});
