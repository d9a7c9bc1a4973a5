import { invalid, shown } from '../../core/refusals';
import { ALL_WEEKDAYS, type DateRange, type MinuteRange, type OpeningHours, type OpeningRule } from './opening-hours';

/** Maximum characters of an expression. */
export const OPENING_HOURS_LENGTH_MAX = 512;

const MINUTES_OF_DAY = 24 * 60;
const WEEKDAYS = ['mo', 'tu', 'we', 'th', 'fr', 'sa', 'su'];
const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const DAYS_OF_MONTHS = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
const CLOSED = ['off', 'closed'];
const HOLIDAYS = ['ph', 'sh'];
/** Characters of an expression that an error repeats. */
const SHOWN_LENGTH = 80;
const WHOLE_DAY: MinuteRange = { startMinute: 0, endMinute: MINUTES_OF_DAY };

/**
 * Parses opening hours, a subset of OpenStreetMap's `opening_hours`: rules separated by `;`, each of months or dates
 * (`Jun-Aug:`, `Oct 31:`, `Dec 24-Jan 2:`), weekdays (`Mo-Fr`, `Sa-Mo,We`) and times (`09:00-12:00, 14:00-18:00`,
 * `22:00-02:00`) or `off`; every part is optional, but not all; or `24/7`. Other syntax, such as holidays, is not supported.
 * @param where the field, for errors.
 * @throws ServiceError `invalid_request` naming the field, the expected token, and the position.
 */
export function parseOpeningHours(text: string, where: string): OpeningHours {
  if (text.length > OPENING_HOURS_LENGTH_MAX) {
    throw invalid(`${where} has ${text.length} characters, opening hours have at most ${OPENING_HOURS_LENGTH_MAX}`);
  }
  const tokens = tokensOf(text);
  let next = tokens.shift()!;

  // A recursive-descent parser with `next` as its lookahead; each function parses the part it is named after.
  const rules = [rule()];
  while (skipMark(';') && next.kind !== 'end') rules.push(rule());
  if (next.kind !== 'end') throw expected('";" or the end');
  return rules;

  function rule(): OpeningRule {
    if (next.kind === 'always') {
      take();
      return { weekdays: ALL_WEEKDAYS, dates: [], open: [WHOLE_DAY] };
    }
    let expectation = 'a month such as Jun, a weekday such as Mo, a time such as 09:00, or off';
    let mayEnd = false;
    let dates: DateRange[] = [];
    let weekdays = ALL_WEEKDAYS;
    if (isWord(MONTHS)) {
      dates = list(dateRange);
      mayEnd = !skipMark(':');
      expectation = 'a weekday such as Mo, a time such as 09:00, or off';
    }
    if (isWord(WEEKDAYS)) {
      weekdays = list(weekdayRange).reduce((all, some) => all | some);
      mayEnd = !skipMark(':');
      expectation = 'a time such as 09:00, or off';
    }
    return { weekdays, dates, open: open(mayEnd, expectation) };
  }

  /** @param mayEnd whether times may be missing: then the days are open from beginning to end. */
  function open(mayEnd: boolean, expectation: string): MinuteRange[] {
    if (isWord(CLOSED)) {
      take();
      return [];
    }
    if (next.kind === 'time') return list(times).sort((a, b) => a.startMinute - b.startMinute);
    if (mayEnd && (next.kind === 'end' || isMark(';'))) return [WHOLE_DAY];
    throw expected(expectation);
  }

  function dateRange(): DateRange {
    const from = name(MONTHS, 'a month such as Jun');
    if (next.kind !== 'number') {
      const to = skipMark('-') ? name(MONTHS, 'a month such as Aug') : from;
      return { from: dateOf(from, 1), to: dateOf(to, DAYS_OF_MONTHS[to]!) };
    }
    const first = dateOf(from, day(from));
    if (!skipMark('-')) return { from: first, to: first };
    const to = next.kind === 'number' ? from : name(MONTHS, 'a day such as 26, or a month and a day such as Jan 2');
    return { from: first, to: dateOf(to, day(to)) };
  }

  function weekdayRange() {
    const first = name(WEEKDAYS, 'a weekday such as Mo');
    const last = skipMark('-') ? name(WEEKDAYS, 'a weekday such as Fr') : first;
    let weekdays = 1 << last;
    for (let weekday = first; weekday !== last; weekday = (weekday + 1) % WEEKDAYS.length) weekdays |= 1 << weekday;
    return weekdays;
  }

  function times(): MinuteRange {
    const startMinute = minute(MINUTES_OF_DAY - 1, 'a time from 00:00 to 23:59');
    if (!skipMark('-')) throw expected('"-" and the time of the end');
    const end = next;
    const endMinute = minute(MINUTES_OF_DAY, 'a time from 00:00 to 24:00');
    if (endMinute === startMinute) throw expected('an end that is not the start (00:00-24:00 is the whole day)', end);
    return { startMinute, endMinute: endMinute < startMinute ? endMinute + MINUTES_OF_DAY : endMinute };
  }

  function minute(minuteMax: number, expectation: string) {
    const [hours, minutes] = next.text.split(':').map(Number) as [number, number];
    const minuteOfDay = hours * 60 + minutes;
    if (next.kind !== 'time' || minutes > 59 || minuteOfDay > minuteMax) throw expected(expectation);
    take();
    return minuteOfDay;
  }

  function day(month: number) {
    const dayOfMonth = Number(next.text);
    const last = DAYS_OF_MONTHS[month]!;
    if (next.kind !== 'number' || dayOfMonth < 1 || dayOfMonth > last) throw expected(`a day from 1 to ${last}`);
    take();
    return dayOfMonth;
  }

  /** The index of the next token in `names`. */
  function name(names: readonly string[], expectation: string) {
    if (!isWord(names)) throw expected(expectation);
    return names.indexOf(take().text.toLowerCase());
  }

  function list<T>(read: () => T) {
    const items = [read()];
    while (skipMark(',')) items.push(read());
    return items;
  }

  function take() {
    const token = next;
    next = tokens.shift()!; // the end is never taken
    return token;
  }

  function isWord(words: readonly string[]) {
    return next.kind === 'word' && words.includes(next.text.toLowerCase());
  }

  function isMark(mark: string) {
    return next.kind === 'mark' && next.text === mark;
  }

  function skipMark(mark: string) {
    if (!isMark(mark)) return false;
    take();
    return true;
  }

  function expected(expectation: string, token = next) {
    const { kind, text: word, at } = token;
    const found = kind === 'end' ? 'nothing more' : shown(word);
    const hint = HOLIDAYS.includes(word.toLowerCase()) ? '; holidays are not known here' : '';
    const around = text.length > SHOWN_LENGTH ? text.slice(Math.max(0, at - SHOWN_LENGTH / 2), at + SHOWN_LENGTH / 2) : text;
    return invalid(
      `${where} must be opening hours such as "Mo-Fr 09:00-17:00": expected ${expectation}, ` +
        `found ${found} at character ${at}${hint} (got ${shown(around)})`,
    );
  }
}

/** A token of the expression; `at` is its position in characters, from 1. */
interface Token {
  kind: 'always' | 'time' | 'number' | 'word' | 'mark' | 'end';
  text: string;
  at: number;
}

const TOKEN = /24\/7|\d{1,2}:\d{2}(?!\d)|\d+|[A-Za-z]+|\S/gu;

/** The tokens of an expression, and an `end`. Unknown characters are tokens of kind `mark`. */
function tokensOf(text: string): Token[] {
  const tokens = Array.from(text.matchAll(TOKEN), ({ 0: found, index }) => ({ kind: kindOf(found), text: found, at: index + 1 }));
  return [...tokens, { kind: 'end', text: '', at: text.length + 1 }];
}

function kindOf(text: string): Token['kind'] {
  if (text === '24/7') return 'always';
  if (/^[A-Za-z]/.test(text)) return 'word';
  if (/^\d/.test(text)) return text.includes(':') ? 'time' : 'number';
  return 'mark';
}

function dateOf(monthIndex: number, day: number) {
  return (monthIndex + 1) * 100 + day;
}
