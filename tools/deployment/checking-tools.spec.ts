import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { composeConfig, kubernetesValidate } from './checking-tools';

/** Without the set-up before them: it may install packages, under the suites that run now. */
const RUN_CHECKS = `import { runChecks } from '${pathToFileURL(path.join(__dirname, 'run-checks.mjs')).href}'; await runChecks(['compose']);`;

describe('a machine without Go and Python', () => {
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

  it('is told what each check needs', () => {
    expect(composeConfig.missing()).toMatch(/needs Go/);
    expect(kubernetesValidate.missing()).toMatch(/needs python3 with pip/);
  });

  it('leaves the checks out loudly, and fails where leaving out is not allowed', () => {
    const run = (ci: string) =>
      spawnSync(process.execPath, ['--input-type=module', '-e', RUN_CHECKS], { env: { ...process.env, CI: ci }, encoding: 'utf8' });
    const here = run('');
    expect(here.stdout).toMatch(/LEFT OUT \(\d+\):\n {2}docker-compose.yml .*compose-config needs Go/);
    expect(here.status).toBe(0);
    const inCi = run('true');
    expect(inCi.stdout).toContain('which fails in CI');
    expect(inCi.status).toBe(1);
  });
});
