import path from 'node:path';
import Courier, { NotFoundError } from '@trycourier/courier';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { SharedSystem } from './testing/shared-system';

const COMMAND = path.resolve(__dirname, '../../../bin/tidings.mjs');
const HOUR_MS = 3_600_000;

interface Removed {
  service: string;
  what: string;
  count: number;
}

describe('an erased user', () => {
  let smtp: CapturingSmtp;
  let system: SharedSystem;
  let sdk: Courier;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
    ({ smtp } = system);
    sdk = new Courier({ apiKey: system.key, baseURL: system.url });
  });

  afterAll(() => system?.leave());

  /** Counts that `tidings erase` reports as removed from the suite's workspace. */
  async function erase(user: string): Promise<Record<string, number>> {
    const env = { ...process.env, TIDINGS_URL: system.url, TIDINGS_ADMIN_KEY: system.adminKey };
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'erase', system.workspaceId, user, '--json'], {
      env,
    });
    return Object.fromEntries((JSON.parse(stdout) as Removed[]).map(({ service, what, count }) => [`${service} ${what}`, count]));
  }

  it('is deleted from every service, receives no message, and is not named by stored messages', async () => {
    await sdk.profiles.create('ada', { profile: { email: 'ada@example.com', title: 'boss' } });
    await sdk.audiences.update('bosses', { filter: { filters: [{ operator: 'EQ', path: 'title', value: 'boss' }] } });
    await sdk.lists.subscriptions.subscribeUser('ada', { list_id: 'news' });
    await sdk.users.tokens.addSingle('a-token', { user_id: 'ada', provider_key: 'apn' });
    await sdk.users.tenants.addSingle('acme', { user_id: 'ada' });
    await waitUntil(async () => (await sdk.audiences.listMembers('bosses')).items.length === 1);
    const message = { to: { user_id: 'ada' }, content: { title: 'Hello Ada', body: 'Your order' } };
    const { requestId: sent } = await sdk.send.message({ message });
    const { requestId: delayed } = await sdk.send.message({
      message: { ...message, delay: { until: new Date(Date.now() + HOUR_MS).toISOString() } },
    });
    await waitUntil(async () => (await sdk.messages.retrieve(sent)).status === 'DELIVERED');

    expect(await erase('ada')).toMatchObject({
      'identity profiles': 1,
      'identity tokens': 1,
      'identity tenants': 1,
      'audience subscriptions': 1,
      'messaging canceled': 1,
      'messaging messages': 2,
    });

    await expect(sdk.profiles.retrieve('ada')).rejects.toBeInstanceOf(NotFoundError);
    expect((await sdk.audiences.listMembers('bosses')).items).toEqual([]);
    expect((await sdk.profiles.lists.retrieve('ada')).results).toEqual([]);
    expect((await sdk.messages.list({ recipient: 'ada' })).results).toEqual([]);
    expect(await sdk.messages.retrieve(sent)).toMatchObject({ status: 'DELIVERED', recipient: '(erased)' });
    expect(await sdk.messages.retrieve(delayed)).toMatchObject({ status: 'CANCELED', recipient: '(erased)' });
    expect(JSON.stringify(await sdk.messages.history(sent))).not.toMatch(/ada/i);
    expect(smtp.mailsTo('ada@example.com')).toHaveLength(1);
    expect(Object.values(await erase('ada')).filter((count) => count > 0)).toEqual([]);
  });
});
