import { randomBytes } from 'node:crypto';
import { bulk, type CreateBulkJob } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { send } from '@tidings/contracts/messaging/send';
import { OverrideSecrets } from '@tidings/persistence/override-secrets';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const KEY = randomBytes(32);
const OVERRIDE = {
  body: { from: 'us' },
  headers: { authorization: 'Bearer hunter2' },
  config: { url: 'https://example.com/?key=hunter2' },
};
const CONTENT = { title: 'Hello', body: 'World' };

const opening = new OverrideSecrets([KEY]);
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway({ secretKeys: [KEY], operations: [...Object.values(send), ...Object.values(bulk)] });
});
afterEach(() => gateway.stop());

const post = (body: unknown, path = '/send'): Promise<Response> =>
  gateway.request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const kept = (): MessageRequested => gateway.events.appended.at(-1)!.payload as MessageRequested;

it.each([
  ['providers', '/send', { message: { to: { user_id: 'ada' }, content: CONTENT, providers: { http: { override: OVERRIDE } } } }],
  ['channels', '/send', { message: { to: { user_id: 'ada' }, content: CONTENT, channels: { sms: { override: OVERRIDE } } } }],
  ['an older client', '/send', { event: 'welcome', recipient: 'ada', override: { http: OVERRIDE } }],
  ['an older client to a list', '/send/list', { event: 'welcome', list: 'beta', override: { channel: { sms: OVERRIDE } } }],
])('the log has the secrets of overrides sealed: %s', async (_who, path, body) => {
  const answer = await post(body, path);

  expect(answer.ok).toBe(true);
  expect(JSON.stringify(gateway.events.appended)).not.toContain('hunter2');
  const { workspaceId, channels, providers } = kept();
  const { override } = (providers?.http ?? channels?.sms)!;
  expect(opening.open(workspaceId, override!)).toEqual(OVERRIDE);
});

it('the message of a bulk job travels sealed', async () => {
  const asked: CreateBulkJob[] = [];
  gateway.client.answer(bulk.create, (_context, request) => {
    asked.push(request);
    return { jobId: 'job' };
  });

  const answer = await post({ message: { event: 'welcome', override: { http: OVERRIDE } } }, '/bulk');

  expect([answer.status, await answer.json()]).toEqual([201, { jobId: 'job' }]);
  expect(asked).toMatchObject([{ message: { event: 'welcome', override: { http: { body: { from: 'us' } } } } }]);
  expect(JSON.stringify(asked)).not.toContain('hunter2');
});

it('what was stored is not taken for what it was made of', async () => {
  await post({ message: { to: { user_id: 'ada' }, content: CONTENT, providers: { http: { override: OVERRIDE } } } });
  const stored = kept().providers;

  await expectError(await post({ message: { to: { user_id: 'ada' }, content: CONTENT, providers: stored } }), 400);
  await expectError(await post({ message: { event: 'welcome', providers: stored } }, '/bulk'), 400);
  expect(gateway.events.appended).toHaveLength(1);
});
