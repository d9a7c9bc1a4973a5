import { candidatesOf, isAddress } from './search';

const meanings = (text: string, users?: string[]): string[] => candidatesOf(text, users).map(({ matched }) => matched);

describe('A search of messages', () => {
  it('takes an id as a message first, archived or not, then as a trace or a request', () => {
    const id = '1-69a40ce0-5f2b9c01d3e84a7766aa10fe';
    expect(candidatesOf(id)[0]).toEqual({ matched: 'messageId', filter: { messageId: id, archived: 'true' } });
    expect(meanings(id)).toContain('traceId');
  });

  it('takes any other text as recipient, trace, template and event', () => {
    expect(meanings('order-shipped')).toEqual(['recipient', 'traceId', 'notification', 'event']);
  });

  it('tries the users who have an address before the address itself', () => {
    const [first, second] = candidatesOf('ada@example.com', ['ada']);
    expect(first).toEqual({ matched: 'user', filter: { recipient: 'ada' }, user: 'ada' });
    expect(second).toMatchObject({ matched: 'recipient', filter: { recipient: 'ada@example.com' } });
  });

  it.each([
    ['ada@example.com', true],
    ['+49 151 1234567', true],
    ['015112345678', true],
    ['ada', false],
    ['1-69a40ce0-5f2b9c01d3e84a7766aa10fe', false],
    ['a b@c', false],
  ])('takes %s for an address: %s', (text, expected) => expect(isAddress(text)).toBe(expected));
});
