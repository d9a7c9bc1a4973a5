import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { VERSION } from './version';

const COMMAND = resolve(__dirname, '../../../bin/tidings.mjs');
const TIMEOUT_MS = 60_000;

const tidings = (...parameters: string[]) =>
  spawnSync(process.execPath, [COMMAND, ...parameters], { encoding: 'utf8', timeout: TIMEOUT_MS });

describe('tidings', () => {
  it('lists the roles with --help', () => {
    const { status, stdout } = tidings('--help');

    expect(status).toBe(0);
    for (const role of [
      'gateway',
      'identity',
      'audience',
      'messaging',
      'content',
      'standalone',
      'migrate',
      'kafka-access',
      'check',
      'replay',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${role} `, 'm'));
  });

  it('prints the version of the product with --version', () => {
    expect(tidings('--version')).toMatchObject({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  });

  it.each([
    ['migrate', '--admin-url postgresql://'],
    ['kafka-access', '--consumer NAME=GROUP'],
    ['check', '--repair'],
    ['replay', '--into TOPIC | --group GROUP'],
    ['gateway', 'docs/configuration.md'],
  ])('prints the usage of role %s with --help, whatever its environment', (role, words) => {
    const { status, stdout, stderr } = tidings(role, '--help');

    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toMatch(new RegExp(`^tidings ${role}`));
    expect(stdout).toContain(words);
  });

  it.each([[[]], [['gatway']], [['toString']]])('refuses an unknown role and prints the usage: %j', (parameters) => {
    const { status, stdout, stderr } = tidings(...parameters);

    expect(status).toBe(2);
    expect(stderr).toContain('migrate');
    expect(stdout).toBe('');
  });
});
