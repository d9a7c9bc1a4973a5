import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';

const MAIN = require.resolve('./main');

let directory: string;
beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'tidings-command-'))));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

async function run(...parameters: string[]): Promise<{ code: number | NodeJS.Signals; said: string }> {
  const command = SourceProcess.start(MAIN, { parameters: [...parameters, '--dir', join(directory, 'kafka')] });
  const code = await command.ended;
  return { code, said: command.output };
}

describe('the command line of Kafka', () => {
  it.each([
    [['begin'], 'There is no command begin'],
    [['toString'], 'There is no command toString'],
    [['start', '--brokers', '2'], '--brokers is 1 or 3, not 2'],
    [['start', '--port', 'x'], '--port is a whole number, not x'],
    [['start', '--what'], "Unknown option '--what'"],
    [['start', 'stop'], 'One command at a time'],
  ])('refuses %j', async (parameters, sentence) => {
    const { code, said } = await run(...parameters);

    expect(code).toBe(2);
    expect(said).toContain(sentence);
  });

  it('says which broker it has to be told', async () => {
    await expect(run('kill')).resolves.toMatchObject({ code: 1, said: expect.stringContaining('No Kafka was started') as string });
  });

  it('explains itself', async () => {
    await expect(run('help')).resolves.toMatchObject({ code: 0, said: expect.stringContaining('stop-broker') as string });
  });
});
