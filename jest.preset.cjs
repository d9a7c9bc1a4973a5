const path = require('node:path');

const jestFolder = path.join(__dirname, 'libs/testing/src/jest');

/**
 * A limit for tests that do not end: longer than any wait within a test, and ten times the duration of a test under load. Suites with
 * longer waits set a higher value, never a lower one.
 */
const TEST_MS_MAX = 120_000;

/**
 * Jest's configuration of the suites in `directory`. File names select the tier (docs/testing.md): `*.spec.ts` always,
 * `*.full.spec.ts` in the full tier, `*.alone.spec.ts` there as well, after all others and one at a time; `*.release.spec.ts` before a
 * release, one at a time and without the others.
 */
module.exports = (directory) => ({
  displayName: path.basename(directory),
  rootDir: directory,
  testEnvironment: 'node',
  testRunner: path.join(jestFolder, 'spec-runner.cjs'),
  testTimeout: TEST_MS_MAX,
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testPathIgnorePatterns: ['/dist/', '/node_modules/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: path.join(jestFolder, 'global-setup.cjs'),
  globalTeardown: path.join(jestFolder, 'global-teardown.cjs'),
  transform: {},
});

module.exports.TEST_MS_MAX = TEST_MS_MAX;
