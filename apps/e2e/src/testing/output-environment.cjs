const { createRequire } = require('node:module');

// Jest brings this one along; it is found where jest is.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

const SHOWN_CHARACTERS_MAX = 8_000;

/** Jest's usual environment; with a test or hook that fails it shows what the processes of the file said. */
module.exports = class OutputEnvironment extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const output = this.global.latestTalker?.output;
    if (output === undefined) return;
    const what = test ? `"${test.name}"` : 'a hook';
    process.stderr.write(`\n--- What the product had said when ${what} failed ---\n${output.slice(-SHOWN_CHARACTERS_MAX)}\n---\n`);
  }
};
