import type { TestClient } from './test-client';

const SECOND_MS = 1_000;
/** A timer counts whole ms, so that it may end before as much was measured. */
const TIMER_EARLY_MS_MAX = 5;

/** That an operation was called more than once, and each time a second or more after the time before. */
export function expectOnceASecond(client: TestClient, operation: { pattern: string }): void {
  const gaps = client.gapsOf(operation);
  expect(gaps.length).toBeGreaterThan(0);
  expect(Math.min(...gaps)).toBeGreaterThan(SECOND_MS - TIMER_EARLY_MS_MAX);
}
