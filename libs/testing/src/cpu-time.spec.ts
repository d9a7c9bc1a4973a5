import { expectLinear } from './cpu-time';

it('distinguishes quadratic from linear time', () => {
  const zeros = (size: number): string => `${'0'.repeat(size)}1`;

  // A failing measurement is repeated: the example is short, and so is the time that counts as noise.
  expect(() => expectLinear(4_000, (size) => zeros(size).replace(/0+$/, ''), 5)).toThrow('isLinear');
  expect(() => expectLinear(20_000, (size) => zeros(size).replace(/0$/, ''))).not.toThrow();
});
