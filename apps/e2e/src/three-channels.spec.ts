import { FCM } from '@tidings/providers/firebase-fcm/firebase-fcm.fixture';
import { cleanUp } from '@tidings/providers/http/receiver.fixture';
import { TWILIO } from '@tidings/providers/twilio/twilio.fixture';
import { startVendor, type Row, type VendorMatrix } from '@tidings/providers/vendor/matrix.fixture';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';
import { examplesOf, runExample } from './testing/shell-examples';

describe("README's send over push, SMS and e-mail", () => {
  let system: SharedSystem;
  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
  });
  afterEach(cleanUp);
  afterAll(() => system?.leave());

  /** Configures a provider whose vendor gives this answer to every message. */
  async function configure(matrix: VendorMatrix, { answer }: Row) {
    const { peer, settings } = await startVendor(matrix);
    peer.scripts.set('send', answer);
    await call('POST', '/providers', { provider: matrix.kind.key, settings });
    return peer;
  }

  async function call<Body>(method: string, path: string, body?: object) {
    const answer = await system.client.request<Body>(method, path, { body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  }

  it('arrives by e-mail where the token is dead and the number is refused', async () => {
    const { client, smtp } = system;
    const push = await configure(FCM, FCM.rows.deadToken!);
    const sms = await configure(TWILIO, TWILIO.rows.badAddress!);
    await call('PUT', '/users/ada/tokens', { tokens: [{ token: 'phone', provider_key: 'firebase-fcm' }] });
    const example = examplesOf('README.md', 'sh').find((one) => one.includes('"channels": ["push", "sms", "email"]'))!;

    const { printed, statuses } = await runExample(example, client);

    expect(statuses).toEqual([202]);
    const { requestId } = JSON.parse(printed[0]!) as { requestId: string };
    expect((await client.messageOnce('DELIVERED', requestId)).providers).toMatchObject([
      {
        channel: { key: 'push' },
        provider: 'firebase-fcm',
        status: 'UNDELIVERABLE',
        error: expect.stringContaining('answered 404') as string,
      },
      { channel: { key: 'sms' }, provider: 'twilio', status: 'UNDELIVERABLE', error: 'Twilio answered 400: Something is wrong (21211)' },
      { channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED' },
    ]);
    const events = (await client.history(requestId)).slice(2).map(({ type, channel }) => `${type} ${(channel as { id: string }).id}`);
    const routed = (channel: string) => ['ROUTED', 'RENDERED', 'DELIVERING'].map((type) => `${type} ${channel}`);
    const failed = (channel: string) => [...routed(channel), `UNDELIVERABLE ${channel}`];
    expect(events).toEqual([...failed('push'), ...failed('sms'), ...routed('email'), 'SENT email', 'DELIVERED email']);
    expect([push.received('send').length, sms.received('send').length, smtp.mailsTo('ada@example.com').length]).toEqual([1, 1, 1]);
    expect([...push.problems, ...sms.problems]).toEqual([]);
    const isRevoked = async () => {
      const { tokens } = await call<{ tokens: { status: string }[] }>('GET', '/users/ada/tokens');
      return tokens[0]?.status === 'revoked';
    };
    await waitUntil(isRevoked, { what: 'the end of the token' });
  });
});
