/** Runs suites of the copy with jest until the first test fails. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const REPORTER = fileURLToPath(new URL('first-failure-reporter.cjs', import.meta.url));
/** Time in ms for a failed suite to stop its processes. */
const END_MS_MAX = 10_000;
/** Limit in ms for a suite that does not end. */
const RUN_MS_MAX = 900_000;
const OUTPUT_CHARACTERS_MAX = 2_000;

export class SuiteRun {
  /** @param {string} directory the copy */
  constructor(directory) {
    this.directory = directory;
  }

  /**
   * Resolves with the first failed test (`suite`, `title`), or with the number that passed. @throws Error for a suite that cannot be
   * loaded, which proves nothing.
   */
  async until(files, { config, topology }) {
    const parameters = ['--config', config, '--runInBand', '--reporters', REPORTER, '--runTestsByPath', ...files];
    const jest = spawn(process.execPath, [path.join(this.directory, 'node_modules/jest/bin/jest.js'), ...parameters], {
      cwd: this.directory,
      env: { ...process.env, TIDINGS_TEST_SYSTEM: topology ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // its own process group, which can be killed as a whole
    });
    this.jest = jest;
    let output = '';
    for (const stream of [jest.stdout, jest.stderr])
      stream.on('data', (chunk) => (output = (output + String(chunk)).slice(-OUTPUT_CHARACTERS_MAX)));
    const timers = [setTimeout(() => this.end(), RUN_MS_MAX)];
    let failure;
    let passed = 0;
    jest.on('message', (message) => {
      if (message.title !== undefined && !failure) {
        failure = { suite: path.relative(this.directory, message.suite), title: message.title, outside: message.outside ?? false };
        timers.push(setTimeout(() => this.end(), END_MS_MAX));
      }
      if (message.passed !== undefined) ({ passed } = message);
    });
    await new Promise((resolve, reject) => jest.once('error', reject).once('exit', resolve));
    timers.forEach(clearTimeout);
    this.end();
    this.jest = undefined;
    if (failure?.outside && passed === 0) throw new Error(`${failure.suite} cannot be run: ${failure.title}`);
    if (!failure && passed === 0) throw new Error(`No test of ${files.join(', ')} was run: ${output.trim()}`);
    return failure ? { suite: failure.suite, title: failure.title } : { passed };
  }

  /** Kills jest and its processes at once; the guards of databases and brokers then clean up. */
  end() {
    if (this.jest?.pid === undefined) return;
    try {
      process.kill(-this.jest.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The jest configuration of a suite. */
export function configOf(directory, file) {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    const config = path.join(folder, 'jest.config.cjs');
    if (existsSync(path.join(directory, config))) return config;
  }
  return 'jest.config.cjs';
}
