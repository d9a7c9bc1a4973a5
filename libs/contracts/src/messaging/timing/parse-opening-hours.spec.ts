import fc from 'fast-check';
import { ServiceError } from '../../core/errors';
import { OPENING_HOURS_LENGTH_MAX, parseOpeningHours } from './parse-opening-hours';
import { refusalOf } from './refusal.fixture';

const DAYS = ['Mo', 'Tu', 'We', 'Th', 'Fr', 'Sa', 'Su'];

/** The parsed rules in short form: days, dates, minutes. */
function parsed(text: string): string[] {
  return parseOpeningHours(text, 'until').map(({ weekdays, dates, open }) =>
    [
      DAYS.filter((_, index) => weekdays & (1 << index)).join(''),
      dates.map(({ from, to }) => `${from}-${to}`).join(),
      open.map(({ startMinute, endMinute }) => `${startMinute}-${endMinute}`).join() || 'closed',
    ]
      .filter(Boolean)
      .join(' '),
  );
}

const EVERY = 'MoTuWeThFrSaSu';

it.each([
  ['Mo-Fr 09:00-17:00', ['MoTuWeThFr 540-1020']],
  ['Mo 09:00-12:00, 14:00-18:00', ['Mo 540-720,840-1080']],
  ['Mo 14:00-18:00,09:00-12:00', ['Mo 540-720,840-1080']],
  ['09:00-17:00', [`${EVERY} 540-1020`]],
  ['9:00-17:00', [`${EVERY} 540-1020`]],
  ['Sa-Mo 10:00-12:00', ['MoSaSu 600-720']],
  ['Mo,We-Th,Su 10:00-12:00', ['MoWeThSu 600-720']],
  ['Mo-Mo 10:00-12:00', ['Mo 600-720']],
  ['Tu-Mo 10:00-12:00', [`${EVERY} 600-720`]],
  ['22:00-02:00', [`${EVERY} 1320-1560`]],
  ['22:00-00:00', [`${EVERY} 1320-1440`]],
  ['22:00-24:00', [`${EVERY} 1320-1440`]],
  ['00:00-24:00', [`${EVERY} 0-1440`]],
  ['24/7', [`${EVERY} 0-1440`]],
  ['24/7; Su off', [`${EVERY} 0-1440`, 'Su closed']],
  ['Sa', ['Sa 0-1440']],
  ['off', [`${EVERY} closed`]],
  ['Mo-Fr 09:00-17:00; We closed;', ['MoTuWeThFr 540-1020', 'We closed']],
  ['Oct 31: 10:00-12:00', [`${EVERY} 1031-1031 600-720`]],
  ['Oct 31 10:00-12:00', [`${EVERY} 1031-1031 600-720`]],
  ['Jun-Aug: Mo-Fr 09:00-17:00', ['MoTuWeThFr 601-831 540-1020']],
  ['Nov-Feb: 10:00-12:00', [`${EVERY} 1101-229 600-720`]],
  ['Jun', [`${EVERY} 601-630 0-1440`]],
  ['Dec 24-Jan 2: off', [`${EVERY} 1224-102 closed`]],
  ['Dec 24-26 off', [`${EVERY} 1224-1226 closed`]],
  ['Feb 29 off', [`${EVERY} 229-229 closed`]],
  ['Jan,Mar-Apr,Dec 24: 10:00-12:00', [`${EVERY} 101-131,301-430,1224-1224 600-720`]],
  ['  mo-FR\t09:00 - 17:00 ;SA OFF ', ['MoTuWeThFr 540-1020', 'Sa closed']],
  ['Mo-Fr: 09:00-17:00', ['MoTuWeThFr 540-1020']],
])('parses "%s"', (text, rules) => {
  expect(parsed(text)).toEqual(rules);
});

it.each([
  ['', 'a month such as Jun, a weekday such as Mo, a time such as 09:00, or off', 'nothing more', 1],
  [';', 'a month such as Jun', '";"', 1],
  ['Mo-Fr 09:00-17:00;;', 'a month such as Jun', '";"', 19],
  ['tomorrow', 'a month such as Jun', '"tomorrow"', 1],
  ['Mon 09:00-17:00', 'a month such as Jun', '"Mon"', 1],
  ['PH off', 'a month such as Jun', '"PH"', 1],
  ['Mo-Fr 9am', 'a time such as 09:00, or off', '"9"', 7],
  ['Mo-', 'a weekday such as Fr', 'nothing more', 4],
  ['Mo,', 'a weekday such as Mo', 'nothing more', 4],
  ['Mo[1] 09:00-17:00', 'a time such as 09:00, or off', '"["', 3],
  ['Mo: ', 'a time such as 09:00, or off', 'nothing more', 5],
  ['Mo 09:00', '"-" and the time of the end', 'nothing more', 9],
  ['Mo 09:00+', '"-" and the time of the end', '"+"', 9],
  ['Mo 09:00–17:00', '"-" and the time of the end', '"–"', 9],
  ['Mo 09:00-sunset', 'a time from 00:00 to 24:00', '"sunset"', 10],
  ['24:00-09:00', 'a time from 00:00 to 23:59', '"24:00"', 1],
  ['Mo 09:60-17:00', 'a time from 00:00 to 23:59', '"09:60"', 4],
  ['Mo 09:00-24:01', 'a time from 00:00 to 24:00', '"24:01"', 10],
  ['Mo 22:00-26:00', 'a time from 00:00 to 24:00', '"26:00"', 10],
  ['Mo 09:00-09:00', 'an end that is not the start', '"09:00"', 10],
  ['Mo 09:00-17:000', 'a time from 00:00 to 24:00', '"17"', 10],
  ['Mo 09:00-12:00, Tu 10:00-12:00', 'a time from 00:00 to 23:59', '"Tu"', 17],
  ['Mo 12:00-13:00 off', '";" or the end', '"off"', 16],
  ['24/7 off', '";" or the end', '"off"', 6],
  ['Feb 30: off', 'a day from 1 to 29', '"30"', 5],
  ['Apr 31: off', 'a day from 1 to 30', '"31"', 5],
  ['Jan 0: off', 'a day from 1 to 31', '"0"', 5],
  ['Jun: ', 'a weekday such as Mo, a time such as 09:00, or off', 'nothing more', 6],
  ['Jun-Mo off', 'a month such as Aug', '"Mo"', 5],
  ['Dec 24-Mo off', 'a day such as 26, or a month and a day such as Jan 2', '"Mo"', 8],
  ['Dec 24-Jan: off', 'a day from 1 to 31', '":"', 11],
  ['Mo off "by arrangement"', '";" or the end', '"\\""', 8],
  ['Mo 09:00-17:00 || off', '";" or the end', '"|"', 16],
  ['Mo\0', 'a time such as 09:00, or off', '"\\u0000"', 3],
])('refuses %j: expected %s, found %s at %d', (text, expectation, found, at) => {
  const refusal = expect(() => parseOpeningHours(text, 'message.delay.until'));
  refusal.toThrow(`message.delay.until must be opening hours such as "Mo-Fr 09:00-17:00": expected ${expectation}`);
  refusal.toThrow(`found ${found} at character ${at}`);
});

it('names unsupported holidays', () => {
  expect(() => parseOpeningHours('Mo-Fr 09:00-17:00; PH off', 'until')).toThrow('holidays are not known here');
});

it('parses as many rules as fit, and refuses longer texts', () => {
  const most = `${'Mo;'.repeat(OPENING_HOURS_LENGTH_MAX / 3)}Tu`;
  expect(most).toHaveLength(OPENING_HOURS_LENGTH_MAX);
  expect(parsed(most)).toHaveLength(171);

  for (const text of [`${most} `, 'Mo-Fr;'.repeat(10_000), ' '.repeat(1_000_000), '0'.repeat(1_000_000)]) {
    expect(() => parseOpeningHours(text, 'until')).toThrow(`until has ${text.length} characters, opening hours have at most 512`);
  }
});

it('shows the part of a long text around the problem', () => {
  expect(() => parseOpeningHours(`${'Mo;'.repeat(100)}Xy 10:00-12:00`, 'until')).toThrow(
    /at character 301 \(got "[^"]{0,40}Mo;Xy 10:00-12:00"\)$/,
  );
});

it('parses any text, or refuses it with a message', () => {
  const pieces = [
    'Mo',
    'Fr',
    'Jun',
    'Dec',
    ' ',
    '24',
    '31',
    '2',
    '09:00',
    '17:00',
    '24:00',
    '-',
    ',',
    ';',
    ':',
    'off',
    '24/7',
    '\ud800',
    '🙂',
  ];
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...pieces), { maxLength: 12 }).map((some) => some.join('')),
  );
  const hasMessage = (error: unknown) =>
    error === undefined || (error instanceof ServiceError && /^until (must be opening hours|has \d+ characters)/.test(error.message));

  fc.assert(
    fc.property(text, (any) => hasMessage(refusalOf(() => parseOpeningHours(any, 'until')))),
    { numRuns: 2_000 },
  );
});
