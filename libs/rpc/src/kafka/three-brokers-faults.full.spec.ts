import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { FaultsUnderLoad } from './faults.fixture';

jest.setTimeout(300_000);

/** Answers in flight when the broker fails do not count. */
const IN_FLIGHT_MS = 2_000;

describeWithKafka('Operations over three brokers', () => {
  let under: FaultsUnderLoad;

  beforeAll(async () => {
    under = await FaultsUnderLoad.start(3);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());
  beforeEach(() => under.startLoad());

  it('continue without a killed broker', async () => {
    const failedAt = performance.now();
    await under.cluster.kill(1);
    const continuedAfterMs = IN_FLIGHT_MS + (await under.answeredAgain(failedAt + IN_FLIGHT_MS));
    await under.cluster.startBroker(1);
    await under.expectRecovery('one of three brokers killed', { 'continued after ms': continuedAfterMs });
  });

  it('continue without a frozen broker', async () => {
    const failedAt = performance.now();
    await under.cluster.freeze(2);
    const continuedAfterMs = IN_FLIGHT_MS + (await under.answeredAgain(failedAt + IN_FLIGHT_MS));
    await under.cluster.thaw(2);
    await under.expectRecovery('one of three brokers frozen', { 'continued after ms': continuedAfterMs });
  });
});
