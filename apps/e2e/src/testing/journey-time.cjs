/** Test timeout: suites start the whole product, some several times. Longer than all waits of one test. */
const JOURNEY_MS_MAX = 600_000;

jest.setTimeout(JOURNEY_MS_MAX);
