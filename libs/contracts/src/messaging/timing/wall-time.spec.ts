import { instantShown } from './zone-clock';

describe('a wall time', () => {
  it.each([
    ['2026-11-22T09:00', 'UTC', '2026-11-22T09:00Z'],
    ['2026-11-22T09:00', 'UTC+4', '2026-11-22T05:00Z'],
    ['2026-11-22T09:00', 'Europe/Berlin', '2026-11-22T08:00Z'],
    ['2026-07-22T09:00', 'Europe/Berlin', '2026-07-22T07:00Z'],
    ['2026-11-22T09:00', 'Asia/Kathmandu', '2026-11-22T03:15Z'],
    ['2026-03-29T01:59:59', 'Europe/Berlin', '2026-03-29T00:59:59Z'],
    ['2026-03-29T02:00', 'Europe/Berlin', '2026-03-29T01:00Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30Z'],
    ['2026-03-29T03:00', 'Europe/Berlin', '2026-03-29T01:00Z'],
    ['2026-10-25T01:59', 'Europe/Berlin', '2026-10-24T23:59Z'],
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30Z'],
    ['2026-10-25T03:00', 'Europe/Berlin', '2026-10-25T02:00Z'],
    ['2026-03-08T02:30', 'America/New_York', '2026-03-08T07:30Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30Z'],
    ['2026-04-05T01:45', 'Australia/Lord_Howe', '2026-04-04T14:45Z'],
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:45Z'],
  ])('%s in %s is %s', (shown, zone, instant) => {
    expect(new Date(instantShown(Date.parse(`${shown}Z`), zone))).toEqual(new Date(instant));
  });
});
