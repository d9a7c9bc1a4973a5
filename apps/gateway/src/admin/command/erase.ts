import { setTimeout as delay } from 'node:timers/promises';
import type { ErasedUser, ErasureRemains, RemainingData, UserAddresses } from '@tidings/contracts/identity/erasure';
import type { ErasedFromLog, ErasedMessages, FoundCopies } from '@tidings/contracts/messaging/erasure';
import { type AdminClient, AdminError } from './admin-client';
import { table } from './table';

/**
 * Identity first: then no new data of the user is found, and services with copies are notified. Again at the end: routing the accepted
 * messages that messaging waits for creates an empty profile.
 */
const ERASURES = [
  { service: 'identity' },
  { service: 'audience' },
  { service: 'messaging' },
  { service: 'identity', repeated: true },
] as const;
/** Services whose answers under an Idempotency-Key may name a user. */
const ANSWERING = ['identity', 'audience', 'messaging'] as const;
/** Upper bound of the steps of one service, far above the data of one user. */
const STEPS_MAX = 100_000;
/** Pause after a step that removed nothing and is not done: the service has to process its backlog first. */
const WAIT_MS = 500;
/** Consecutive pauses after which the command prints that it waits: with the waits of messaging, after five seconds. */
const NOTED_WAITS = 2;
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

interface Erased {
  userId: string;
  /** Prints a line while the erasure waits. */
  note: (line: string) => void;
}

/** Erases a user, service by service; resolves with what is removed, what remains, and the copies in messages to others. */
export async function eraseUser(client: AdminClient, workspacePath: string, { userId, note }: Erased) {
  const path = `${workspacePath}/erasures`;
  // Before the profile is removed.
  const found = await client.request<UserAddresses>('POST', `${path}/addresses`, { user_id: userId });
  const { addresses: ofProfile, phone_numbers, tokens } = found;
  const addresses = [...new Set([...(userId.includes('@') ? [userId] : []), ...ofProfile])];

  const removed: Removed[] = [];
  const add = (service: string, counts: Record<string, number>) => {
    for (const [what, count] of Object.entries(counts)) {
      const earlier = removed.find((one) => one.service === service && one.what === what);
      if (earlier) earlier.count += count;
      else removed.push({ service, what, count });
    }
  };
  for (const { service, ...options } of ERASURES)
    add(service, await eraseFrom(client, `${path}/${service}`, { user_id: userId, ...options }, note));
  if (addresses.length + phone_numbers.length + tokens.length > 0)
    add('messaging', (await client.request<ErasedUser>('POST', `${path}/suppressions`, { addresses, phone_numbers, tokens })).removed);
  const log = await eraseFromLog(client, `${path}/log`, userId);
  add('log', { records: log.removed });
  if (addresses.length > 0) add('mailbox', (await client.request<ErasedUser>('POST', `${path}/mailbox`, { addresses })).removed);

  const copies = addresses.length > 0 ? await findCopies(client, `${path}/copies`, addresses) : [];
  const hashed = removed.find(({ what }) => what === 'suppressions')?.count ?? 0;
  const hashes = { service: 'messaging', what: 'hashes of suppressed addresses', remaining: hashed, reason: 'nothing is sent to them' };
  const remaining = [
    ...log.remaining,
    ...(hashed > 0 ? [hashes] : []),
    ...(await answersOf(client, `${path}/remaining`, userId)),
    ...OUTSIDE,
  ];
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
async function eraseFrom(client: AdminClient, path: string, request: { user_id: string; repeated?: boolean }, note: Erased['note']) {
  const counts: Record<string, number> = {};
  let waits = 0;
  let accepted_up_to: number | undefined;
  for (let steps = 0; steps < STEPS_MAX; steps += 1) {
    const step = await client.request<ErasedUser & Partial<ErasedMessages>>('POST', path, { ...request, accepted_up_to });
    const { done, removed } = step;
    ({ accepted_up_to } = step);
    for (const [what, count] of Object.entries(removed)) counts[what] = (counts[what] ?? 0) + count;
    if (done) return counts;
    const hasRemoved = Object.values(removed).some((count) => count > 0);
    waits = hasRemoved ? 0 : waits + 1;
    if (waits === NOTED_WAITS) note(`The erasure in ${serviceOf(path)} waits: ${PROCESSED_FIRST}`);
    if (waits > WAITS_MAX) break;
    if (!hasRemoved) await delay(WAIT_MS);
  }
  throw incomplete(path, PROCESSED_FIRST);
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

/** What a step waits for, and where an operator sees why it takes long. */
const PROCESSED_FIRST =
  'accepted messages and published events are still being processed; GET /health/ready of the services names a partition that is stuck';

const serviceOf = (path: string) => path.split('/').at(-1);
const incomplete = (path: string, why: string) =>
  new AdminError(`The erasure in ${serviceOf(path)} is not complete: ${why}. Repeat the command later`);

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
