/**
 * Jest's `testRunner` here: jest-circus on Node's own module system. The spec files of a worker share loaded modules; jest's own
 * module system loads every module again for each file, which takes longer than most suites.
 *
 * Consequences: specs of an app share a started service (`shared.ts`); `jest.mock` does not exist; changes of a prototype, a global
 * or `process.env` would reach the next file, so mocks, clocks and the environment are restored after each file.
 */
const { createRequire } = require('node:module');
const timersPromises = require('node:timers/promises');
require('reflect-metadata');
const { sourceMaps } = require('../../typescript-hook.cjs');

// Parts of jest, in the versions jest itself uses.
const jestRequire = createRequire(require.resolve('jest'));
const { default: runCircus } = jestRequire('jest-circus/runner');
const { ModuleMocker } = jestRequire('jest-mock');
const { SourceMapSupport } = createRequire(jestRequire.resolve('jest-runner'))('@jest/source-map');

const EVENT_HANDLERS = Symbol.for('EVENT_HANDLERS');
const TEST_TIMEOUT = Symbol.for('TEST_TIMEOUT_SYMBOL');
const FIXTURE = /\.(?:fixture|contract)\.ts$/;
const OUTPUT_CHARACTERS_MAX = 8_000;

/** Functions that spies may replace; restored here, because spies restored in the wrong order would leave a fake timer. */
const CLOCKS = [
  [globalThis, ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'setImmediate', 'clearImmediate', 'queueMicrotask', 'Date']],
  [timersPromises, ['setTimeout', 'setImmediate', 'setInterval']],
  [process, ['nextTick', 'hrtime']],
].map(([owner, names]) => [owner, Object.fromEntries(names.map((name) => [name, owner[name]]))]);

const stackTraces = new SourceMapSupport();
exitWithRun();

module.exports = async function runSpecFile(globalConfig, config, environment, _runtime, file, send) {
  stackTraces.install(sourceMaps);
  const mocks = new ModuleMocker(globalThis);
  const variables = { ...process.env };
  Object.assign(process.env, config.testEnvironmentOptions.variables);
  globalThis.console = environment.global.console;
  globalThis.jest = jestObject(mocks);
  globalThis.outputOnFailure = undefined;
  // jest-circus keeps both across files, since it expects a global object of its own.
  delete globalThis[EVENT_HANDLERS];
  delete globalThis[TEST_TIMEOUT];

  const realm = { global: globalThis, moduleMocker: mocks, handleTestEvent: showOutput };
  const modules = {
    requireModule: reload,
    requireInternalModule: reload,
    unstable_shouldLoadAsEsm: () => false,
    setGlobalsForRuntime: () => undefined,
    enterTestCode: () => undefined,
    leaveTestCode: () => undefined,
    restoreAllMocks: () => mocks.restoreAllMocks(),
  };
  try {
    return await runCircus(globalConfig, config, realm, modules, file, send);
  } finally {
    mocks.restoreAllMocks();
    for (const [owner, originals] of CLOCKS) Object.assign(owner, originals);
    for (const name of Object.keys(process.env)) if (!(name in variables)) delete process.env[name];
    Object.assign(process.env, variables);
  }
};

/** Reloads spec files, jest-circus and fixtures, whose hooks belong to one file; other modules stay loaded. */
function reload(file) {
  for (const loaded of Object.keys(require.cache)) if (loaded === file || FIXTURE.test(loaded)) delete require.cache[loaded];
  return require(file);
}

/** The parts of `jest` that suites use. */
function jestObject(mocks) {
  return {
    fn: mocks.fn.bind(mocks),
    spyOn: mocks.spyOn.bind(mocks),
    restoreAllMocks: () => mocks.restoreAllMocks(),
    setTimeout: (ms) => void (globalThis[TEST_TIMEOUT] = ms),
  };
}

/** Prints the output of the file's processes when a test or hook fails (`showOutputOnFailure`). */
function showOutput({ name, test }) {
  if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
  const output = globalThis.outputOnFailure?.output;
  if (output === undefined) return;
  const what = test ? `"${test.name}"` : 'a hook';
  process.stderr.write(`\n--- Output of the product when ${what} failed ---\n${output.slice(-OUTPUT_CHARACTERS_MAX)}\n---\n`);
}

/** Ends a worker when jest stops listening to it, also with shared servers open; in jest's own process global-teardown ends them. */
function exitWithRun() {
  if (!process.send) return;
  process.on('removeListener', (event) => {
    if (event === 'message') process.exit();
  });
}
