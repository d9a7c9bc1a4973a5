import { expectLinear } from './cpu-time';

it('distinguishes quadratic from linear time', () => {
  const zeros = (size: number): string => `${'0'.repeat(size)}1`;

  expect(() => expectLinear(30_000, (size) => zeros(size).replace(/0+$/, ''))).toThrow('isLinear');
  expect(() => expectLinear(20_000, (size) => zeros(size).replace(/0$/, ''))).not.toThrow();
});
