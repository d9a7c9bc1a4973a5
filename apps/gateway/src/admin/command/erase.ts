import { setTimeout as delay } from 'node:timers/promises';
import type { ErasedUser, ErasureRemains, RemainingData, UserAddresses } from '@tidings/contracts/identity/erasure';
import type { ErasedFromLog, ErasedMessages, FoundCopies } from '@tidings/contracts/messaging/erasure';
import { type AdminClient, AdminError } from './admin-client';
import { table } from './table';

/**
 * Identity first: then no new data of the user is found, and services with copies are notified. Again at the end: routing the accepted
 * messages that messaging waits for creates an empty profile.
 */
const ERASURES = ['identity', 'audience', 'messaging', 'identity'] as const;
/** Services whose answers under an Idempotency-Key may name a user. */
const ANSWERING = ['identity', 'audience', 'messaging'] as const;
/** Upper bound of the steps of one service, far above the data of one user. */
const STEPS_MAX = 100_000;
/** Pause after a step that removed nothing and is not done: the service has to process its backlog first. */
const WAIT_MS = 500;
/** Consecutive pauses after which the command fails. */
const WAITS_MAX = 60;
/** Ids shown to people; `--json` has all. */
const COPIES_SHOWN = 20;

/** What no erasure reaches. */
const OUTSIDE: readonly Remaining[] = [
  { service: 'outside', what: 'backups of PostgreSQL and of the data directory', reason: 'until you remove them' },
  { service: 'outside', what: 'copies of your own consumers, mails that were sent', reason: 'not known to Tidings' },
];

interface Removed {
  service: string;
  what: string;
  count: number;
}

interface Remaining extends Omit<RemainingData, 'count'> {
  service: string;
  /** How many rows or records. */
  remaining?: number;
}

/** Erases a user, service by service; resolves with what is removed, what remains, and the copies in messages to others. */
export async function eraseUser(client: AdminClient, workspacePath: string, userId: string) {
  const path = `${workspacePath}/erasures`;
  // Before the profile is removed.
  const { addresses: ofProfile } = await client.request<UserAddresses>('POST', `${path}/addresses`, { user_id: userId });
  const addresses = [...new Set([...(userId.includes('@') ? [userId] : []), ...ofProfile])];

  const removed: Removed[] = [];
  const add = (service: string, counts: Record<string, number>) => {
    for (const [what, count] of Object.entries(counts)) {
      const earlier = removed.find((one) => one.service === service && one.what === what);
      if (earlier) earlier.count += count;
      else removed.push({ service, what, count });
    }
  };
  for (const service of ERASURES) add(service, await eraseFrom(client, `${path}/${service}`, userId));
  const log = await eraseFromLog(client, `${path}/log`, userId);
  add('log', { records: log.removed });
  if (addresses.length > 0) add('mailbox', (await client.request<ErasedUser>('POST', `${path}/mailbox`, { addresses })).removed);

  const copies = addresses.length > 0 ? await findCopies(client, `${path}/copies`, addresses) : [];
  const remaining = [...log.remaining, ...(await answersOf(client, `${path}/remaining`, userId)), ...OUTSIDE];
  const isRemoved = removed.some(({ count }) => count > 0);
  const lines = [
    ...table(
      ['WHERE', 'WHAT', 'COUNT'],
      removed.map(({ service, what, count }) => [service, what, String(count)]),
    ),
    '',
    ...table(['WHERE', 'WHAT REMAINS', 'COUNT', 'UNTIL'], remaining.map(rowOf)),
    ...copyLines(copies, addresses),
    '',
    isRemoved ? `The stored data of user ${userId} is removed, except what remains` : `Nothing was stored of user ${userId}`,
  ];
  const copied = copies.length > 0 ? [{ service: 'messaging', what: 'copies', message_ids: copies }] : [];
  return { lines, data: [...removed, ...remaining, ...copied] };
}

/** Runs the erasure of a service, step by step, until it is done. A failed erasure can be repeated. @throws AdminError */
async function eraseFrom(client: AdminClient, path: string, userId: string) {
  const counts: Record<string, number> = {};
  let waits = 0;
  let accepted_up_to: number | undefined;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const step = await client.request<ErasedUser & Partial<ErasedMessages>>('POST', path, { user_id: userId, accepted_up_to });
    const { done, removed } = step;
    ({ accepted_up_to } = step);
    for (const [what, count] of Object.entries(removed)) counts[what] = (counts[what] ?? 0) + count;
    if (done) return counts;
    const hasRemoved = Object.values(removed).some((count) => count > 0);
    waits = hasRemoved ? 0 : waits + 1;
    if (waits > WAITS_MAX) break;
    if (!hasRemoved) await delay(WAIT_MS);
  }
  throw incomplete(path, 'accepted messages and published events are still being processed');
}

async function eraseFromLog(client: AdminClient, path: string, userId: string) {
  const remaining: Remaining[] = [];
  let removed = 0;
  let after: string | undefined;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const step: ErasedFromLog = await client.request<ErasedFromLog>('POST', path, { user_id: userId, after });
    removed += step.removed.records ?? 0;
    remaining.push(...step.remaining.map((one) => toRemaining('log', one)));
    after = step.next;
    if (after === undefined) return { removed, remaining };
  }
  throw incomplete(path, 'the log grows faster than it is searched');
}

async function findCopies(client: AdminClient, path: string, addresses: readonly string[]) {
  const found: string[] = [];
  let after: string | undefined;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const page: FoundCopies = await client.request<FoundCopies>('POST', path, { addresses, after });
    found.push(...page.message_ids);
    after = page.next;
    if (after === undefined) return found;
  }
  throw incomplete(path, 'messages are stored faster than they are searched');
}

async function answersOf(client: AdminClient, path: string, userId: string) {
  const remaining: Remaining[] = [];
  for (const service of ANSWERING) {
    const answer = await client.request<ErasureRemains>('POST', `${path}/${service}`, { user_id: userId });
    remaining.push(...answer.remaining.map((one) => toRemaining(service, one)));
  }
  return remaining;
}

const incomplete = (path: string, why: string) =>
  new AdminError(`The erasure in ${path.split('/').at(-1)} is not complete: ${why}. Repeat the command later`);

const toRemaining = (service: string, { count, ...one }: RemainingData): Remaining => ({ service, ...one, remaining: count });

const rowOf = ({ service, what, remaining, until, reason }: Remaining) => [
  service,
  what,
  remaining === undefined ? '' : String(remaining),
  [until, reason].filter((part) => part !== undefined).join(', '),
];

function copyLines(copies: readonly string[], addresses: readonly string[]) {
  if (copies.length === 0) return [];
  const more = copies.length > COPIES_SHOWN ? [`… and ${copies.length - COPIES_SHOWN} more: --json names all`] : [];
  const head = `Messages to others that went to ${addresses.join(', ')} as a copy, ${copies.length}; they are not changed:`;
  return ['', head, ...copies.slice(0, COPIES_SHOWN), ...more];
}
