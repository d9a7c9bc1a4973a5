import { randomBytes } from 'node:crypto';
import { bulk, type CreateBulkJob } from '@tidings/contracts/messaging/bulk';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { send } from '@tidings/contracts/messaging/send';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

const KEY = randomBytes(32);
const OVERRIDE = {
  body: { from: 'us' },
  headers: { authorization: 'Bearer hunter2' },
  config: { url: 'https://example.com/?key=hunter2' },
};
const CONTENT = { title: 'Hello', body: 'World' };

const secrets = new OverrideSecrets([KEY]);
let gateway: TestGateway;
beforeEach(async () => {
  gateway = await startTestGateway({ secretKeys: [KEY], operations: [...Object.values(send), ...Object.values(bulk)] });
});
afterEach(() => gateway.stop());

const post = (body: unknown, path = '/send'): Promise<Response> =>
  gateway.request(path, { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } });
const appended = (): MessageRequested => gateway.events.appended.at(-1)!.payload as MessageRequested;

it.each([
  ['providers', '/send', { message: { to: { user_id: 'ada' }, content: CONTENT, providers: { http: { override: OVERRIDE } } } }],
  ['channels', '/send', { message: { to: { user_id: 'ada' }, content: CONTENT, channels: { sms: { override: OVERRIDE } } } }],
  ['an older client', '/send', { event: 'welcome', recipient: 'ada', override: { http: OVERRIDE } }],
  ['an older client to a list', '/send/list', { event: 'welcome', list: 'beta', override: { channel: { sms: OVERRIDE } } }],
])('seals the secrets of overrides in the log: %s', async (_what, path, body) => {
  const answer = await post(body, path);

  expect(answer.ok).toBe(true);
  expect(JSON.stringify(gateway.events.appended)).not.toContain('hunter2');
  const { workspaceId, channels, providers } = appended();
  const { override } = (providers?.http ?? channels?.sms)!;
  expect(secrets.open(workspaceId, override!)).toEqual(OVERRIDE);
});

it('seals the secrets of the message of a bulk job', async () => {
  const requests: CreateBulkJob[] = [];
  gateway.client.answer(bulk.create, (_context, request) => {
    requests.push(request);
    return { jobId: 'job' };
  });

  const answer = await post({ message: { event: 'welcome', override: { http: OVERRIDE } } }, '/bulk');

  expect([answer.status, await answer.json()]).toEqual([201, { jobId: 'job' }]);
  expect(requests).toMatchObject([{ message: { event: 'welcome', override: { http: { body: { from: 'us' } } } } }]);
  expect(JSON.stringify(requests)).not.toContain('hunter2');
});

it('refuses sealed secrets as input', async () => {
  await post({ message: { to: { user_id: 'ada' }, content: CONTENT, providers: { http: { override: OVERRIDE } } } });
  const stored = appended().providers;
  const override = { http: stored!.http!.override };
  const refused = (path: string) => `${path}.config.url must be given as it is, not as it was stored`;

  for (const [path, body, at] of [
    ['/send', { message: { to: { user_id: 'ada' }, content: CONTENT, providers: stored } }, 'message.providers.http.override'],
    ['/send', { event: 'welcome', recipient: 'ada', override }, 'override.http'],
    ['/send/list', { event: 'welcome', list: 'beta', override: { channel: { sms: override.http } } }, 'override.channel.sms'],
    ['/bulk', { message: { event: 'welcome', providers: stored } }, 'message.providers.http.override'],
    ['/bulk', { message: { event: 'welcome', override } }, 'message.override.http'],
    ['/bulk', { message: { event: 'welcome', message: { providers: stored } } }, 'message.message.providers.http.override'],
  ] as const) {
    expect(await expectError(await post(body, path), 400)).toBe(refused(at));
  }
  expect(gateway.events.appended).toHaveLength(1);
});
