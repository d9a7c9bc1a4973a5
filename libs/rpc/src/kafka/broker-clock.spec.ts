import { BrokerClock } from './broker-clock';

const HOUR_MS = 3_600_000;

describe("The broker's clock", () => {
  const now = performance.now();
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(now));
  afterEach(() => jest.restoreAllMocks());

  it('computes the age of a record independently of our own clock', () => {
    const clock = new BrokerClock();
    const brokerNow = Date.now() + HOUR_MS;
    clock.observe(now - 4, now, brokerNow - 2);

    expect(clock.ageMs(brokerNow - 5_000)).toBeCloseTo(5_000);
    expect(clock.ageMs(brokerNow + HOUR_MS)).toBe(0);
    expect(Math.round(clock.skewMs / HOUR_MS)).toBe(-1);
  });

  it('is estimated from the shortest round trip', () => {
    const clock = new BrokerClock();
    const brokerNow = Date.now();
    clock.observe(now - 2, now, brokerNow - 1);
    clock.observe(now - 900, now, brokerNow); // the reply was late, so half of the round trip is a bad estimate

    expect(clock.ageMs(brokerNow - 1_000)).toBeCloseTo(1_000);
  });
});
