import { join } from 'node:path';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';

const MAIN = join(__dirname, 'kafka-access-main.ts');

/** What it does on brokers with an authorizer is in apps/e2e/src/attacks/kafka-access.full.spec.ts. */
describe('tidings kafka-access', () => {
  async function kafkaAccess(brokers: string, ...parameters: string[]) {
    const child = SourceProcess.start(MAIN, { parameters, environment: { KAFKA_BROKERS: brokers, LOG_LEVEL: '' } });
    return { end: await child.ended, output: child.output };
  }

  it.each([
    [['--principal', 'gatway=CN=shop'], '--principal: there is no role gatway: gateway, identity, audience, messaging, content'],
    [['--consumer', 'history-reader'], '--consumer "history-reader" is not NAME=GROUP'],
    [['--delete'], "Unknown option '--delete'"],
  ])('refuses %j', async (parameters, reason) => {
    const { end, output } = await kafkaAccess('127.0.0.1:1', ...parameters);

    expect({ end, output }).toEqual({ end: 1, output: expect.stringContaining(reason) as string });
    expect(output).not.toMatch(/^\s+at /m);
  });

  describeWithKafka('on brokers without an authorizer', () => {
    it(
      'fails and says what is missing',
      async () => {
        const { brokers } = await sharedTestKafka();

        await expect(kafkaAccess(brokers.join())).resolves.toEqual({
          end: 1,
          output:
            'Tidings cannot give rights in Kafka: Kafka refuses the ACLs (SECURITY_DISABLED): the brokers have no authorizer: set authorizer.class.name\n',
        });
      },
      KAFKA_START_TIMEOUT_MS,
    );
  });
});
