module.exports = {
  ...require('../../jest.preset.cjs')(__dirname),
  testEnvironment: '<rootDir>/src/testing/output-environment.cjs',
  setupFilesAfterEnv: ['<rootDir>/src/testing/journey-time.cjs'],
};
