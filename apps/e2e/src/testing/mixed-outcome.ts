import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import type { MessagingTables, StoredMessage } from './messaging-tables';
import { callsOf, type MixedWork, type Receivers } from './mixed-work';

/** For all messages together, including the leases of the last killed process. */
const FINISH_MS_MAX = 240_000;

const ROUTE = ['ROUTED', 'RENDERED', 'DELIVERING'];
const DELIVERED_HISTORY = ['ENQUEUED', 'PROFILE_LOADED', ...ROUTE, 'SENT', 'DELIVERED'];
const TEMPLATE_HISTORY = ['ENQUEUED', 'MAPPED', ...DELIVERED_HISTORY.slice(1)];
const FAILOVER_HISTORY = ['ENQUEUED', 'PROFILE_LOADED', ...ROUTE, 'UNDELIVERABLE', ...ROUTE, 'SENT'];

export interface MixedOutcome {
  work: MixedWork;
  tables: MessagingTables;
  receivers: Receivers;
}

/** All messages, once every accepted one is stored and no work is unfinished. */
export function allFinished({ work, tables }: MixedOutcome): Promise<StoredMessage[]> {
  return tables.untilFinished(work.acceptedIds, FINISH_MS_MAX);
}

/**
 * Expects one message and one mail per subscriber and job user, matching job counts, no delayed send before its time, and one
 * delivery by the second route where the first refused. Sends without an answer are checked too when they were stored.
 */
export async function expectAsAccepted({ work, receivers }: MixedOutcome, messages: readonly StoredMessage[]): Promise<void> {
  const { mail } = receivers;
  const ofRequest = (request: string) => messages.filter(({ requestId }) => requestId === request);
  const ofKind = (name: string) => messages.filter(({ record }) => record.recipient.startsWith(name));

  expect(messages.filter(({ record: { status } }) => status !== 'DELIVERED' && status !== 'SENT')).toEqual([]);
  for (const { request, users, history } of [
    { request: work.listRequest, users: work.subscribers, history: TEMPLATE_HISTORY },
    { request: work.jobId, users: work.jobUsers, history: DELIVERED_HISTORY },
  ]) {
    const created = ofRequest(request);
    expect(created.map(({ record }) => record.recipient).sort()).toEqual(users);
    expectHistory(created, history, ['smtp DELIVERED']);
  }
  await expectJobCounts(work, ofRequest(work.jobId));

  const delayed = ofKind('delayed-');
  expectHistory(delayed, DELIVERED_HISTORY, ['smtp DELIVERED']);
  expect(delayed.filter(({ record }) => record.sent! < work.dueAt.get(record.recipient)!)).toEqual([]);
  const early = mail.mails.filter(({ envelope, receivedAt }) => receivedAt < (work.dueAt.get(envelope.to[0]!) ?? 0));
  expect(early).toEqual([]);

  const [channels, providers] = [ofKind('other-channel-'), ofKind('other-provider-')];
  expectHistory(channels, [...FAILOVER_HISTORY, 'DELIVERED'], ['http UNDELIVERABLE', 'smtp DELIVERED']);
  expectHistory(providers, FAILOVER_HISTORY, ['http UNDELIVERABLE', 'http SENT']);
  // One key per message at each text receiver, one Message-ID per mail recipient.
  expect(callsOf(receivers.succeeding).size).toBe(providers.length);
  expect(callsOf(receivers.refusing).size).toBe(channels.length + providers.length);
  expectOneMailEach(mail, [
    ...[...work.subscribers, ...work.jobUsers].map((user) => `${user}@example.com`),
    ...[...delayed, ...channels].map(({ record }) => record.recipient),
  ]);
}

/** Expects at least one message, each with this history and these providers tried in this order. */
function expectHistory(messages: readonly StoredMessage[], history: readonly string[], routes: readonly string[]): void {
  expect(messages.length).toBeGreaterThan(0);
  // A delayed send that is first read after its time has no DELAYED event.
  const histories = messages.map(({ types }) => types.filter((type) => type !== 'DELAYED').join());
  expect(new Set(histories)).toEqual(new Set([history.join()]));
  const tried = messages.map(({ record }) => record.providers.map(({ provider, status }) => `${provider} ${status}`).join());
  expect(new Set(tried)).toEqual(new Set([routes.join()]));
}

/** A repeated mail has the Message-ID of the first, so that receivers can deduplicate. */
function expectOneMailEach(smtp: CapturingSmtp, addresses: readonly string[]): void {
  const received = new Map<string, Set<string>>();
  for (const { envelope, messageId } of smtp.mails) {
    for (const email of envelope.to) received.set(email, (received.get(email) ?? new Set()).add(messageId));
  }
  expect([...received.keys()].sort()).toEqual([...addresses].sort());
  expect([...received].filter(([, messageIds]) => messageIds.size !== 1)).toEqual([]);
}

async function expectJobCounts(work: MixedWork, messages: readonly StoredMessage[]): Promise<void> {
  const { job, users } = await work.job();
  const count = work.jobUsers.length;
  expect(job).toMatchObject({ received: count, enqueued: count, failures: 0, status: 'COMPLETED' });
  expect(users.filter(({ status }) => status !== 'ENQUEUED')).toEqual([]);
  const listed = users.map(({ recipient, messageId }) => [recipient, messageId]).sort();
  const created = messages.map(({ record: { recipient }, id }) => [recipient, id]);
  expect(listed).toEqual(created.sort());
}
