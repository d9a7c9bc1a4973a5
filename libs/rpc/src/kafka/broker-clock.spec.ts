import { BrokerClock } from './broker-clock';

const HOUR_MS = 3_600_000;

describe("The broker's clock", () => {
  const now = performance.now();
  beforeEach(() => void jest.spyOn(performance, 'now').mockReturnValue(now));
  afterEach(() => jest.restoreAllMocks());

  it('tells the age of a record whatever our own clock says', () => {
    const clock = new BrokerClock();
    const brokerNow = Date.now() + HOUR_MS;
    clock.observe(now - 4, now, brokerNow - 2);

    expect(clock.ageMs(brokerNow - 5_000)).toBeCloseTo(5_000);
    expect(clock.ageMs(brokerNow + HOUR_MS)).toBe(0);
    expect(Math.round(clock.skewMs / HOUR_MS)).toBe(-1);
  });

  it('is taken from the quickest round trip', () => {
    const clock = new BrokerClock();
    const brokerNow = Date.now();
    clock.observe(now - 2, now, brokerNow - 1);
    clock.observe(now - 900, now, brokerNow); // waited on the way back: half of it is no measure

    expect(clock.ageMs(brokerNow - 1_000)).toBeCloseTo(1_000);
  });
});
