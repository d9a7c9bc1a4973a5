import type { ApiClient } from './api-client';

const CONCURRENT_POLLS = 16;

/** Resolves when every message is DELIVERED; rejects on the first that is not within `timeoutMs`, counted for all together. */
export async function untilAllDelivered(client: ApiClient, ids: readonly string[], timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  const waiting = [...ids];
  const poll = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      await client.messageOnce('DELIVERED', id, { timeoutMs: Math.max(until - performance.now(), 1) });
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_POLLS }, poll));
}
