const path = require('node:path');

const jestFolder = path.join(__dirname, 'libs/testing/src/jest');

/**
 * A guard against hanging, never part of what is tested: longer than any wait within a test, and ten times what one takes beside other
 * suites. A suite says more where its waits are longer, and never less.
 */
const TEST_MS_MAX = 120_000;

/**
 * Jest's configuration of the suites in `directory`. Which run when is in their file names (docs/testing.md): `*.spec.ts` always,
 * `*.full.spec.ts` in the full tier, `*.alone.spec.ts` there too, after all others and with nothing beside them.
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
