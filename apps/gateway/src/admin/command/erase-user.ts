import { setTimeout as delay } from 'node:timers/promises';
import type { ErasedUser } from '@tidings/contracts/identity/erasure';
import { type AdminClient, AdminError } from './admin-client';

/** Identity first: then no new data of the user is found, and services with copies are notified. */
const SERVICES = ['identity', 'audience', 'messaging'] as const;
/** Upper bound of the steps of one service, far above the data of one user. */
const STEPS_MAX = 100_000;
/** Pause after a step that removed nothing and is not done: the service has to process its backlog first. */
const WAIT_MS = 500;
/** Consecutive pauses after which the command fails. */
const WAITS_MAX = 60;

/** The count of removed entries of one kind in one service. */
interface Removed {
  service: string;
  what: string;
  count: number;
}

/** Runs the erasure of every service, step by step, until all are done. A failed erasure can be repeated. @throws AdminError */
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
    const { done, removed } = await client.request<ErasedUser>('POST', path, { user_id: userId });
    for (const [what, count] of Object.entries(removed)) counts[what] = (counts[what] ?? 0) + count;
    if (done) return counts;
    const hasRemoved = Object.values(removed).some((count) => count > 0);
    waits = hasRemoved ? 0 : waits + 1;
    if (waits > WAITS_MAX) break;
    if (!hasRemoved) await delay(waitMs);
  }
  throw new AdminError(
    `The erasure in ${path.split('/').at(-1)} is not complete: accepted messages and published events are still being processed. Repeat the command later`,
  );
}
