import type { TestClient } from './test-client';

const SECOND_MS = 1_000;
/** Timers count whole ms, so they may end slightly early by `performance.now()`. */
const TIMER_EARLY_MS_MAX = 5;

/** Expects several calls of an operation, at least a second apart. */
export function expectOnceASecond(client: TestClient, operation: { pattern: string }): void {
  const gaps = client.gapsOf(operation);
  expect(gaps.length).toBeGreaterThan(0);
  expect(Math.min(...gaps)).toBeGreaterThan(SECOND_MS - TIMER_EARLY_MS_MAX);
}
