import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { FaultsUnderLoad } from './faults.fixture';

jest.setTimeout(300_000);

/** What was answered on the way when the broker went does not count. */
const UNDER_WAY_MS = 2_000;

describeWithKafka('Operations over three brokers', () => {
  let under: FaultsUnderLoad;

  beforeAll(async () => {
    under = await FaultsUnderLoad.start(3);
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(() => under.close());
  beforeEach(() => under.beginLoad());

  it('go on without one that was killed', async () => {
    const awayAt = performance.now();
    await under.cluster.kill(1);
    const goneOnAfterMs = UNDER_WAY_MS + (await under.answeredAgain(awayAt + UNDER_WAY_MS));
    await under.cluster.startBroker(1);
    await under.expectOrder('one of three brokers killed', { 'went on after ms': goneOnAfterMs });
  });

  it('go on without one that is frozen', async () => {
    const awayAt = performance.now();
    await under.cluster.freeze(2);
    const goneOnAfterMs = UNDER_WAY_MS + (await under.answeredAgain(awayAt + UNDER_WAY_MS));
    await under.cluster.thaw(2);
    await under.expectOrder('one of three brokers frozen', { 'went on after ms': goneOnAfterMs });
  });
});
