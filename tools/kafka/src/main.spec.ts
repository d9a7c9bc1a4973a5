import { run } from './command.fixture';

describe('the command line of Kafka', () => {
  it.each([
    [['begin'], 'There is no command begin'],
    [['toString'], 'There is no command toString'],
    [['start', '--brokers', '2'], '--brokers is 1 or 3, not 2'],
    [['start', '--port', 'x'], '--port is a whole number, not x'],
    [['start', '--what'], "Unknown option '--what'"],
    [['start', 'stop'], 'One command at a time'],
  ])('refuses %j', async (parameters, sentence) => {
    const { code, output } = await run(...parameters);

    expect(code).toBe(2);
    expect(output).toContain(sentence);
  });

  it('refuses a command on a folder without a cluster', async () => {
    await expect(run('kill')).resolves.toMatchObject({ code: 1, output: expect.stringContaining('No Kafka was started') as string });
  });

  it('prints its help', async () => {
    await expect(run('help')).resolves.toMatchObject({ code: 0, output: expect.stringContaining('stop-broker') as string });
  });
});
