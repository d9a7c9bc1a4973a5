/** The quick part, run with all other tests: nothing is built, installed or asked of other programs. */
module.exports = { ...require('../../jest.preset.cjs')(__dirname), testMatch: ['<rootDir>/*.spec.ts'] };
