import '@tidings/testing/quiet';
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageRequested, type MessageRequested } from '@tidings/contracts/messaging/events';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import { Database } from '@tidings/persistence/database';
import { loadConfiguration } from '@tidings/runtime/configuration';
import { HealthRegistry } from '@tidings/runtime/health';
import { Teardown } from '@tidings/runtime/teardown';
import { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { sharedTestKafka, TEST_SIGNING, TEST_TOPICS } from '@tidings/testing/kafka';
import { waitUntil } from '@tidings/testing/wait-until';
import { type Hop, HOPS_MAX, SEND_PATH, SEND_PATH_OVER_KAFKA } from './send-path.fixture';
import { startStandalone } from './start-standalone';
import { CallChains } from './testing/call-chains';

const ROOT = path.resolve(__dirname, '../../..');
/** A word that occurs in nothing but the one send. */
const newWord = (): string => `word${randomBytes(8).toString('hex')}`;
const nameOf = (hop: Hop): string => `${hop.file} ${hop.function}`;

/** Observes every method of a path, and the statements and sockets in which functions that are no methods end. */
async function observePath(hops: readonly Hop[], word: string): Promise<CallChains> {
  const chains = new CallChains(word);
  for (const [index, hop] of hops.entries()) {
    const names = new Set([hop.function, hops[index + 1]?.pulls ?? hop.function]);
    const exported = Object.values((await import(path.join(ROOT, hop.file))) as Record<string, { prototype?: object } | undefined>);
    for (const name of names) {
      const owner = exported.find((one) => one?.prototype && Object.hasOwn(one.prototype, name))?.prototype;
      if (owner) chains.observe(owner, name, `${hop.file} ${name}`);
    }
  }
  chains.observe(Database.prototype, 'query', 'statement');
  chains.observe(Socket.prototype, 'write', 'socket');
  return chains;
}

/** How a hop got the message, once for each time: the files of its callers, the nearest first, without its own. */
function callersOf({ calls }: CallChains, hop: Hop): string[][] {
  const direct = calls.filter(({ method }) => method === nameOf(hop));
  const chains = direct.length > 0 ? direct : calls.filter(({ method }) => method === 'statement');
  return chains.flatMap(({ callers }) => {
    const files = callers.map(({ file }) => file);
    if (direct.length > 0) return [files[0] === hop.file ? files.slice(1) : files];
    const own = callers.findIndex(({ file, functions }) => file === hop.file && functions.includes(hop.function));
    return own < 0 ? [] : [files.slice(own + 1)];
  });
}

/** The files that called a hop one after the other, back to the last queue or commit. */
function expectedCallers(hops: readonly Hop[], index: number): string[] {
  const { by, pulls } = hops[index]!;
  if (index === 0 || by === 'commit' || pulls !== undefined) return [];
  const previous = hops[index - 1]!.file;
  return by === 'queue' ? [previous] : [previous, ...expectedCallers(hops, index - 1)];
}

/** Whether the message came to a hop as the path has it. A stack may end early: at a call that is not awaited. */
function isCalledBy(callers: readonly string[], hops: readonly Hop[], index: number): boolean {
  const expected = expectedCallers(hops, index);
  const actual = callers.slice(0, expected.length);
  if (expected.length > 0) return actual.length > 0 && actual.every((file, depth) => file === expected[depth]);
  // What is read after a commit, or starts after one, has a caller of the path or none.
  return index === 0 || callers.length === 0 || hops.some(({ file }) => file === callers[0]);
}

/** What differs between a path and the calls that a send made. */
function differences(chains: CallChains, hops: readonly Hop[]): string[] {
  return hops.flatMap((hop, index) => {
    const calls = callersOf(chains, hop);
    if (calls.length !== 1) return [`${nameOf(hop)} was called ${calls.length} times with the message`];
    if (!isCalledBy(calls[0]!, hops, index)) return [`${nameOf(hop)} was called by ${calls[0]!.join(' ← ')}`];
    const { pulls, file } = hops[index + 1] ?? {};
    const pulled = chains.calls.filter(({ method }) => method === `${hop.file} ${pulls}`).map(({ callers }) => callers[0]?.file);
    return pulls === undefined || isDeepStrictEqual(pulled, [file]) ? [] : [`${hop.file} ${pulls} was read by ${pulled.join()}`];
  });
}

describe('the path of a send', () => {
  it.each([
    ['', SEND_PATH],
    [' over Kafka', SEND_PATH_OVER_KAFKA],
  ])('has few hops%s, each to another file', (_, hops) => {
    expect(hops.length - 1).toBeLessThanOrEqual(HOPS_MAX);
    expect(new Set(hops.map(({ file }) => file)).size).toBe(hops.length);
  });

  it('is drawn in docs/architecture.md', async () => {
    const page = await readFile(path.join(ROOT, 'docs/architecture.md'), 'utf8');
    const [, ...tables] = page.split('<!-- send-path -->\n');
    const drawn = tables.map((table) =>
      [...table.split('\n\n')[0]!.matchAll(/^\| +(\d+) +\| +`([^`]+)` +\| +`([^`]+)` +\| +(\w+)/gm)].map((row) => row.slice(1, 5)),
    );
    const rowsOf = (hops: readonly Hop[], chosen = hops) =>
      chosen.map((hop) => [String(hops.indexOf(hop)), hop.file, hop.function, hop.by]);
    const ofKafka = SEND_PATH_OVER_KAFKA.filter((hop) => !SEND_PATH.includes(hop));
    expect(drawn).toEqual([rowsOf(SEND_PATH), rowsOf(SEND_PATH_OVER_KAFKA, ofKafka)]);
  });

  it.each([
    ['a mail is sent', 'sendMail', ['libs/providers/src/smtp/smtp-provider.ts']],
    ['a list is expanded', 'expandPage', ['apps/messaging/src/expand/expansion.runner.ts']],
    ['a history row is written', 'append_history(', ['apps/messaging/src/record/sql.ts', 'apps/messaging/src/record/step-store.ts']],
  ])('one search finds where %s', (_, text, files) => {
    const sources = ['apps/*/src/*.ts', 'libs/*/src/*.ts', ':!*.spec.ts', ':!*.fixture.ts', ':!*/migrations/*'];
    const found = execFileSync('git', ['grep', '-lF', text, '--', ...sources], { cwd: ROOT, encoding: 'utf8' });
    expect(found.trim().split('\n')).toEqual(files);
  });
});

describe('a send', () => {
  const teardown = new Teardown();
  afterAll(async () => {
    expect(await teardown.run()).toEqual([]);
  });

  it('to a stored user by template takes this path, each hop once and by no other file', async () => {
    const word = newWord();
    const chains = await observePath(SEND_PATH, word);
    teardown.add('the observed methods', () => chains.restore());
    const smtp = await CapturingSmtp.start();
    teardown.add('the mail server', () => smtp.close());
    const directory = await mkdtemp(path.join(tmpdir(), 'tidings-path-'));
    teardown.add('the directory', () => rm(directory, { recursive: true }));
    const environment = { TIDINGS_DATA_DIR: directory, TIDINGS_SMTP_URL: smtp.url, PORT: '0' };
    const { url, access } = await startStandalone(
      {
        configuration: loadConfiguration('standalone', environment),
        health: new HealthRegistry(),
        publicMetrics: undefined,
        signal: new AbortController().signal,
        onStop: (name, stop) => teardown.add(name, stop),
        onStep: () => undefined,
        releasePort: () => undefined,
      },
      false,
    );
    const request = async (method: string, route: string, body: object): Promise<Record<string, string>> => {
      const headers = { authorization: `Bearer ${access[0]!.key}`, 'content-type': 'application/json' };
      const answer = await fetch(`${url}${route}`, { method, headers, body: JSON.stringify(body) });
      expect(answer.ok).toBe(true);
      return (await answer.json()) as Record<string, string>;
    };
    await request('PUT', '/profiles/ada', { profile: { email: 'ada@example.com' } });
    const elements = [
      { type: 'meta', title: 'Shipped' },
      { type: 'text', content: 'Order {{order}}' },
    ];
    const notification = { name: 'Shipped', tags: [], brand: null, subscription: null, routing: null };
    const { id: template } = await request('POST', '/notifications', {
      notification: { ...notification, content: { version: '2022-01-01', elements } },
      state: 'PUBLISHED',
    });

    // A message is called before it is stored where its id, which has its second, is newer than the process.
    const second = Math.ceil(Date.now() / 1000) * 1000;
    await waitUntil(() => Date.now() >= second, { what: 'the next second' });

    await request('POST', '/send', { message: { to: { user_id: 'ada' }, template, data: { order: word } } });
    const [mail] = await smtp.waitForMailsTo('ada@example.com');

    expect(mail!.raw.toString()).toContain(`Order ${word}`);
    expect(differences(chains, SEND_PATH)).toEqual([]);
    const written = chains.calls.filter(({ method, callers }) => method === 'socket' && callers[0]?.file === SEND_PATH.at(-1)!.file);
    expect(written.map(({ callers }) => callers[0]!.functions)).toEqual([expect.arrayContaining([SEND_PATH.at(-1)!.function])]);
  });

  it('takes the path over Kafka between gateway and messaging', async () => {
    const word = newWord();
    const hops = SEND_PATH_OVER_KAFKA.filter(({ file }) => /^libs\/(?:events|kafka)\//.test(file));
    const chains = await observePath(hops, word);
    teardown.add('the observed methods', () => chains.restore());
    const { brokers } = await sharedTestKafka();
    const log = await KafkaEventLog.connect({
      settings: { brokers, topicPrefix: `${newWord()}.`, topics: TEST_TOPICS, signing: TEST_SIGNING },
      clientId: 'spec',
    });
    teardown.add('the log', () => log.close());
    const handled: string[] = [];
    const append = async (order: string): Promise<string> => {
      const id = randomUUID();
      await log.append(messageRequested, [{ id, payload: { id, workspaceId: 'w', data: { order } } as unknown as MessageRequested }]);
      return id;
    };
    // The first append to a new topic is repeated until its leader knows that it leads.
    await append(newWord());

    const id = await append(word);
    await log.consume(messageRequested, { group: 'spec' }, (batch) => Promise.resolve(void handled.push(...batch.map((one) => one.id))));
    await waitUntil(() => handled.includes(id));

    expect(differences(chains, hops)).toEqual([]);
  });
});
