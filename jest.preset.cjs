const path = require('node:path');

const root = __dirname;

/**
 * A guard against hanging, never part of what is tested: longer than any wait within a test, and ten times what one takes beside other
 * suites. A suite says more where its waits are longer, and never less.
 */
const TEST_MS_MAX = 120_000;

/** Jest's configuration of one project; `directory` is the project's folder. */
module.exports = (directory) => ({
  displayName: path.basename(directory),
  rootDir: directory,
  testEnvironment: 'node',
  testTimeout: TEST_MS_MAX,
  testMatch: ['<rootDir>/src/**/*.spec.ts'],
  testPathIgnorePatterns: ['/dist/', '/node_modules/'],
  modulePathIgnorePatterns: ['/dist/'],
  globalSetup: `${root}/libs/testing/src/jest/global-setup.ts`,
  globalTeardown: `${root}/libs/testing/src/jest/global-teardown.ts`,
  setupFiles: [require.resolve('reflect-metadata', { paths: [root] })],
  transform: {
    '^.+\\.(ts|js|mjs)$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true, useDefineForClassFields: false },
          keepClassNames: true,
        },
        module: { type: 'commonjs' },
        sourceMaps: 'inline',
      },
    ],
  },
  // Packages that are ES modules: jest loads them when they are compiled like our own files.
  transformIgnorePatterns: ['/node_modules/(?!(?:@nestjs|gettext-parser)/)'],
  moduleNameMapper: {
    '^@tidings/(gateway|identity|audience|messaging|content|standalone|e2e)/(.*)$': `${root}/apps/$1/src/$2.ts`,
    '^@tidings/kafka-runner/(.*)$': `${root}/tools/kafka/src/$1.ts`,
    '^@tidings/([^/]+)/(.*)$': `${root}/libs/$1/src/$2.ts`,
  },
});

module.exports.TEST_MS_MAX = TEST_MS_MAX;
