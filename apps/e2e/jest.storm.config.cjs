/** The storm alone, which `npm run test:storm` runs and `npm test` does not. */
module.exports = {
  ...require('./jest.config.cjs'),
  testMatch: ['<rootDir>/src/**/*.storm.ts'],
};
