import type { ApiClient } from './api-client';

const LOOKS_AT_ONCE = 16;

/** Ends when every message is DELIVERED; rejects with the first that is not within `timeoutMs` (for all of them together). */
export async function allDelivered(client: ApiClient, ids: readonly string[], timeoutMs: number): Promise<void> {
  const until = performance.now() + timeoutMs;
  const waiting = [...ids];
  const look = async (): Promise<void> => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      await client.messageOnce('DELIVERED', id, { timeoutMs: Math.max(until - performance.now(), 1) });
    }
  };
  await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, look));
}
