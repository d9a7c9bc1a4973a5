import fc from 'fast-check';

/** A rule of a test; `rulesText` formats it, `isOpen` evaluates it by the definition. */
export interface RuleInput {
  /** From and to, by index; 0 is Monday. */
  weekdays?: readonly [number, number];
  /** From and to, month (1-12) and day. */
  dates?: readonly [readonly [number, number], readonly [number, number]];
  /** From and to, minutes of the day; none: off. */
  times: readonly (readonly [number, number])[];
}

/** A day of the calendar. */
interface Day {
  month: number;
  day: number;
  /** 0 is Monday. */
  weekday: number;
}

/** The date and wall time of a minute. */
export interface Shown extends Day {
  yesterday: Day;
  /** Minute of the day. */
  minute: number;
}

const WEEKDAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const MINUTES_OF_DAY = 1440;

export function rulesText(rules: readonly RuleInput[]): string {
  return rules
    .map(({ weekdays, dates, times }) =>
      [
        dates && `${dateText(dates[0])}-${dateText(dates[1])}:`,
        weekdays && `${WEEKDAYS[weekdays[0]]}-${WEEKDAYS[weekdays[1]]}`,
        times.map(([from, to]) => `${timeText(from)}-${timeText(to)}`).join(',') || 'off',
      ]
        .filter(Boolean)
        .join(' '),
    )
    .join('; ');
}

const dateText = ([month, day]: readonly [number, number]) => `${MONTHS[month - 1]} ${day}`;
const timeText = (minute: number) => `${String(Math.floor(minute / 60)).padStart(2, '0')}:${String(minute % 60).padStart(2, '0')}`;

/** The definition, implemented literally rather than fast. */
export function isOpen(rules: readonly RuleInput[], shown: Shown): boolean {
  const today = ruleOf(rules, shown);
  if (today?.times.some(([from, to]) => from <= shown.minute && (shown.minute < to || to <= from))) return true;
  const yesterday = ruleOf(rules, shown.yesterday);
  if (!yesterday || (today && today.times.length === 0 && rules.indexOf(today) > rules.indexOf(yesterday))) return false;
  return yesterday.times.some(([from, to]) => to < from && shown.minute < to);
}

function ruleOf(rules: readonly RuleInput[], { month, day, weekday }: Day): RuleInput | undefined {
  return rules.findLast(({ weekdays, dates }) => {
    if (weekdays && !isBetween(weekday, ...weekdays)) return false;
    return !dates || isBetween(month * 31 + day, dates[0][0] * 31 + dates[0][1], dates[1][0] * 31 + dates[1][1]);
  });
}

function isBetween(value: number, from: number, to: number): boolean {
  return from <= to ? value >= from && value <= to : value >= from || value <= to;
}

function dayOf(year: number, month: number, day: number): Day {
  const date = new Date(Date.UTC(year, month - 1, day));
  return { month: date.getUTCMonth() + 1, day: date.getUTCDate(), weekday: (date.getUTCDay() + 6) % 7 };
}

/** The wall time in `zone` at each of `minutes` minutes from `fromMs` on, by the runtime's own formatting. */
export function shownBy(zone: string, fromMs: number, minutes: number): Shown[] {
  const fields = { year: 'numeric', month: 'numeric', day: 'numeric', hour: 'numeric', minute: 'numeric' } as const;
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, hourCycle: 'h23', ...fields });
  return Array.from({ length: minutes }, (_, index) => {
    const numbers = format.format(fromMs + index * 60_000).match(/\d+/g) ?? [];
    const [month = NaN, day = NaN, year = NaN, hour = NaN, minute = NaN] = numbers.map(Number);
    return { ...dayOf(year, month, day), yesterday: dayOf(year, month, day - 1), minute: hour * 60 + minute };
  });
}

const minute = fc.oneof(
  fc.integer({ min: 0, max: MINUTES_OF_DAY - 1 }),
  fc.integer({ min: 0, max: 8 }).map((half) => half * 30),
);
const times = fc.tuple(minute, fc.oneof(minute, fc.constant(MINUTES_OF_DAY))).filter(([from, to]) => from !== to);
const weekday = fc.nat({ max: 6 });

/** Generates rules, some with dates near `month` and `day`. */
export function rulesNear(month: number, day: number): fc.Arbitrary<RuleInput[]> {
  const near = fc.integer({ min: -3, max: 5 }).map((days) => {
    const date = new Date(Date.UTC(2028, month - 1, day + days));
    return [date.getUTCMonth() + 1, date.getUTCDate()] as const;
  });
  return fc.array(
    fc.record(
      { weekdays: fc.tuple(weekday, weekday), dates: fc.tuple(near, near), times: fc.array(times, { maxLength: 3 }) },
      { requiredKeys: ['times'] },
    ),
    { minLength: 1, maxLength: 4 },
  );
}
