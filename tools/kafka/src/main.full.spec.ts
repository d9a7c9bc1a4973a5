import { describeWithKafka, KAFKA_START_TIMEOUT_MS } from '@tidings/testing/kafka';
import { run, runIn } from './command.fixture';

jest.setTimeout(KAFKA_START_TIMEOUT_MS);

describeWithKafka('npm run kafka', () => {
  it('starts a detached Kafka, controls one broker, prints its state and stops it', async () => {
    const started = await run('start', '--port', '9392');
    expect(started).toEqual({ code: 0, output: expect.stringMatching(/^127\.0\.0\.1:\d+\n$/) as string });
    const address = started.output.trim();
    await expect(run('start')).resolves.toEqual(started);
    await expect(run('status')).resolves.toEqual({ code: 0, output: `broker 1 ${address} serving\n` });

    const elsewhere = await runIn({ TIDINGS_DATA_DIR: '/tmp/of-another-terminal' }, 'status');
    expect(elsewhere.output).toMatch(new RegExp(`^Kafka in .*:\nbroker 1 ${address} serving$`, 'm'));

    await run('freeze', '--broker', '1');
    await expect(run('status')).resolves.toEqual({ code: 3, output: `broker 1 ${address} silent\n` });
    await run('thaw', '--broker', '1');
    await run('kill', '--broker', '1');
    await expect(run('status')).resolves.toEqual({ code: 3, output: `broker 1 ${address} stopped\n` });
    await run('start-broker', '--broker', '1');
    await expect(run('status')).resolves.toMatchObject({ code: 0 });

    await run('stop', '--wipe');
    await expect(run('status')).resolves.toEqual({ code: 1, output: expect.stringContaining('npm run kafka -- start') as string });
  });
});
