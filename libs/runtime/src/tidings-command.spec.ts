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

  it.each([
    ['migrate', '--admin-url postgresql://'],
    ['gateway', 'README.md'],
  ])('says how the role %s is called when it is asked, whatever its environment lacks', (role, words) => {
    const { status, stdout, stderr } = tidings(role, '--help');

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^tidings ${role}`));
    expect(stdout).toContain(words);
  });

  it.each([[[]], [['gatway']], [['toString']]])('refuses what is no role, with help: %j', (parameters) => {
    const { status, stdout, stderr } = tidings(...parameters);

    expect(status).toBe(2);
    expect(stderr).toContain('migrate');
    expect(stdout).toBe('');
  });
});
