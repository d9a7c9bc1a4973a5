const { createRequire } = require('node:module');

const { default: Sequencer } = createRequire(require.resolve('jest'))('@jest/test-sequencer');

/** Paths of the slowest suites: first those of whole processes and brokers, then the rest of the full tier. */
const LONGEST = [/\/e2e\/src\/faults\/.*\.full\.spec\.ts$/, /\/e2e\/src\/.*\.full\.spec\.ts$/, /\.full\.spec\.ts$/];

/**
 * Jest's `testSequencer`: starts the slowest suites first, so that no worker is idle at the end. Jest itself orders by the duration
 * of the last run, in a fresh clone only by file size; within a group its order stays.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const groupOf = ({ path }) => LONGEST.findIndex((pattern) => pattern.test(path));
    const rank = (test) => (groupOf(test) < 0 ? LONGEST.length : groupOf(test));
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
};
