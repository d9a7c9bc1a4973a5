const { createRequire } = require('node:module');

const { default: TestRunner } = createRequire(require.resolve('jest'))('jest-runner');

/** Jest's `runner` of `*.alone.spec.ts` and `*.release.spec.ts`: runs them one after another in jest's own process, after all other suites. */
module.exports = class SerialRunner extends TestRunner {
  isSerial = true;
};
