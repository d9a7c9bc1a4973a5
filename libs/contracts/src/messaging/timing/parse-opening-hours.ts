import type { ServiceError } from '../../core/errors';
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
  return new Reader(text, where).hours();
}

/** A recursive-descent parser with one token of lookahead; each method parses the part it is named after. */
class Reader {
  readonly #tokens: readonly Token[];
  #position = 0;

  constructor(
    private readonly text: string,
    private readonly where: string,
  ) {
    this.#tokens = tokensOf(text);
  }

  hours(): OpeningHours {
    const rules = [this.#rule()];
    while (this.#skipMark(';') && this.#next.kind !== 'end') rules.push(this.#rule());
    if (this.#next.kind !== 'end') throw this.#expected('";" or the end');
    return rules;
  }

  #rule(): OpeningRule {
    if (this.#next.kind === 'always') {
      this.#take();
      return { weekdays: ALL_WEEKDAYS, dates: [], open: [WHOLE_DAY] };
    }
    let expectation = 'a month such as Jun, a weekday such as Mo, a time such as 09:00, or off';
    let mayEnd = false;
    let dates: DateRange[] = [];
    let weekdays = ALL_WEEKDAYS;
    if (this.#isWord(MONTHS)) {
      dates = this.#list(() => this.#dates());
      mayEnd = !this.#skipMark(':');
      expectation = 'a weekday such as Mo, a time such as 09:00, or off';
    }
    if (this.#isWord(WEEKDAYS)) {
      weekdays = this.#list(() => this.#weekdays()).reduce((all, some) => all | some);
      mayEnd = !this.#skipMark(':');
      expectation = 'a time such as 09:00, or off';
    }
    return { weekdays, dates, open: this.#open(mayEnd, expectation) };
  }

  /** @param mayEnd whether times may be missing: then the days are open from beginning to end. */
  #open(mayEnd: boolean, expectation: string): MinuteRange[] {
    if (this.#isWord(CLOSED)) {
      this.#take();
      return [];
    }
    if (this.#next.kind === 'time') return this.#list(() => this.#times()).sort((a, b) => a.startMinute - b.startMinute);
    if (mayEnd && (this.#next.kind === 'end' || this.#isMark(';'))) return [WHOLE_DAY];
    throw this.#expected(expectation);
  }

  #dates(): DateRange {
    const from = this.#name(MONTHS, 'a month such as Jun');
    if (this.#next.kind !== 'number') {
      const to = this.#skipMark('-') ? this.#name(MONTHS, 'a month such as Aug') : from;
      return { from: dateOf(from, 1), to: dateOf(to, DAYS_OF_MONTHS[to]!) };
    }
    const first = dateOf(from, this.#day(from));
    if (!this.#skipMark('-')) return { from: first, to: first };
    const to = this.#next.kind === 'number' ? from : this.#name(MONTHS, 'a day such as 26, or a month and a day such as Jan 2');
    return { from: first, to: dateOf(to, this.#day(to)) };
  }

  #weekdays(): number {
    const first = this.#name(WEEKDAYS, 'a weekday such as Mo');
    const last = this.#skipMark('-') ? this.#name(WEEKDAYS, 'a weekday such as Fr') : first;
    let weekdays = 1 << last;
    for (let day = first; day !== last; day = (day + 1) % WEEKDAYS.length) weekdays |= 1 << day;
    return weekdays;
  }

  #times(): MinuteRange {
    const startMinute = this.#minute(MINUTES_OF_DAY - 1, 'a time from 00:00 to 23:59');
    if (!this.#skipMark('-')) throw this.#expected('"-" and the time of the end');
    const end = this.#next;
    const minute = this.#minute(MINUTES_OF_DAY, 'a time from 00:00 to 24:00');
    if (minute === startMinute) throw this.#expected('an end that is not the start (00:00-24:00 is the whole day)', end);
    return { startMinute, endMinute: minute < startMinute ? minute + MINUTES_OF_DAY : minute };
  }

  #minute(minuteMax: number, expectation: string): number {
    const token = this.#next;
    const [hours, minutes] = token.text.split(':').map(Number) as [number, number];
    const minute = hours * 60 + minutes;
    if (token.kind !== 'time' || minutes > 59 || minute > minuteMax) throw this.#expected(expectation);
    this.#take();
    return minute;
  }

  #day(month: number): number {
    const token = this.#next;
    const day = Number(token.text);
    const last = DAYS_OF_MONTHS[month]!;
    if (token.kind !== 'number' || day < 1 || day > last) throw this.#expected(`a day from 1 to ${last}`);
    this.#take();
    return day;
  }

  /** The index of the next token in `names`. */
  #name(names: readonly string[], expectation: string): number {
    if (!this.#isWord(names)) throw this.#expected(expectation);
    return names.indexOf(this.#take().text.toLowerCase());
  }

  #list<T>(read: () => T): T[] {
    const items = [read()];
    while (this.#skipMark(',')) items.push(read());
    return items;
  }

  get #next(): Token {
    return this.#tokens[this.#position]!;
  }

  #take(): Token {
    const token = this.#next;
    this.#position += 1;
    return token;
  }

  #isWord(words: readonly string[]): boolean {
    return this.#next.kind === 'word' && words.includes(this.#next.text.toLowerCase());
  }

  #isMark(mark: string): boolean {
    return this.#next.kind === 'mark' && this.#next.text === mark;
  }

  #skipMark(mark: string): boolean {
    if (!this.#isMark(mark)) return false;
    this.#take();
    return true;
  }

  #expected(expectation: string, { kind, text, at } = this.#next): ServiceError {
    const found = kind === 'end' ? 'nothing more' : shown(text);
    const hint = HOLIDAYS.includes(text.toLowerCase()) ? '; holidays are not known here' : '';
    const around = this.text.length > SHOWN_LENGTH ? this.text.slice(Math.max(0, at - SHOWN_LENGTH / 2), at + SHOWN_LENGTH / 2) : this.text;
    return invalid(
      `${this.where} must be opening hours such as "Mo-Fr 09:00-17:00": expected ${expectation}, ` +
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
function tokensOf(text: string) {
  const tokens: Token[] = [];
  for (const { 0: found, index } of text.matchAll(TOKEN)) tokens.push({ kind: kindOf(found), text: found, at: index + 1 });
  tokens.push({ kind: 'end', text: '', at: text.length + 1 });
  return tokens;
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
