import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { setTimeout as delay } from 'node:timers/promises';
import { FaultsUnderLoad } from './faults.fixture';

jest.setTimeout(120_000);

const FROZEN_MS = 8_000;
const AWAY_MS = 4_000;
/** From this long after the broker went, callers are refused at once instead of kept waiting. */
const KNOWN_AWAY_AFTER_MS = 2_000;
const REFUSED_WITHIN_MS = 500;

describeWithKafka('Operations while the broker', () => {
  let under: FaultsUnderLoad;

  beforeAll(async () => {
    under = await FaultsUnderLoad.start(1);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());
  beforeEach(() => under.beginLoad());

  const expectRefusals = (awayAt: number, backAt: number): number => {
    const refused = under.load.ended.filter(({ from, to }) => from > awayAt + KNOWN_AWAY_AFTER_MS && to < backAt);
    for (const { from, to, error } of refused) {
      expect(error).toBe('unavailable');
      expect(to - from).toBeLessThan(REFUSED_WITHIN_MS);
    }
    expect(refused.length).toBeGreaterThan(0);
    return refused.length;
  };

  it('is frozen longer than a request may take end in bounded time, and go on when it thaws', async () => {
    const awayAt = performance.now();
    await under.cluster.freeze(1);
    await delay(FROZEN_MS);
    expect(await under.ready()).toBe(false);
    const backAt = performance.now();
    await under.cluster.thaw(1);

    const recoveredMs = await under.answeredAgain(backAt);
    await under.expectOrder('a broker frozen', { 'recovered after ms': recoveredMs, 'refused at once': expectRefusals(awayAt, backAt) });
  });

  it('is killed and started again end in bounded time, and go on when it is back', async () => {
    const awayAt = performance.now();
    await under.cluster.kill(1);
    await delay(AWAY_MS);
    await expect(under.connect()).rejects.toMatchObject({ code: 'unavailable' });
    const backAt = performance.now();
    await under.cluster.startBroker(1);
    const startedAt = performance.now();

    const recoveredMs = await under.answeredAgain(startedAt);
    await under.expectOrder('a broker restarted', { 'recovered after ms': recoveredMs, 'refused at once': expectRefusals(awayAt, backAt) });
  });
});
