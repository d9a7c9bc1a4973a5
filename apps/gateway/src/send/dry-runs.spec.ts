import { type DryRun, dryRunPlans, dryRuns, type PlanDryRun } from '@tidings/contracts/messaging/dry-runs';
import { send } from '@tidings/contracts/messaging/send';
import { senders } from '@tidings/contracts/messaging/senders';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const ANSWER: DryRun = { results: [], more: false };
const MESSAGE = { to: { user_id: 'ada' }, content: { title: 'Hello', body: 'World' } };

const ID = '1-69a40ce0-5f2b9c01d3e84a7766aa10fe';

let gateway: TestGateway;
let planned: PlanDryRun[];
beforeEach(async () => {
  planned = [];
  gateway = await startTestGateway({ operations: [...Object.values(send), ...Object.values(dryRuns)] });
  gateway.client.answer(dryRunPlans.plan, (_context, request) => {
    planned.push(request);
    return ANSWER;
  });
  gateway.client.answer(senders.allowed, () => ({ allowed: ['example.com'] }));
});
afterEach(() => gateway.stop());

const post = (body: object, headers = {}): Promise<Response> =>
  gateway.request('/console/api/dry-runs', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

it.each([
  ['a message', { message: MESSAGE }, { userId: 'ada', content: MESSAGE.content }],
  ['a send of an older client', { event: 'welcome', recipient: 'ada' }, { userId: 'ada', event: 'welcome' }],
])('plans %s, and appends nothing', async (_what, body, request) => {
  const answer = await post(body, { 'idempotency-key': 'once' });

  expect([answer.status, await answer.json()]).toEqual([200, ANSWER]);
  expect(planned).toMatchObject([{ request }]);
  expect(gateway.events.appended).toEqual([]);
});

it('plans a message that is sent again', async () => {
  gateway.client.answer(dryRunPlans.planMessage, () => ANSWER);
  expect((await post({ message_id: ID })).status).toBe(200);
  expect(gateway.client.callsOf(dryRunPlans.planMessage)).toMatchObject([{ request: { message_id: ID } }]);
  await expectError(await post({ message_id: ID, message: MESSAGE }), 400, 'invalid_request_error');
});

it('refuses what a send refuses', async () => {
  await expectError(await post({ message: { to: { user_id: 'ada' } } }), 400, 'invalid_request_error');
  const foreign = { ...MESSAGE, channels: { email: { override: { from: 'a@bank.example' } } } };
  await expectError(await post({ message: foreign }), 403, 'authorization_error');
  expect(planned).toEqual([]);
});
