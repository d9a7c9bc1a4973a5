const { createRequire } = require('node:module');

// Jest brings this one along; it is found where jest is.
const { TestEnvironment } = createRequire(require.resolve('jest'))('jest-environment-node');

const SHOWN_CHARACTERS_MAX = 8_000;

/** Jest's usual environment; with a test or hook that fails it shows what the processes of the file said. */
module.exports = class OutputEnvironment extends TestEnvironment {
  handleTestEvent({ name, test }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    for (const { output } of this.global.talkersOfThisFile ?? []) {
      process.stderr.write(
        `\n--- The product's output until ${test?.name ?? 'a hook'} failed ---\n${output.slice(-SHOWN_CHARACTERS_MAX)}\n---\n`,
      );
    }
  }
};
