import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { Client } from 'pg';
import Courier, { NotFoundError } from '@trycourier/courier';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import { promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { SharedSystem } from './testing/shared-system';

const COMMAND = path.resolve(__dirname, '../../../bin/tidings.mjs');
const HOUR_MS = 3_600_000;

interface Entry {
  service: string;
  what: string;
  /** Of what is removed. */
  count?: number;
  /** Of what remains. */
  until?: string;
  reason?: string;
  /** Of copies. */
  message_ids?: string[];
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

  /** What `tidings erase --json` prints. */
  async function run(user: string, of: SharedSystem): Promise<Entry[]> {
    const env = { ...process.env, TIDINGS_URL: of.url, TIDINGS_ADMIN_KEY: of.adminKey };
    const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'erase', of.workspaceId, user, '--json'], { env });
    return JSON.parse(stdout) as Entry[];
  }

  /** Counts of what is removed from the suite's workspace. */
  async function erase(user: string, of = system): Promise<Record<string, number>> {
    const removed = (await run(user, of)).filter(({ count }) => count !== undefined);
    return Object.fromEntries(removed.map(({ service, what, count }) => [`${service} ${what}`, count!]));
  }

  /** What a repeated erasure, by user and by address, leaves. */
  async function leftBy(user: string, of: SharedSystem): Promise<{ remaining: Entry[]; copies: string[] }> {
    const entries = [...(await run(user, of)), ...(await run(`${user}@example.com`, of))];
    return {
      remaining: entries.filter(({ count, message_ids }) => count === undefined && message_ids === undefined),
      copies: entries.flatMap(({ message_ids = [] }) => message_ids),
    };
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

  it('leaves the log and the stored mailbox, and what remains is named with its end', async () => {
    const own = await SharedSystem.join(); // sends to the development mailbox
    const user = `grace-${randomUUID()}`;
    const address = `${user}@example.com`;
    const client = new Courier({ apiKey: own.key, baseURL: own.url });
    await client.profiles.create(user, { profile: { email: address } });
    const content = { title: 'Hello', body: 'there' };
    const { requestId: sent } = await client.send.message({ message: { to: { user_id: user }, content } });
    const { requestId: copied } = await client.send.message({
      message: { to: { email: `${randomUUID()}@example.com` }, content, channels: { email: { override: { bcc: address } } } },
    });
    for (const id of [sent, copied]) await waitUntil(async () => (await client.messages.retrieve(id)).status === 'DELIVERED');

    const removed = await erase(user, own);
    const { remaining, copies } = await leftBy(user, own);

    expect(copies).toEqual([copied]);
    expect(remaining).toContainEqual({
      service: 'outside',
      what: expect.stringContaining('backups') as string,
      reason: expect.any(String) as string,
    });
    for (const { until, reason } of remaining) expect(until ?? reason).toBeDefined();
    expect(removed['mailbox mails']).toBe(2);
    if (own.topology === 'kafka') {
      const history = remaining.find(({ what }) => what.endsWith('tidings.message-history.v1'));
      expect(Date.parse(history!.until!) - Date.now()).toBeGreaterThan(14 * 24 * HOUR_MS);
      return;
    }
    expect(await (await fetch(`${own.url}/dev/mailbox`)).text()).not.toContain(user);
    const log = new Client({ connectionString: own.roleUrl('events') });
    await log.connect();
    const { rows } = await log.query('select key, payload from events.records where strpos(key || coalesce(payload, $$$$), $1) > 0', [
      user,
    ]);
    await log.end();
    // The tombstones of the user, until they are removed.
    expect(rows).toEqual(rows.map(({ key }: { key: string }) => ({ key, payload: null })));
    expect(remaining).toContainEqual(expect.objectContaining({ what: 'topic tidings.profiles.v1' }));
  });
});
