import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { root } from './set-up.mjs';

/** With a name pattern, the other tests do not count as left out. */
const BY_NAME = /^(-t|--testNamePattern)(=|$)/;

/** Runs jest; resolves with its counts and failures. A suite that could not run counts as one failure. */
export async function runJest(parameters, environment = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-jest-'));
  const file = path.join(folder, 'results.json');
  try {
    const jest = spawn(
      process.execPath,
      [path.join(root, 'node_modules/jest/bin/jest.js'), ...parameters, '--json', `--outputFile=${file}`],
      {
        cwd: root,
        env: { ...process.env, ...environment },
        // With --json jest reports on stderr; stdout repeats the results, which are in the file.
        stdio: ['inherit', 'ignore', 'inherit'],
      },
    );
    // The terminal signals jest as well; jest stops its processes, and this process waits for it.
    const wait = () => {};
    process.on('SIGINT', wait);
    const code = await new Promise((resolve, reject) =>
      jest.once('error', reject).once('exit', (status, signal) => resolve(status ?? signal)),
    );
    process.off('SIGINT', wait);
    return tally(
      code,
      file,
      parameters.some((parameter) => BY_NAME.test(parameter)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function tally(code, file, chosenByName) {
  let results;
  try {
    results = JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return { suites: 0, passed: 0, failed: 1, failures: [], leftOut: [], interrupted: code === 'SIGINT' || code === 130 };
  }
  const { numTotalTestSuites: suites, numPassedTests: passed, numFailedTests, numRuntimeErrorTestSuites: broken, testResults } = results;
  const failed = numFailedTests + broken;
  const all = chosenByName ? [] : testResults;
  const leftOut = all.flatMap(({ assertionResults }) =>
    assertionResults
      .filter(({ status }) => status === 'pending' || status === 'todo' || status === 'disabled')
      .map(({ fullName }) => fullName),
  );
  const failures = testResults
    .filter(({ status }) => status === 'failed')
    .map(({ name, message }) => ({ suite: path.relative(root, name), message: stripVTControlCharacters(message) }));
  // Jest may also fail as a whole: in its set-up, or because a suite was still active after its end.
  const asWhole = failed === 0 && code !== 0;
  if (asWhole)
    failures.push({ suite: 'none', message: `Jest ended with ${code} although every test passed; its output above states the reason` });
  return { suites, passed, failed: asWhole ? 1 : failed, failures, leftOut, interrupted: false };
}
