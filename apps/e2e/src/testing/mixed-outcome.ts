import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import type { MessagingTables, StoredMessage } from './messaging-tables';
import { callsOf, type MixedWork, type Receivers } from './mixed-work';

/** For everything together, the leases of what was killed last included. */
const OVER_MS_MAX = 240_000;
const LOOK_MS = 500;

const WAY = ['ROUTED', 'RENDERED', 'DELIVERING'];
const TAKEN = ['ENQUEUED', 'PROFILE_LOADED', ...WAY, 'SENT', 'DELIVERED'];
const OF_TEMPLATE = ['ENQUEUED', 'MAPPED', ...TAKEN.slice(1)];
const REFUSED = ['ENQUEUED', 'PROFILE_LOADED', ...WAY, 'UNDELIVERABLE', ...WAY, 'SENT'];

export interface MixedOutcome {
  work: MixedWork;
  tables: MessagingTables;
  receivers: Receivers;
}

/** Every message there is, once all that was accepted has one and nothing is under way any more. */
export function everythingOver({ work, tables }: MixedOutcome): Promise<StoredMessage[]> {
  const over = (): Promise<StoredMessage[] | undefined> => tables.finished(work.acceptedIds);
  return waitUntil(over, { what: 'the end of everything', timeoutMs: OVER_MS_MAX, intervalMs: LOOK_MS }).catch(async (error: Error) => {
    throw new Error(`${error.message}; left: ${JSON.stringify(await tables.unfinished())}`, { cause: error });
  });
}

/**
 * Everybody of the list and of the job has exactly one message and one mail, the job's counts say so, a delayed send left at its
 * time and not before, and a send whose first way refused it went by its second, once. So did sends that got no answer, if they were kept.
 */
export async function expectAsAccepted({ work, receivers }: MixedOutcome, messages: readonly StoredMessage[]): Promise<void> {
  const { mail } = receivers;
  const ofRequest = (request: string) => messages.filter(({ requestId }) => requestId === request);
  const ofKind = (name: string) => messages.filter(({ record }) => record.recipient.startsWith(name));

  expect(messages.filter(({ record: { status } }) => status !== 'DELIVERED' && status !== 'SENT')).toEqual([]);
  for (const { request, users, history } of [
    { request: work.listRequest, users: work.subscribers, history: OF_TEMPLATE },
    { request: work.jobId, users: work.jobUsers, history: TAKEN },
  ]) {
    const made = ofRequest(request);
    expect(made.map(({ record }) => record.recipient).sort()).toEqual(users);
    expectTold(made, history, ['smtp DELIVERED']);
  }
  await expectJobTells(work, ofRequest(work.jobId));

  const delayed = ofKind('delayed-');
  expectTold(delayed, TAKEN, ['smtp DELIVERED']);
  expect(delayed.filter(({ record }) => record.sent! < work.dueAt.get(record.recipient)!)).toEqual([]);
  const early = mail.mails.filter(({ envelope, receivedAt }) => receivedAt < (work.dueAt.get(envelope.to[0]!) ?? 0));
  expect(early).toEqual([]);

  const [channels, providers] = [ofKind('other-channel-'), ofKind('other-provider-')];
  expectTold(channels, [...REFUSED, 'DELIVERED'], ['http UNDELIVERABLE', 'smtp DELIVERED']);
  expectTold(providers, REFUSED, ['http UNDELIVERABLE', 'http SENT']);
  // One key for each message at each receiver of texts, one Message-ID for each recipient of a mail.
  expect(callsOf(receivers.taking).size).toBe(providers.length);
  expect(callsOf(receivers.refusing).size).toBe(channels.length + providers.length);
  expectOneMailEach(mail, [
    ...[...work.subscribers, ...work.jobUsers].map((user) => `${user}@example.com`),
    ...[...delayed, ...channels].map(({ record }) => record.recipient),
  ]);
}

/** That each of these messages, and there are some, tells this history, and that these ways were tried in this order. */
function expectTold(messages: readonly StoredMessage[], history: readonly string[], ways: readonly string[]): void {
  expect(messages.length).toBeGreaterThan(0);
  // When nobody was there to read a delayed send before its time, there was nothing to wait for.
  const told = messages.map(({ types }) => types.filter((type) => type !== 'DELAYED').join());
  expect(new Set(told)).toEqual(new Set([history.join()]));
  const tried = messages.map(({ record }) => record.providers.map(({ provider, status }) => `${provider} ${status}`).join());
  expect(new Set(tried)).toEqual(new Set([ways.join()]));
}

/** A repeat carries the Message-ID of the first, so that it can be recognised as one. */
function expectOneMailEach(smtp: CapturingSmtp, addresses: readonly string[]): void {
  const received = new Map<string, Set<string>>();
  for (const { envelope, messageId } of smtp.mails) {
    for (const email of envelope.to) received.set(email, (received.get(email) ?? new Set()).add(messageId));
  }
  expect([...received.keys()].sort()).toEqual([...addresses].sort());
  expect([...received].filter(([, messageIds]) => messageIds.size !== 1)).toEqual([]);
}

async function expectJobTells(work: MixedWork, messages: readonly StoredMessage[]): Promise<void> {
  const { job, users } = await work.job();
  const count = work.jobUsers.length;
  expect(job).toMatchObject({ received: count, enqueued: count, failures: 0, status: 'COMPLETED' });
  expect(users.filter(({ status }) => status !== 'ENQUEUED')).toEqual([]);
  const told = users.map(({ recipient, messageId }) => [recipient, messageId]).sort();
  const made = messages.map(({ record: { recipient }, id }) => [recipient, id]);
  expect(told).toEqual(made.sort());
}
