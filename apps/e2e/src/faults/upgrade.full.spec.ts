import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { mapConcurrently } from '../testing/map-concurrently';
import { MessagingTables, type StoredMessage } from '../testing/messaging-tables';
import { report } from '../testing/report';
import { System } from '../testing/system';
import { withTeardown } from '../testing/tear-down';
import { type EarlierData, numbered, readEarlierData, restoreEarlierData } from '../testing/upgrade/earlier-data';

jest.setTimeout(600_000);

const FINISH_MS_MAX = 300_000;
/** The history of one in so many messages is read. */
const SAMPLE_EVERY = 20;
/** Without DELAYED. */
const HISTORY = ['ENQUEUED', 'PROFILE_LOADED', 'ROUTED', 'RENDERED', 'DELIVERING', 'SENT', 'DELIVERED'];
/** The ids of the data have the week in which it was written. */
const RETENTION = { TIDINGS_MESSAGE_RETENTION: '20y', TIDINGS_HISTORY_RETENTION: '20y' };

it('delayed sends, retries, half a list and half a bulk job of an earlier version, killed with -9, are completed by this one', () =>
  withTeardown(async (teardown) => {
    const earlier = readEarlierData();
    const smtp = await CapturingSmtp.start({ withoutContent: true });
    teardown.add('the mail server', () => smtp.close());
    let firstDue = 0;
    const system = await System.start({
      topology: 'standalone',
      smtpUrl: `${smtp.url}?from=shop@example.com`,
      environment: RETENTION,
      prepare: async (dataDirectory) => void (firstDue = await restoreEarlierData(earlier, dataDirectory)),
    });
    teardown.add('the product', () => system.stop());
    const sends = Object.values(earlier.sends).flat();
    const ids = sends.map(({ id }) => id);

    const messages = await new MessagingTables(system).untilFinished(ids, FINISH_MS_MAX);
    const copies = copiesOf(earlier, smtp);
    const secondCopies = [...copies.values()].reduce((sum, count) => sum + count - 1, 0);
    report(
      `upgrade: expanded at the kill ${earlier.list.expanded} members and ${earlier.job.enqueued} users, ${messages.length} messages finished, ` +
        `attempts open at the kill ${earlier.openAttempts}, second copies ${secondCopies}, mails before the kill ${earlier.mails.filter(({ deferred }) => !deferred).length}, after it ${smtp.mails.length}`,
    );

    expect(messages.filter(({ record, types }) => record.status !== 'DELIVERED' || withoutDelay(types) !== HISTORY.join())).toEqual([]);
    expectMails(earlier, smtp);
    expect(secondCopies).toBeLessThanOrEqual(earlier.openAttempts);
    const delayed = smtp.mails.filter(({ envelope }) => envelope.to[0]!.startsWith('delayed-'));
    expect(delayed.filter(({ receivedAt }) => receivedAt < firstDue)).toEqual([]);
    expect(recipientsOf(messages, earlier.list.requestId)).toEqual(numbered('member', earlier.list.members));
    expect(recipientsOf(messages, earlier.job.id)).toEqual(numbered('worker', earlier.job.users));
    const { body } = await system.client.get<{ job: object }>(`/bulk/${earlier.job.id}`);
    const { users } = earlier.job;
    expect(body.job).toMatchObject({ status: 'COMPLETED', received: users, enqueued: users, failures: 0 });
    const shown = await mapConcurrently(ids, (id) => system.client.message(id));
    expect(shown.map(({ id, status, recipient }) => ({ id, status, email: recipient }))).toEqual(
      sends.map(({ id, email }) => ({ id, status: 'DELIVERED', email })),
    );
    await mapConcurrently(
      messages.filter((_, index) => index % SAMPLE_EVERY === 0),
      async ({ id, types }) => expect((await system.client.history(id)).map(({ type }) => type)).toEqual(types),
    );
  }));

function withoutDelay(types: readonly string[]): string {
  return types.filter((type) => type !== 'DELAYED').join();
}

function recipientsOf(messages: readonly StoredMessage[], request: string): string[] {
  const created = messages.filter(({ requestId }) => requestId === request);
  return created.map(({ record }) => record.recipient).sort();
}

/** Accepted mails by Message-ID, those before the kill included. */
function copiesOf({ mails }: EarlierData, smtp: CapturingSmtp): Map<string, number> {
  const copies = smtp.copies();
  for (const { messageId, deferred } of mails) if (!deferred) copies.set(messageId, (copies.get(messageId) ?? 0) + 1);
  return copies;
}

/** Expects a mail for each accepted send, member and user, with one Message-ID in all attempts of both versions. */
function expectMails({ sends, list, job, mails }: EarlierData, smtp: CapturingSmtp): void {
  const accepted = [
    ...mails.filter(({ deferred }) => !deferred),
    ...smtp.mails.map(({ envelope, messageId }) => ({ to: envelope.to[0]!, messageId })),
  ];
  const reached = new Set(accepted.map(({ to }) => to));
  const addresses = [...numbered('member', list.members), ...numbered('worker', job.users)].map((user) => `${user}@example.com`);
  const expected = [...Object.values(sends).flatMap((some) => some.map(({ email }) => email)), ...addresses];
  expect(expected.filter((address) => !reached.has(address))).toEqual([]);
  const messageIds = new Map<string, Set<string>>();
  for (const { to, messageId } of [...mails, ...accepted]) messageIds.set(to, (messageIds.get(to) ?? new Set()).add(messageId));
  expect([...messageIds].filter(([, some]) => some.size !== 1)).toEqual([]);
}
