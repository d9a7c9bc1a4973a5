import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { composeConfig, kubernetesValidate } from './checking-tools';
import { buildah } from './container-image';

/** Runs the checks without the set-up, which may install packages under the running suites. */
const RUN_CHECKS = `import { runChecks } from '${pathToFileURL(path.join(__dirname, 'run-checks.mjs')).href}'; await runChecks(['compose']);`;

describe('a machine without Go, Python and buildah', () => {
  const search = process.env.PATH;
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'tidings-empty-'));
    process.env.PATH = folder;
  });
  afterEach(() => {
    process.env.PATH = search;
    rmSync(folder, { recursive: true, force: true });
  });

  it('gets a message with the requirement of each check', () => {
    expect(composeConfig.missing()).toMatch(/needs Go/);
    expect(kubernetesValidate.missing()).toMatch(/needs python3 with pip/);
    expect(buildah.missing()).toMatch(/buildah .* is not on the PATH/);
  });

  it('reports skipped checks, and fails on them in CI', () => {
    const run = (ci: string) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', RUN_CHECKS], { env: { ...process.env, CI: ci }, encoding: 'utf8' });
    const local = run('');
    expect(local.stdout).toMatch(/LEFT OUT \(\d+\):\n {2}docker-compose.yml .*compose-config needs Go/);
    expect(local.status).toBe(0);
    const inCi = run('true');
    expect(inCi.stdout).toContain('which fails in CI');
    expect(inCi.status).toBe(1);
  });
});
