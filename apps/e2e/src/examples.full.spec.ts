import path from 'node:path';
import { itWith } from '@tidings/testing/installed-tools';
import { HeadlessBrowser } from './testing/browser';
import { showOutputOnFailure } from './testing/failure-output';
import { ownEnvironment } from './testing/installation';
import { Program } from './testing/program';
import { examplesOf } from './testing/shell-examples';
import { System } from './testing/system';

const ROOT = path.resolve(__dirname, '../../..');
/** What a page shows within, although the machine is busy. */
const WITHIN_MS = 30_000;

describe('the example', () => {
  let system: System;
  const programs: Program[] = [];
  let browser: HeadlessBrowser | undefined;

  beforeAll(async () => {
    system = await System.start({ topology: 'kafka' });
  });
  afterEach(async () => {
    await Promise.all(programs.splice(0).map((program) => program.end('SIGKILL')));
  });
  afterAll(async () => {
    await browser?.close();
    await system?.stop();
  });

  /** Starts a program of `examples/`, as its page does, with other arguments for this product. */
  function run(file: string, ...parameters: string[]): Program {
    const commands = examplesOf(path.posix.join(path.posix.dirname(file), 'README.md'), 'sh').join('');
    expect(commands).toContain(`node ${file}`);
    const environment = ownEnvironment({ TIDINGS_URL: system.url, TIDINGS_API_KEY: system.key });
    const program = Program.start(path.join(ROOT, file), { parameters, environment });
    showOutputOnFailure(program);
    programs.push(program);
    return program;
  }

  async function urlOf(program: Program): Promise<string> {
    const [url] = await program.prints(/http:\/\/127\.0\.0\.1:\d+/);
    return url;
  }

  async function call<Body>(method: string, route: string, body: object): Promise<Body> {
    const answer = await system.client.request<Body>(method, route, { body });
    expect(answer.status).toBeLessThan(300);
    return answer.body;
  }

  it('send-and-wait answers with the outcome, and sends a repeated order once', async () => {
    const program = run('examples/send-and-wait/service.mjs', '--port', '0');
    const url = await urlOf(program);
    const ship = async (order: string, email: string) => {
      const response = await fetch(`${url}/orders/${order}/shipped`, { method: 'POST', body: JSON.stringify({ email }) });
      return { status: response.status, body: (await response.json()) as Record<string, string> };
    };

    const first = await ship('A-17', 'ada@example.com');
    const again = await ship('A-17', 'ada@example.com');

    expect(first).toEqual({ status: 200, body: { messageId: expect.any(String) as string, status: 'DELIVERED' } });
    expect(again).toEqual(first);
    expect(await ship('A-18', 'no address')).toMatchObject({ body: { error: expect.stringMatching(/POST \/send: 400/) as string } });
    expect(await program.end('SIGTERM')).toBe(0);
  });

  it('message-history prints the events of a message, and leaves its group at SIGTERM', async () => {
    const requestId = await system.client.send('history@example.com');

    const program = run(
      'examples/message-history/print.mjs',
      ...['--from-beginning', '--brokers', system.kafkaBrokers.join(), '--prefix', system.topicPrefix],
    );

    await program.prints(new RegExp(`${requestId}\\s+1\\s+ENQUEUED\\s+history@example\\.com[^]*${requestId}\\s+7\\s+DELIVERED`));
    expect(await program.end('SIGTERM')).toBe(0);
  });

  itWith(HeadlessBrowser)('preferences-page shows the preferences of its user, and stores a change', async () => {
    const section = await call<{ id: string }>('POST', '/preferences/sections', { name: 'News' });
    const topics = `/preferences/sections/${section.id}/topics`;
    const topic = await call<{ id: string }>('POST', topics, { name: 'Releases', default_status: 'OPTED_IN' });
    await call('POST', topics, { name: 'Invoices', default_status: 'REQUIRED' });
    const program = run('examples/preferences-page/serve.mjs', '--user', 'ada', '--port', '0');
    browser = await HeadlessBrowser.start();
    const watched = await browser.open();
    const { page } = watched;
    page.setDefaultTimeout(WITHIN_MS);

    await page.goto(await urlOf(program));
    await page.getByRole('heading', { name: 'News' }).waitFor();
    expect(await page.getByLabel('Invoices').isDisabled()).toBe(true);
    expect(await watched.violations()).toEqual([]);
    await page.getByLabel('Releases').uncheck();
    await page.getByText('Releases: stored').waitFor();

    const stored = await system.client.request('GET', `/users/ada/preferences/${topic.id}`, {});
    expect(stored.body).toMatchObject({ topic: { topic_id: topic.id, status: 'OPTED_OUT' } });
    await page.reload();
    await page.getByLabel('Releases').waitFor();
    expect(await page.getByLabel('Releases').isChecked()).toBe(false);
    expect(watched.errors).toEqual([]);
    await watched.close();
  });
});
