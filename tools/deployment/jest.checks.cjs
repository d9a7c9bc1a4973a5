const preset = require('../../jest.preset.cjs')(__dirname);

/** The checks of `node tools/deployment/check.mjs`: slow, with third-party tools, without PostgreSQL. */
module.exports = {
  ...preset,
  displayName: 'deployment checks',
  testMatch: ['<rootDir>/checks/*.check.ts'],
  globalSetup: undefined,
  globalTeardown: undefined,
};
