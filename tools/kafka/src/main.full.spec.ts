import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { run } from './command.fixture';

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

describeWithKafka('npm run kafka', () => {
  it('starts a Kafka that stays, acts on one broker, tells its state and ends it', async () => {
    const started = await run('start', '--port', '9392');
    expect(started).toEqual({ code: 0, said: expect.stringMatching(/^127\.0\.0\.1:\d+\n$/) as string });
    const address = started.said.trim();
    await expect(run('start')).resolves.toEqual(started);
    await expect(run('status')).resolves.toEqual({ code: 0, said: `broker 1 ${address} serving\n` });

    await run('freeze', '--broker', '1');
    await expect(run('status')).resolves.toEqual({ code: 3, said: `broker 1 ${address} silent\n` });
    await run('thaw', '--broker', '1');
    await run('kill', '--broker', '1');
    await expect(run('status')).resolves.toEqual({ code: 3, said: `broker 1 ${address} stopped\n` });
    await run('start-broker', '--broker', '1');
    await expect(run('status')).resolves.toMatchObject({ code: 0 });

    await run('stop', '--wipe');
    await expect(run('status')).resolves.toEqual({ code: 1, said: expect.stringContaining('npm run kafka -- start') as string });
  });
});
