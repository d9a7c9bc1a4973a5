const preset = require('../../jest.preset.cjs')(__dirname);

/** What `node tools/deployment/check.mjs` runs: slow, with tools of others. PostgreSQL is not needed. */
module.exports = {
  ...preset,
  displayName: 'deployment checks',
  testMatch: ['<rootDir>/checks/*.check.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
