import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';
import { Messaging } from '../testing/start-messaging';

const MAIN = join(__dirname, 'check-main.ts');

describe('tidings check', () => {
  let messaging: Messaging;
  const directory = mkdtempSync(join(tmpdir(), 'tidings-check-'));

  beforeAll(async () => {
    messaging = await Messaging.create();
    await messaging.start();
    await messaging.stop();
  });
  afterAll(async () => {
    await messaging.end();
    rmSync(directory, { recursive: true });
  });

  async function run(...parameters: string[]) {
    const environment = { DATABASE_URL: messaging.database.urlOf('messaging'), KAFKA_BROKERS: '', LOG_LEVEL: '' };
    const child = SourceProcess.start(MAIN, { parameters, environment });
    return { end: await child.ended, output: child.output };
  }

  it('exits with 0 where nothing is wrong, with 3 where something is, and with 0 once it is repaired', async () => {
    const state = join(directory, 'state');
    await expect(run()).resolves.toEqual({ end: 0, output: expect.stringContaining('Nothing is wrong') as string });
    await messaging.rows(
      `insert into messaging.deliveries (message_id, leaf, workspace_id, channel, provider, attempt, attempt_open, due_at)
       values ($1, 0, $2, 'email', 'smtp', 0, false, clock_timestamp())`,
      [randomUUID(), messaging.workspaceId],
    );

    const found = await run('--json');
    expect(found.end).toBe(3);
    expect(JSON.parse(found.output.slice(found.output.indexOf('{')))).toMatchObject({
      complete: true,
      problems: [{ problem: 'delivery-without-message', found: 1, repaired: 0 }],
      listed: [{ workspace_id: messaging.workspaceId, result: 'not repaired: --repair mends it' }],
    });

    await expect(run('--repair', '--state', state)).resolves.toEqual({
      end: 0,
      output: expect.stringMatching(/delivery-without-message: .*: the delivery was removed\n/) as string,
    });
    expect(existsSync(state)).toBe(false);
  });

  it('refuses wrong arguments, and a file of another command', async () => {
    await expect(run('--repare')).resolves.toEqual({ end: 2, output: expect.stringContaining('Usage: tidings check') as string });
    const state = join(directory, 'other');
    writeFileSync(state, JSON.stringify({ command: 'check', state: { pass: 0 } }));
    await expect(run('--repair', '--state', state)).resolves.toEqual({
      end: 1,
      output: expect.stringContaining(`belongs to "check", not to "check --repair"`) as string,
    });
  });
});
