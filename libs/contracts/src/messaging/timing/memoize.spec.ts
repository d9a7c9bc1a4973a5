import { memoize } from './memoize';

function memoizedLength(entriesMax: number) {
  const computed: string[] = [];
  const length = memoize(entriesMax, (text) => {
    computed.push(text);
    return text === '' ? undefined : text.length;
  });
  return { computed, length };
}

it('computes once per text, also if the result is undefined', () => {
  const { computed, length } = memoizedLength(10);

  expect(['ab', '', 'ab', ''].map(length)).toEqual([2, undefined, 2, undefined]);
  expect(computed).toEqual(['ab', '']);
});

it('evicts the least recently used text', () => {
  const { computed, length } = memoizedLength(2);

  for (const text of ['used', 'a', 'used', 'b', 'used', 'c', 'used']) length(text);
  expect(computed).toEqual(['used', 'a', 'b', 'c']);
  length('a');
  expect(computed).toEqual(['used', 'a', 'b', 'c', 'a']);
});
