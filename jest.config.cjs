const fs = require('node:fs');
const path = require('node:path');
const { TEST_MS_MAX } = require('./jest.preset.cjs');

/** `npm run test:full` sets it to `full`, `npm run test:release` to `release`. */
const tier = process.env.TEST_TIER;
const isFull = tier === 'full';
// The full hostile campaign contains the quick one.
const LATER = isFull ? ['\\.(?:alone|release)\\.spec\\.ts$', '/hostile\\.spec\\.ts$'] : ['\\.(?:full|alone|release)\\.spec\\.ts$'];

/**
 * Time for a worker to end in order. Jest's 500 ms are too short on a busy machine; a worker that it ends by force fails the whole run.
 */
const WORKER_END_MS_MAX = 60_000;

/** Every app, library and tool with a jest configuration. */
const projects = ['libs', 'apps']
  .flatMap((group) => fs.readdirSync(path.join(__dirname, group)).map((name) => path.join(group, name)))
  .concat('bench', 'tools', 'tools/kafka', 'tools/deployment')
  .map((folder) => path.join(__dirname, folder, 'jest.config.cjs'))
  .filter((file) => fs.existsSync(file))
  .map((file) => require(file));
const named = (name) => projects.find(({ displayName }) => displayName === name);

/** The suites of a project that run in parallel with others. */
const withOthers = (project, ...ignored) => ({
  ...project,
  testPathIgnorePatterns: [...project.testPathIgnorePatterns, ...LATER, ...ignored],
});
const inOneProcess = (project) => ({ ...project, runner: path.join(__dirname, 'libs/testing/src/jest/serial-runner.cjs') });
/** The suites of a project named `*.KIND.spec.ts`, which run one after another. */
const oneByOne = (project, kind) => ({
  ...inOneProcess(project),
  displayName: `${project.displayName} ${kind}`,
  testMatch: project.testMatch.map((pattern) => pattern.replace('*.spec.ts', `*.${kind}.spec.ts`)),
});
const alone = (project) => oneByOne(project, 'alone');
/** The same suites again, with environment variables. */
const again = (project, name, variables) => ({ ...project, displayName: name, testEnvironmentOptions: { variables } });

/** Journeys that run in one topology only. */
const ONE_TOPOLOGY = [
  '/console-(?!operations)[\\w-]*\\.full\\.',
  '/monitoring\\.',
  '/database-tls\\.',
  '/examples\\.',
  '/first-minute\\.',
  '/faults/',
  '/hostile',
  '/kafka-access\\.',
  '/packed-start\\.',
  '/pooler\\.',
  '/vendor-pages\\.',
];
/** One journey of each kind, which `npm test` also runs over Kafka, sequentially on one product. */
const ONE_OF_EACH_KIND = [
  'access',
  'bulk',
  'cancel',
  'erasure',
  'idempotency',
  'identity-sdk',
  'lists',
  'sdk',
  'sending-fanout',
  'sending-topics',
  'template-sends',
];
const overKafka = again(named('e2e'), 'e2e over Kafka', { TIDINGS_TEST_SYSTEM: 'kafka' });
/** All screens; the full tier runs two of their suites over Kafka. */
const screensOverKafka = {
  ...inOneProcess(overKafka),
  displayName: 'screens over Kafka',
  testMatch: ['<rootDir>/src/console*.full.spec.ts'],
  testPathIgnorePatterns: [...overKafka.testPathIgnorePatterns, '/console-oidc\\.'],
};
const onOldest = ['persistence', 'events'].map((name) => ({
  ...again(named(name), `${name} on the oldest PostgreSQL`, { TIDINGS_TEST_POSTGRES: 'oldest' }),
  globalSetup: path.join(__dirname, 'libs/testing/src/jest/global-setup-oldest.cjs'),
}));

module.exports = {
  // Jest uses this value in a run of several projects, and the preset's in a run of one.
  testTimeout: TEST_MS_MAX,
  workerGracefulExitTimeout: WORKER_END_MS_MAX,
  testSequencer: path.join(__dirname, 'libs/testing/src/jest/longest-first.cjs'),
  projects:
    tier === 'release'
      ? [...projects.map((project) => oneByOne(project, 'release')), screensOverKafka]
      : [
          ...projects.map((project) => withOthers(project)),
          ...(isFull
            ? [
                withOthers(overKafka, ...ONE_TOPOLOGY),
                ...onOldest.map((project) => withOthers(project, '/kafka/')),
                ...projects.map(alone),
                { ...alone(overKafka), testPathIgnorePatterns: [...overKafka.testPathIgnorePatterns, ...ONE_TOPOLOGY] },
              ]
            : [{ ...inOneProcess(overKafka), testMatch: ONE_OF_EACH_KIND.map((journey) => `**/src/${journey}.spec.ts`) }]),
        ],
};
