import { setTimeout as delay } from 'node:timers/promises';
import type { ErasedUser } from '@tidings/contracts/core/erasure';
import { type AdminClient, AdminError } from './admin-client';

/** What identity has goes first: then nothing new is found for the user, and who keeps copies is told. */
const SERVICES = ['identity', 'audience', 'messaging'] as const;
/** Steps of one service: a bound, far above what one user has. */
const STEPS_MAX = 100_000;
/** Between steps that found nothing and were not done: others have to catch up. */
const WAIT_MS = 500;
/** So many of those in a row, and somebody has to look why. */
const WAITS_MAX = 60;

/** How much of what was removed where. */
interface Removed {
  service: string;
  what: string;
  count: number;
}

/** Asks every service, step by step, until all of them are done. What was removed stays so when it fails; it may be repeated. @throws AdminError */
export async function eraseUser(client: AdminClient, workspacePath: string, userId: string, waitMs = WAIT_MS): Promise<Removed[]> {
  const all: Removed[] = [];
  for (const service of SERVICES) {
    const counts = await eraseFrom(client, `${workspacePath}/erasures/${service}`, userId, waitMs);
    all.push(...Object.entries(counts).map(([what, count]) => ({ service, what, count })));
  }
  return all;
}

async function eraseFrom(client: AdminClient, path: string, userId: string, waitMs: number): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  let waits = 0;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const { done, removed } = await client.ask<ErasedUser>('POST', path, { user_id: userId });
    for (const [what, count] of Object.entries(removed)) counts[what] = (counts[what] ?? 0) + count;
    if (done) return counts;
    const hasFound = Object.values(removed).some((count) => count > 0);
    waits = hasFound ? 0 : waits + 1;
    if (waits > WAITS_MAX) break;
    if (!hasFound) await delay(waitMs);
  }
  throw new AdminError(
    `${path.split('/').at(-1)} is not done: not everything accepted or told so far has been worked off. Repeat the command later`,
  );
}
