/** Runs suites of the copy with jest until the first test fails. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const REPORTER = fileURLToPath(new URL('first-failure-reporter.cjs', import.meta.url));
/** What a suite that has failed may take to end what it started. */
const END_MS_MAX = 10_000;
/** A guard against a suite that hangs. */
const RUN_MS_MAX = 900_000;
const WORDS_MAX = 2_000;

export class SuiteRun {
  /** @param {string} directory the copy */
  constructor(directory) {
    this.directory = directory;
  }

  /**
   * Resolves with the first test that failed (`suite`, `title`), or with how many passed. A suite that cannot be loaded proves
   * nothing: that is an error.
   */
  async until(files, { config, way }) {
    const parameters = ['--config', config, '--runInBand', '--reporters', REPORTER, '--runTestsByPath', ...files];
    const jest = spawn(process.execPath, [path.join(this.directory, 'node_modules/jest/bin/jest.js'), ...parameters], {
      cwd: this.directory,
      env: { ...process.env, TIDINGS_TEST_SYSTEM: way ?? '' },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      detached: true, // a group of its own, which ends as a whole
    });
    this.jest = jest;
    let words = '';
    for (const output of [jest.stdout, jest.stderr]) output.on('data', (chunk) => (words = (words + String(chunk)).slice(-WORDS_MAX)));
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
    if (!failure && passed === 0) throw new Error(`No test of ${files.join(', ')} was run: ${words.trim()}`);
    return failure ? { suite: failure.suite, title: failure.title } : { passed };
  }

  /** Ends jest, and what it started, at once; the guards of databases and brokers notice. */
  end() {
    if (this.jest?.pid === undefined) return;
    try {
      process.kill(-this.jest.pid, 'SIGKILL');
    } catch {
      // It has ended.
    }
  }
}

/** The jest configuration that a suite belongs to. */
export function configOf(directory, file) {
  for (let folder = path.dirname(file); folder !== '.'; folder = path.dirname(folder)) {
    const config = path.join(folder, 'jest.config.cjs');
    if (existsSync(path.join(directory, config))) return config;
  }
  return 'jest.config.cjs';
}
