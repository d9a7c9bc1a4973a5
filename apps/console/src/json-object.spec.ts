import { parseObject } from './json-object';

describe('A text as JSON', () => {
  it('is an object', () => expect(parseObject('{"name":"Ada"}')).toEqual({ value: { name: 'Ada' } }));

  it.each(['{"name":', '[]', 'null', '7'])('is no object: %s', (text) => expect(parseObject(text)).toHaveProperty('problem'));
});
