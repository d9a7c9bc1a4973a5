import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { setTimeout as delay } from 'node:timers/promises';
import { DEADLINE_MS, FaultsUnderLoad } from './faults.fixture';

jest.setTimeout(300_000);

const FROZEN_MS = 8_000;
const DOWN_MS = 4_000;
/** So many consecutive calls are refused before one deadline passes, so none of them waits for the broker. */
const REFUSALS = 10;

describeWithKafka('Operations while the broker', () => {
  let under: FaultsUnderLoad;

  beforeAll(async () => {
    under = await FaultsUnderLoad.start(1);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());
  beforeEach(() => under.startLoad());

  const expectRefusal = async (kind: 'greet' | 'forget'): Promise<void> => {
    let isPast = false;
    const deadline = setTimeout(() => (isPast = true), DEADLINE_MS);
    for (let calls = 0; calls < REFUSALS; calls++)
      await expect(under.call(kind)).rejects.toMatchObject({ code: 'unavailable', hints: { retryAfterSeconds: 1 } });
    clearTimeout(deadline);
    expect(isPast).toBe(false);
  };

  it('is frozen past the request timeout end in time, and succeed again after it thaws', async () => {
    await under.cluster.freeze(1);
    await delay(FROZEN_MS);
    expect(await under.ready()).toBe(false);
    await expectRefusal('greet');
    await expectRefusal('forget');
    const backAt = performance.now();
    await under.cluster.thaw(1);

    const recoveredMs = await under.answeredAgain(backAt);
    await under.expectRecovery('a broker frozen', { 'recovered after ms': recoveredMs });
  });

  it('is killed and restarted end in time, and succeed again afterwards', async () => {
    await under.cluster.kill(1);
    await delay(DOWN_MS);
    await expectRefusal('greet');
    await expectRefusal('forget');
    await expect(under.connect()).rejects.toMatchObject({ code: 'unavailable' });
    await under.cluster.startBroker(1);
    const backAt = performance.now();

    const recoveredMs = await under.answeredAgain(backAt);
    await under.expectRecovery('a broker restarted', { 'recovered after ms': recoveredMs });
  });
});
