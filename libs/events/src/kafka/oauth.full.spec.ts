import '@tidings/testing/quiet';
import { findEngine } from '@tidings/kafka-runner/engine';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { TokenServer } from '@tidings/testing/token-server';
import { waitUntil } from '@tidings/testing/wait-until';
import { newTopic, Notes, steps, upTo } from '../spec-events.fixture';
import { KafkaUnderTest } from './kafka-under-test.fixture';

/** kafkajs authenticates again 10 s before the session of a connection ends: after 4 s here. */
const REAUTHENTICATION_MS = 14_000;
const TOKEN_LIFE_S = 15;
/** Tokens that each follow one whose life ends. */
const RENEWALS = 2;

describeWithKafka('Kafka that accepts signed tokens', () => {
  let tokens: TokenServer;
  let under: KafkaUnderTest;

  beforeAll(async () => {
    tokens = await TokenServer.start();
    const { jwksUrl, issuer, audience } = tokens;
    const listener = { sasl: { mechanism: 'oauthbearer' as const, jwksUrl, issuer, audience, reauthenticationMs: REAUTHENTICATION_MS } };
    if (findEngine().kind !== 'java') throw new Error('A broker in Docker does not reach the keys of this test: install Java 17');
    const sasl = { mechanism: 'oauthbearer' as const, tokens: { ...tokens.client, scope: 'kafka' } };
    under = await KafkaUnderTest.start({ listener }, { sasl });
  }, KAFKA_START_TIMEOUT_MS);
  afterAll(async () => {
    await under?.close();
    await tokens?.close();
  });

  it(
    'appends and reads beyond the life of a token, with a new one before it ends',
    async () => {
      tokens.lifetimeS = TOKEN_LIFE_S;
      const topic = newTopic();
      const log = await waitUntil(() => under.open());
      const notes = new Notes();
      await log.consume(topic, { group: 'g' }, notes.note);
      const issuedBefore = tokens.issued.length;

      let count = 0;
      const renewed = async (): Promise<boolean> => {
        await log.append(topic, steps('a', 1, ++count), { deadlineMs: 60_000 });
        return tokens.issued.length >= issuedBefore + RENEWALS;
      };
      await waitUntil(renewed, { what: `${RENEWALS} further tokens`, timeoutMs: KAFKA_START_TIMEOUT_MS });

      await waitUntil(() => notes.firstNumbers('a').length === count);
      expect(notes.firstNumbers('a')).toEqual(upTo(count));
      expect(tokens.issued.every(({ scope }) => scope === 'kafka')).toBe(true);
    },
    KAFKA_START_TIMEOUT_MS,
  );

  it('is unavailable to a client with another secret, and to a token of another issuer', async () => {
    const wrong = { mechanism: 'oauthbearer' as const, tokens: { ...tokens.client, clientSecret: 'guessed' } };
    await expect(under.open({ sasl: wrong })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('answers 401 (invalid_client)') as string,
    });

    const stranger = await TokenServer.start();
    try {
      await expect(under.open({ sasl: { mechanism: 'oauthbearer', tokens: stranger.client } })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('refuses the access token (invalid_token)') as string,
      });
    } finally {
      await stranger.close();
    }
  });
});
