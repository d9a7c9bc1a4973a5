import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { setTimeout as delay } from 'node:timers/promises';
import { DEADLINE_MS, FaultsUnderLoad } from './faults.fixture';

jest.setTimeout(300_000);

const FROZEN_MS = 8_000;
const AWAY_MS = 4_000;
/** So many calls one after the other are refused before one deadline passes: none of them waits for a broker. */
const REFUSALS = 10;

describeWithKafka('Operations while the broker', () => {
  let under: FaultsUnderLoad;

  beforeAll(async () => {
    under = await FaultsUnderLoad.start(1);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());
  beforeEach(() => under.beginLoad());

  const expectRefusal = async (kind: 'greet' | 'forget'): Promise<void> => {
    let isPast = false;
    const deadline = setTimeout(() => (isPast = true), DEADLINE_MS);
    for (let calls = 0; calls < REFUSALS; calls++)
      await expect(under.call(kind)).rejects.toMatchObject({ code: 'unavailable', hints: { retryAfterSeconds: 1 } });
    clearTimeout(deadline);
    expect(isPast).toBe(false);
  };

  it('is frozen longer than a request may take end in bounded time, and go on when it thaws', async () => {
    await under.cluster.freeze(1);
    await delay(FROZEN_MS);
    expect(await under.ready()).toBe(false);
    await expectRefusal('greet');
    await expectRefusal('forget');
    const backAt = performance.now();
    await under.cluster.thaw(1);

    const recoveredMs = await under.answeredAgain(backAt);
    await under.expectOrder('a broker frozen', { 'recovered after ms': recoveredMs });
  });

  it('is killed and started again end in bounded time, and go on when it is back', async () => {
    await under.cluster.kill(1);
    await delay(AWAY_MS);
    await expectRefusal('greet');
    await expectRefusal('forget');
    await expect(under.connect()).rejects.toMatchObject({ code: 'unavailable' });
    await under.cluster.startBroker(1);
    const backAt = performance.now();

    const recoveredMs = await under.answeredAgain(backAt);
    await under.expectOrder('a broker restarted', { 'recovered after ms': recoveredMs });
  });
});
