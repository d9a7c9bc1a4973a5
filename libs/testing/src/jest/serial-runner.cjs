const { createRequire } = require('node:module');

const { default: TestRunner } = createRequire(require.resolve('jest'))('jest-runner');

/** Jest's `runner` of `*.alone.spec.ts`: after the runner of all other suites, one after the other, in jest's own process. */
module.exports = class SerialRunner extends TestRunner {
  isSerial = true;
};
