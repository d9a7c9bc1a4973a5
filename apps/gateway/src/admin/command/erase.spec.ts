import { audienceErasure } from '@tidings/contracts/audience/erasure';
import { identityErasure } from '@tidings/contracts/identity/erasure';
import {
  type EraseFromLog,
  type EraseMessages,
  erasureTraces,
  type FindCopies,
  messagingErasure,
} from '@tidings/contracts/messaging/erasure';
import type { TestGateway } from '../../testing/start-test-gateway';
import { runAgainst, startGatewayOfShop, W } from './run-command.fixture';

let gateway: TestGateway;
beforeAll(async () => void (gateway = await startGatewayOfShop()));
beforeEach(() => answerTraces());
afterAll(() => gateway.stop());

const tidings = (args: string[], environment?: Record<string, string | undefined>): ReturnType<typeof runAgainst> =>
  runAgainst(gateway, args, environment);

/** The answers about the log, the mailbox, copies and what remains: two steps each of the log and of the search. */
function answerTraces(): void {
  const [profiles, dead] = [
    { what: 'topic tidings.profiles.v1', count: 1, until: '2026-01-03T00:00:00.000Z' },
    { what: 'topic tidings.dead.v1', reason: 'the topic retains its records' },
  ];
  const { client } = gateway;
  client.answer(identityErasure.addresses, () => ({ addresses: ['ada@example.com'], phone_numbers: ['+15550100000'], tokens: [] }));
  client.answer(erasureTraces.suppressions, () => ({ done: true, removed: { suppressions: 1 } }));
  client.answer(erasureTraces.log, (_context, { after }: EraseFromLog) =>
    after === undefined
      ? { done: false, removed: { records: 2 }, remaining: [profiles], next: '1' }
      : { done: true, removed: { records: 3 }, remaining: [dead] },
  );
  client.answer(erasureTraces.mailbox, () => ({ done: true, removed: { mails: 2 } }));
  client.answer(erasureTraces.copies, (_context, { after }: FindCopies) =>
    after === undefined ? { message_ids: ['1-copied'], next: '1' } : { message_ids: ['2-copied'] },
  );
  const answers = { what: 'answers under Idempotency-Keys', count: 3, until: '2026-01-04T00:00:00.000Z' };
  client.answer(identityErasure.remaining, () => ({ remaining: [] }));
  client.answer(audienceErasure.remaining, () => ({ remaining: [] }));
  client.answer(erasureTraces.remaining, () => ({ remaining: [answers] }));
}

it.each([W, 'Shop'])('erases a user of the workspace %s, step by step until all is removed, and prints the counts', async (workspace) => {
  const preferences = [1, 0];
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { recipient_preferences: preferences.shift()! } }));
  const done = [false, true];
  gateway.client.answer(audienceErasure.erase, () => ({ done: done.shift()!, removed: { subscriptions: done.length } }));
  const steps = [50, 7, 0];
  gateway.client.answer(messagingErasure.erase, () => ({
    done: steps.length === 1,
    removed: { messages: steps.shift()! },
    accepted_up_to: 0,
  }));

  const { code, out } = await tidings(['erase', workspace, 'ada']);

  expect(code).toBe(0);
  expect(out.replaceAll(/ +/g, ' ').split('\n')).toEqual([
    'WHERE WHAT COUNT',
    'identity recipient_preferences 1',
    'audience subscriptions 1',
    'messaging messages 57',
    'messaging suppressions 1',
    'log records 5',
    'mailbox mails 2',
    '',
    'WHERE WHAT REMAINS COUNT UNTIL',
    'log topic tidings.profiles.v1 1 2026-01-03T00:00:00.000Z',
    'log topic tidings.dead.v1 the topic retains its records',
    'messaging hashes of suppressed addresses 1 nothing is sent to them',
    'messaging answers under Idempotency-Keys 3 2026-01-04T00:00:00.000Z',
    'outside backups of PostgreSQL and of the data directory until you remove them',
    'outside copies of your own consumers, mails that were sent not known to Tidings',
    '',
    'Messages to others that went to ada@example.com as a copy, 2; they are not changed:',
    '1-copied',
    '2-copied',
    '',
    'The stored data of user ada is removed, except what remains',
    '',
  ]);
  expect(gateway.client.callsOf(erasureTraces.mailbox).at(-1)!.request).toEqual({ addresses: ['ada@example.com'] });
  const addresses = { addresses: ['ada@example.com'], phone_numbers: ['+15550100000'], tokens: [] };
  expect(gateway.client.callsOf(erasureTraces.suppressions).at(-1)!.request).toEqual(addresses);
  expect(gateway.client.callsOf(messagingErasure.erase).at(-1)).toMatchObject({
    context: { workspaceId: W },
    request: { user_id: 'ada' },
  });
});

it('reports that nothing was stored of a user who never existed', async () => {
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { recipient_preferences: 0 } }));
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  gateway.client.answer(messagingErasure.erase, () => ({ done: true, removed: { messages: 0 }, accepted_up_to: 0 }));
  gateway.client.answer(erasureTraces.log, () => ({ done: true, removed: { records: 0 }, remaining: [] }));
  gateway.client.answer(erasureTraces.mailbox, () => ({ done: true, removed: {} }));
  gateway.client.answer(erasureTraces.suppressions, () => ({ done: true, removed: { suppressions: 0 } }));

  const { code, out } = await tidings(['erase', W, 'adda']);

  expect([code, out.trim().split('\n').at(-1)]).toEqual([0, 'Nothing was stored of user adda']);
});

it('names the time of the first step of messaging in the next ones', async () => {
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: { profiles: 0 } }));
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  const steps = [3, 1, 0];
  const times: (number | undefined)[] = [];
  gateway.client.answer(messagingErasure.erase, (_context, { accepted_up_to }: EraseMessages) => {
    times.push(accepted_up_to);
    return { done: steps.length === 1, removed: { messages: steps.shift()! }, accepted_up_to: accepted_up_to ?? 1_767_322_985_678 };
  });

  expect(await tidings(['erase', W, 'ada'])).toMatchObject({ code: 0 });
  expect(times).toEqual([undefined, 1_767_322_985_678, 1_767_322_985_678]);
});

it('says once what it waits for, and where to see a partition that is stuck', async () => {
  gateway.client.answer(identityErasure.erase, () => ({ done: true, removed: {} }));
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: {} }));
  let steps = 0;
  gateway.client.answer(messagingErasure.erase, () => ({ done: ++steps > 3, removed: {}, accepted_up_to: 0 }));

  const { code, out, err } = await tidings(['erase', W, 'ada', '--json']);

  expect([code, steps]).toEqual([0, 4]);
  expect(err).toBe(
    'The erasure in messaging waits: accepted messages and published events are still being processed; ' +
      'GET /health/ready of the services names a partition that is stuck\n',
  );
  expect(JSON.parse(out)).toContainEqual({ service: 'mailbox', what: 'mails', count: 2 });
});

it('removes the profile that accepted messages create meanwhile', async () => {
  let profiles = 1;
  gateway.client.answer(identityErasure.erase, () => {
    const removed = { profiles };
    profiles = 0;
    return { done: true, removed };
  });
  gateway.client.answer(audienceErasure.erase, () => ({ done: true, removed: { subscriptions: 0 } }));
  gateway.client.answer(messagingErasure.erase, () => {
    profiles = 1;
    return { done: true, removed: { messages: 4 }, accepted_up_to: 0 };
  });

  const { out } = await tidings(['erase', W, 'ada', '--json']);

  expect(profiles).toBe(0);
  const requests = gateway.client.callsOf(identityErasure.erase).slice(-2);
  expect(requests.map(({ request }) => request)).toEqual([{ user_id: 'ada' }, { user_id: 'ada', repeated: true }]);
  expect(JSON.parse(out)).toEqual([
    { service: 'identity', what: 'profiles', count: 2 },
    { service: 'audience', what: 'subscriptions', count: 0 },
    { service: 'messaging', what: 'messages', count: 4 },
    { service: 'messaging', what: 'suppressions', count: 1 },
    { service: 'log', what: 'records', count: 5 },
    { service: 'mailbox', what: 'mails', count: 2 },
    { service: 'log', what: 'topic tidings.profiles.v1', remaining: 1, until: '2026-01-03T00:00:00.000Z' },
    { service: 'log', what: 'topic tidings.dead.v1', reason: 'the topic retains its records' },
    { service: 'messaging', what: 'hashes of suppressed addresses', remaining: 1, reason: 'nothing is sent to them' },
    { service: 'messaging', what: 'answers under Idempotency-Keys', remaining: 3, until: '2026-01-04T00:00:00.000Z' },
    { service: 'outside', what: expect.any(String) as string, reason: expect.any(String) as string },
    { service: 'outside', what: expect.any(String) as string, reason: expect.any(String) as string },
    { service: 'messaging', what: 'copies', message_ids: ['1-copied', '2-copied'] },
  ]);
});

it('prints the usage for an erasure without a user', async () => {
  const { code, err } = await tidings(['erase', 'Shop']);
  expect([code, err]).toEqual([2, expect.stringContaining('tidings erase WORKSPACE USER_ID')]);
});
