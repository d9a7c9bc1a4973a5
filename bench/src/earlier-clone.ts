import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Bench } from './bench';
import { ROOT } from './root';

/** Clones `commit` of this repository, installs and builds it; resolves with the folder, which is removed at the end. */
export async function earlierClone(bench: Bench, commit: string): Promise<string> {
  const clone = path.join(bench.directory(), 'clone');
  const run = (...command: string[]) => runToEnd(bench, clone, command);
  console.log(`Building ${commit} …`);
  await runToEnd(bench, ROOT, ['git', 'clone', '--quiet', '--shared', '--no-checkout', '.', clone]);
  await run('git', 'checkout', '--quiet', '--detach', commit);
  const hasSamePackages = lockOf(clone) === lockOf(ROOT);
  // Links across file systems are not possible; then the packages are installed.
  const isLinked =
    hasSamePackages &&
    (await run('cp', '-al', path.join(ROOT, 'node_modules'), 'node_modules').then(
      () => true,
      () => false,
    ));
  if (!isLinked) await run('npm', 'ci', '--no-audit', '--no-fund');
  await run('npm', 'run', '--silent', 'build');
  return clone;
}

const lockOf = (folder: string): string => readFileSync(path.join(folder, 'package-lock.json'), 'utf8');

/** @throws when the command fails; it prints the reason itself */
async function runToEnd(bench: Bench, cwd: string, [program, ...parameters]: string[]): Promise<void> {
  const child = spawn(program!, parameters, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
  const ended = new Promise<string | undefined>((resolve) => {
    child.once('error', ({ message }) => resolve(message));
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${code ?? signal}`));
  });
  bench.atEnd(program!, async () => {
    child.kill();
    await ended;
  });
  const failure = await ended;
  if (failure !== undefined) throw new Error(`${program} ${parameters.join(' ')}: ${failure}`);
}
