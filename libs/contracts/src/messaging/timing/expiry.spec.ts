import { type Expiry, EXPIRY_MS_MAX, parseExpiry } from './expiry';
import { refusalOf } from './refusal.fixture';

const DAY_MS = 86_400_000;
const AT = Date.parse('2030-03-17T17:46:40Z');

it.each<[unknown, Expiry]>([
  [{ expires_in: 1_000 }, { inMs: 1_000 }],
  [{ expires_in: 0.5 }, { inMs: 1 }],
  [{ expires_in: '3600000', expires_at: null }, { inMs: 3_600_000 }],
  [{ expires_in: 'P1DT4H' }, { inMs: DAY_MS + 4 * 3_600_000 }],
  [{ expires_in: EXPIRY_MS_MAX }, { inMs: EXPIRY_MS_MAX }],
  [{ expires_at: '2030-03-17T17:46:40Z' }, { atMs: AT }],
  [{ expires_at: '2030-03-17' }, { atMs: Date.parse('2030-03-17T00:00:00Z') }],
  [{ expires_at: AT }, { atMs: AT }],
  [{ expires_at: AT / 1_000 }, { atMs: AT }],
  [{ expires_at: String(AT) }, { atMs: AT }],
  [{ expires_at: String(AT / 1_000) }, { atMs: AT }],
  [{ expires_at: '1900000000.5' }, { atMs: 1_900_000_000_500 }],
  [{ expires_at: 0 }, { atMs: 0 }],
  [{ expires_in: 'P1D', expires_at: AT }, { atMs: AT }],
  [{ expires_in: null, expires_at: AT, other: 'field' }, { atMs: AT }],
])('parses %j as %j', (value, expiry) => {
  expect(parseExpiry(value, 'message.expiry')).toEqual(expiry);
});

it.each<[unknown, string]>([
  [null, 'message.expiry must be an object with expires_in or expires_at (got null)'],
  ['P1D', 'message.expiry must be an object with expires_in or expires_at (got "P1D")'],
  [{}, 'message.expiry must have expires_in (a duration) or expires_at (an instant)'],
  [{ expires_in: null, expires_at: null }, 'message.expiry must have expires_in'],
  [{ expires_in: 0 }, 'message.expiry.expires_in must be milliseconds or an ISO 8601 duration such as "P1DT4H"'],
  [{ expires_in: -1 }, 'message.expiry.expires_in'],
  [{ expires_in: NaN }, 'message.expiry.expires_in'],
  [{ expires_in: EXPIRY_MS_MAX + 1 }, 'message.expiry.expires_in'],
  [{ expires_in: 'P0D' }, 'message.expiry.expires_in'],
  [{ expires_in: 'P100Y' }, '(got "P100Y")'],
  [{ expires_in: '1 day' }, '(got "1 day")'],
  [{ expires_in: '' }, '(got "")'],
  [{ expires_in: ['P1D'] }, '(got ["P1D"])'],
  [{ expires_in: 'soon', expires_at: AT }, 'message.expiry.expires_in'],
  [{ expires_at: 'soon' }, 'message.expiry.expires_at must be an ISO 8601 date with time, or seconds or milliseconds since the epoch'],
  [{ expires_at: -1 }, 'message.expiry.expires_at'],
  [{ expires_at: NaN }, 'message.expiry.expires_at'],
  [{ expires_at: 1e300 }, 'message.expiry.expires_at'],
  [{ expires_at: '9'.repeat(16) }, 'message.expiry.expires_at'],
  [{ expires_at: '9'.repeat(1_000_000) }, 'message.expiry.expires_at'],
  [{ expires_at: true }, 'message.expiry.expires_at'],
  [{ expires_at: { at: AT } }, '(got {"at":'],
])('refuses %j', (value, sentence) => {
  expect(refusalOf(() => parseExpiry(value, 'message.expiry'))).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining(sentence) as string,
  });
});
