import { encodeEvent } from './new-event';
import { newTopic, step } from './spec-events.fixture';

const topic = newTopic();

describe('a new event', () => {
  it.each([
    ['a tombstone without a key', { id: 'x', payload: null }],
    ['an empty id', { ...step('a', 1), id: '' }],
    ['an id above 64 characters', { ...step('a', 1), id: 'x'.repeat(65) }],
    ['a key with NUL', { ...step('a', 1), key: 'w:\0' }],
    ['a key with half a character', { ...step('a', 1), key: 'w:\udc00' }],
    ['a running number that is not a number', { ...step('a', 1), sequence: '-1' }],
    ['a running number above 19 digits', { ...step('a', 1), sequence: '1'.repeat(20) }],
  ])('is refused: %s', (_, bad) => {
    expect(() => encodeEvent(topic, bad)).toThrow(expect.objectContaining({ code: 'invalid_request' }) as Error);
  });

  it('has its running number without leading zeros', () => {
    expect(encodeEvent(topic, { ...step('a', 1), sequence: '0007' }).sequence).toBe('7');
    expect(encodeEvent(topic, { ...step('a', 1), sequence: '0' }).sequence).toBe('0');
  });
});
