/** The fast suites, which run with all other tests: no builds, no installations, no other programs. */
module.exports = { ...require('../../jest.preset.cjs')(__dirname), testMatch: ['<rootDir>/*.spec.ts'] };
