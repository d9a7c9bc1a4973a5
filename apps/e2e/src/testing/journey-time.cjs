/** Journeys start the whole product, some of them several times. A guard against hanging: longer than all waits of a test. */
const JOURNEY_MS_MAX = 600_000;

jest.setTimeout(JOURNEY_MS_MAX);
