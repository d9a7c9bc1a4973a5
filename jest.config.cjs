const fs = require('node:fs');
const path = require('node:path');
const { TEST_MS_MAX } = require('./jest.preset.cjs');

/** `npm run test:full` sets it to `full`. */
const isFull = process.env.TEST_TIER === 'full';
const LATER = isFull ? ['\\.alone\\.spec\\.ts$'] : ['\\.(?:full|alone)\\.spec\\.ts$'];

/** Every app and library, and the tools, as far as they have a jest configuration. */
const projects = ['libs', 'apps']
  .flatMap((group) => fs.readdirSync(path.join(__dirname, group)).map((name) => path.join(group, name)))
  .concat('tools', 'tools/kafka', 'tools/deployment')
  .map((folder) => path.join(__dirname, folder, 'jest.config.cjs'))
  .filter((file) => fs.existsSync(file))
  .map((file) => require(file));
const named = (name) => projects.find(({ displayName }) => displayName === name);

/** The suites of a project as they run beside others. */
const withOthers = (project, ...ignored) => ({
  ...project,
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, ...LATER, ...ignored],
});
const inOneProcess = (project) => ({ ...project, runner: path.join(__dirname, 'libs/testing/src/jest/serial-runner.cjs') });
const alone = (project) => ({
  ...inOneProcess(project),
  displayName: `${project.displayName} alone`,
  testMatch: project.testMatch.map((pattern) => pattern.replace('*.spec.ts', '*.alone.spec.ts')),
});
/** The same suites once more, with variables of the environment. */
const again = (project, name, variables) => ({ ...project, displayName: name, testEnvironmentOptions: { variables } });

/** Journeys of one way of running. */
const ONE_WAY = ['/first-minute\\.', '/faults/', '/hostile'];
/** One journey of each kind: those that `npm test` runs over Kafka too, one after the other on one product. */
const ONE_OF_EACH_KIND = ['access', 'bulk', 'cancel', 'erasure', 'idempotency', 'identity-sdk', 'lists', 'sdk', 'sending-fanout', 'sending-topics', 'template-sends'];
const overKafka = again(named('e2e'), 'e2e over Kafka', { TIDINGS_TEST_SYSTEM: 'kafka' });
const onOldest = ['persistence', 'events'].map((name) => ({
  ...again(named(name), `${name} on the oldest PostgreSQL`, { TIDINGS_TEST_POSTGRES: 'oldest' }),
  globalSetup: path.join(__dirname, 'libs/testing/src/jest/global-setup-oldest.cjs'),
}));

module.exports = {
  // Of a run of many projects jest takes this one, of a run of a single project that of its preset.
  testTimeout: TEST_MS_MAX,
  testSequencer: path.join(__dirname, 'libs/testing/src/jest/longest-first.cjs'),
  projects: [
    ...projects.map((project) => withOthers(project)),
    ...(isFull
      ? [
          withOthers(overKafka, ...ONE_WAY),
          ...onOldest.map((project) => withOthers(project, '/kafka/')),
          ...projects.map(alone),
          { ...alone(overKafka), testPathIgnorePatterns: [...overKafka.testPathIgnorePatterns, ...ONE_WAY] },
        ]
      : [{ ...inOneProcess(overKafka), testMatch: ONE_OF_EACH_KIND.map((journey) => `**/src/${journey}.spec.ts`) }]),
  ],
};
