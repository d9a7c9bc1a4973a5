import { parseRate } from '@tidings/contracts/core/rate';
import { RateBucket } from './rate-bucket';

const bucketOf = (rate: string): RateBucket => new RateBucket({ scope: 'workspace', workspaceId: 'w' }, parseRate(rate)!, 0);

/** Takes as many tokens as there are. */
function drain(bucket: RateBucket, now: number): number {
  let admitted = 0;
  for (; bucket.fill(now) >= 1; admitted += 1) bucket.take();
  return admitted;
}

it.each([
  ['100/s', 50, 100],
  ['5/s', 5, 5],
  ['60/m', 5, 1],
  ['3/m', 3, 0],
  ['36000/h', 5, 10],
])('has a burst, and fills at its rate: %s', (rate, burst, perSecond) => {
  const bucket = bucketOf(rate);
  expect(drain(bucket, 0)).toBe(burst);
  expect(drain(bucket, 999)).toBeLessThanOrEqual(perSecond);

  const paced = bucketOf(rate);
  drain(paced, 0);
  let admitted = 0;
  for (let now = 10; now <= 60_000; now += 10) admitted += drain(paced, now);
  expect(Math.abs(admitted - parseRate(rate)!.perSecond * 60)).toBeLessThanOrEqual(1);
});

it('uses its part of the tokens and of the rate, and continues with it without another lease', () => {
  const bucket = bucketOf('100/s');
  drain(bucket, 0);
  bucket.report(0);

  bucket.renew({ tokens: 40, gateways: 4 }, 100);

  expect(drain(bucket, 100)).toBe(10);
  expect(drain(bucket, 1_100)).toBe(12); // no more fits: an eighth of a second's worth
  let admitted = 0;
  for (let now = 1_110; now <= 11_100; now += 10) admitted += drain(bucket, now);
  expect(admitted).toBe(250);
});

it('gives the last token to every gateway, and refuses all until what was overdrawn is repaid', () => {
  const bucket = bucketOf('10/s');
  bucket.renew({ tokens: 1, gateways: 3 }, 0);
  expect(drain(bucket, 0)).toBe(1);

  bucket.renew({ tokens: -5, gateways: 1 }, 0);
  expect(bucket.secondsUntil(1)).toBeCloseTo(0.5 + 0.1 + 0.1); // one was used since the report
  expect(drain(bucket, 650)).toBe(0);
  expect(drain(bucket, 710)).toBe(1);
});

it('reports again what a lost report had, at most a burst', () => {
  const bucket = bucketOf('10/s');
  drain(bucket, 0);
  bucket.restore(bucket.report(0));
  expect(bucket.used).toBe(5);
  drain(bucket, 1_000);
  bucket.restore(bucket.report(1_000));
  expect(bucket.used).toBe(5);
});
