const { createRequire } = require('node:module');

const { default: Sequencer } = createRequire(require.resolve('jest'))('@jest/test-sequencer');

/** Where suites are that take longest: those of whole processes and brokers first, what is left of the full tier next. */
const LONGEST = [/\/e2e\/src\/faults\/.*\.full\.spec\.ts$/, /\/e2e\/src\/.*\.full\.spec\.ts$/, /\.full\.spec\.ts$/];

/**
 * Jest's `testSequencer`: what takes longest is not begun last, when the other workers have nothing left to do. Jest itself knows
 * how long a suite took the last time, and in a fresh clone the size of its file alone; within a group its order stays.
 */
module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const groupOf = ({ path }) => LONGEST.findIndex((pattern) => pattern.test(path));
    const rank = (test) => (groupOf(test) < 0 ? LONGEST.length : groupOf(test));
    return [...super.sort(tests)].sort((one, other) => rank(one) - rank(other));
  }
};
