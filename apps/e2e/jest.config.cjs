module.exports = {
  ...require('../../jest.preset.cjs')(__dirname),
  setupFilesAfterEnv: ['<rootDir>/src/testing/journey-time.cjs'],
};
