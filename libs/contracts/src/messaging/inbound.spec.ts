import { validate } from '../core/validator';
import { refusalOf } from './accepting.fixture';
import { TrackEvent } from './inbound';

const TRACK = { event: 'signed-up', messageId: 'one', type: 'track', properties: { plan: 'pro' }, userId: 'ada' };

it('accepts tracked events with or without a user', () => {
  expect(validate(TrackEvent, { ...TRACK, more: 1 })).toEqual(TRACK);
  expect(() => validate(TrackEvent, { ...TRACK, userId: null })).not.toThrow();
});

it.each<[string, object, string]>([
  ['no event', { event: undefined }, 'event is required'],
  ['an empty event', { event: '' }, 'event'],
  ['no messageId', { messageId: undefined }, 'messageId is required'],
  ['too long an id', { messageId: 'x'.repeat(257) }, 'messageId'],
  ['another type', { type: 'identify' }, 'type must be one of track (got "identify")'],
  ['no properties', { properties: undefined }, 'properties is required'],
  ['properties that are an array', { properties: [] }, 'properties'],
  ['a user that is a number', { userId: 1 }, 'userId'],
])('refuses %s', (_, fields, sentence) => {
  expect(refusalOf(() => validate(TrackEvent, { ...TRACK, ...fields }))).toContain(sentence);
});
