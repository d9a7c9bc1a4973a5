import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';

const COMMAND = resolve(__dirname, '../../../bin/tidings.mjs');
const TIMEOUT_MS = 60_000;

const tidings = (...parameters: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...parameters], { encoding: 'utf8', timeout: TIMEOUT_MS });

describe('tidings', () => {
  it('says which roles there are', () => {
    const { status, stdout } = tidings('--help');

    expect(status).toBe(0);
    for (const role of ['gateway', 'identity', 'audience', 'messaging', 'content', 'standalone', 'migrate'])
      expect(stdout).toMatch(new RegExp(`^  ${role} `, 'm'));
  });

  it.each([[[]], [['gatway']], [['toString']]])('refuses what is no role, with help: %j', (parameters) => {
    const { status, stdout, stderr } = tidings(...parameters);

    expect(status).toBe(2);
    expect(stderr).toContain('migrate');
    expect(stdout).toBe('');
  });
});
