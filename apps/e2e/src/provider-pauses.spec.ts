import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitUntil } from '@tidings/testing/wait-until';
import { SharedSystem } from './testing/shared-system';

const COMMAND = path.resolve(__dirname, '../../../bin/tidings.mjs');

describe('tidings providers', () => {
  let system: SharedSystem;

  beforeAll(async () => {
    system = await SharedSystem.join({ mail: true });
  });
  afterAll(() => system?.leave());

  const tidings = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, TIDINGS_URL: system.url, TIDINGS_ADMIN_KEY: system.adminKey };
    return (await promisify(execFile)(process.execPath, [COMMAND, 'providers', ...args, '--workspace', system.workspaceId], { env }))
      .stdout;
  };

  it('holds the messages of a paused provider until it is resumed, and leaves audit events', async () => {
    expect(await tidings('pause', 'smtp')).toContain('Provider smtp is paused');

    const message = await system.client.send('ada@example.com');
    const errorOf = async () => {
      const { body } = await system.client.request<{ providers?: { error?: string }[] }>('GET', `/messages/${message}`);
      return body.providers?.[0]?.error;
    };
    await waitUntil(async () => (await errorOf())?.includes('Provider smtp is paused'), { what: 'the message to wait' });
    expect(system.smtp.mails).toEqual([]);
    expect(await tidings('list')).toMatch(/ paused /);
    await tidings('resume', 'smtp');

    await system.client.messageOnce('DELIVERED', message);
    const types = async () => {
      const { body } = await system.client.request<{ results: { type: string }[] }>('GET', '/audit-events');
      return body.results.map(({ type }) => type);
    };
    await waitUntil(async () => (await types()).filter((type) => type.startsWith('provider:')).includes('provider:resumed'));
    expect(await types()).toContain('provider:paused');
  });
});
