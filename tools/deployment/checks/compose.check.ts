import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { composeConfig } from '../checking-tools';
import { type ComposeModel, environmentsOf, orderProblems } from '../compose';
import { problemsOfDeployment } from '../process-environment';
import { imageEnvironment, readText } from '../repository';
import { itWith } from '../when-installed';

/** The first run fetches and builds the tool. */
const INSTALL_MS_MAX = 300_000;

const itChecks = itWith(composeConfig);

function load(text: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-compose-'));
  try {
    const file = path.join(folder, 'docker-compose.yml');
    writeFileSync(file, text);
    const { status, stdout, stderr } = composeConfig.run(file);
    return { status, stderr, model: status === 0 ? (JSON.parse(stdout) as ComposeModel) : undefined };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

describe('docker-compose.yml', () => {
  itChecks(
    'is valid for Compose and configures every process',
    () => {
      const { status, stderr, model } = load(readText('docker-compose.yml'));
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(problemsOfDeployment(environmentsOf(model!, imageEnvironment()))).toEqual([]);
      expect(orderProblems(model!)).toEqual([]);
    },
    INSTALL_MS_MAX,
  );

  const broken = [
    ['an unknown key', (text: string) => text.replace('stop_grace_period:', 'stop_grace_time:'), /stop_grace_time/],
    ['a wait for a missing service', (text: string) => text.replace('identity: { condition', 'identities: { condition'), /identities/],
    ['an invalid duration', (text: string) => text.replace('interval: 5s', 'interval: often'), /often/],
  ] as const;
  for (const [what, damage, reason] of broken) {
    itChecks(
      `is refused with ${what}`,
      () => {
        const { status, stderr } = load(damage(readText('docker-compose.yml')));
        expect(status).toBe(1);
        expect(stderr).toMatch(reason);
      },
      INSTALL_MS_MAX,
    );
  }
});
