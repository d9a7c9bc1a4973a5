/** How the console writes times, durations and numbers, in the browser's language. */
const LOCALE = undefined;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const clock = new Intl.DateTimeFormat(LOCALE, { timeStyle: 'medium' });
const dayAndClock = new Intl.DateTimeFormat(LOCALE, {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
});
const clockMinute = new Intl.DateTimeFormat(LOCALE, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short' });
const full = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'full', timeStyle: 'long' });
const number = new Intl.NumberFormat(LOCALE);

/** A time of today as its clock time, others with the day. */
export function shortTime(at: number, now = Date.now()): string {
  const isToday = new Date(at).toDateString() === new Date(now).toDateString();
  return (isToday ? clock : dayAndClock).format(at);
}

/** A mark of a time axis: the day at midnight, else the clock time. */
export function axisTime(at: number): string {
  const date = new Date(at);
  return (date.getHours() === 0 && date.getMinutes() === 0 ? day : clockMinute).format(date);
}

/** A time with its date and zone. */
export function fullTime(at: number): string {
  return full.format(at);
}

export function count(value: number): string {
  return number.format(value);
}

/** A duration in its largest units: `45 ms`, `1.2 s`, `3 min 5 s`, `2 h 10 min`, `4 d 3 h`. */
export function duration(ms: number): string {
  if (ms < 1_000) return `${count(Math.max(0, Math.round(ms)))} ms`;
  if (ms < MINUTE_MS) return `${number.format(Math.round(ms / 100) / 10)} s`;
  if (ms < HOUR_MS) return two(ms, MINUTE_MS, 'min', 1_000, 's');
  if (ms < DAY_MS) return two(ms, HOUR_MS, 'h', MINUTE_MS, 'min');
  return two(ms, DAY_MS, 'd', HOUR_MS, 'h');
}

function two(ms: number, large: number, largeUnit: string, small: number, smallUnit: string) {
  const rest = Math.floor((ms % large) / small);
  return `${count(Math.floor(ms / large))} ${largeUnit}${rest > 0 ? ` ${rest} ${smallUnit}` : ''}`;
}
