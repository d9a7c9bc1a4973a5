import { duration } from './format';

it.each([
  [0, '0 ms'],
  [45, '45 ms'],
  [1_240, '1.2 s'],
  [185_000, '3 min 5 s'],
  [7_800_000, '2 h 10 min'],
  [7_200_000, '2 h'],
  [356_400_000, '4 d 3 h'],
])('writes %d ms as "%s"', (ms, text) => expect(duration(ms)).toBe(text));
