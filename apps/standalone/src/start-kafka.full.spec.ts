import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearSurvivor, readServerNote } from '@tidings/runtime/postgres-cluster';
import { isRunning } from '@tidings/runtime/process-table';
import { freePort } from '@tidings/testing/free-port';
import { describeWithKafka, KAFKA_START_TIMEOUT_MS, sharedTestKafka } from '@tidings/testing/kafka';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';

jest.setTimeout(600_000);

const LAUNCHER = join(__dirname, 'start-kafka.ts');
const APPS = ['gateway', 'identity', 'audience', 'messaging', 'content'];
/** Guards against tests that do not end: the five processes are compiled as they start, on a busy machine. */
const START_TIMEOUT_MS = 240_000;
const END_TIMEOUT_MS = 120_000;

interface Listed {
  pid: number;
  managementPort: number;
}

describeWithKafka('five processes over Kafka', () => {
  let folder: string;
  let data: string;
  let launcher: SourceProcess;
  let url: string;
  let key: string;
  let environment: NodeJS.ProcessEnv;

  const processes = (): Record<string, Listed> => {
    const file = join(data, 'processes.json');
    return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, Listed>) : {};
  };
  const pids = (): number[] => Object.values(processes()).map(({ pid }) => pid);

  async function start(): Promise<void> {
    launcher = SourceProcess.start(LAUNCHER, { environment });
    [, url, key] = (await launcher.untilOutput(/is ready\s+(http\S+)\s+API key\s+(\S+)[\s\S]*curl -sS/, {
      timeoutMs: START_TIMEOUT_MS,
    })) as unknown as [string, string, string];
  }

  async function get<Body>(path: string): Promise<{ status: number; body: Body }> {
    const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
    return { status: answer.status, body: (await answer.json()) as Body };
  }

  async function isReady(name: string): Promise<boolean> {
    return (await fetch(`http://127.0.0.1:${processes()[name]!.managementPort}/health/ready`)).ok;
  }

  beforeAll(async () => {
    const { brokers } = await sharedTestKafka();
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidings-five-')));
    data = join(folder, 'data');
    environment = {
      PORT: String(await freePort()),
      MANAGEMENT_PORT: '',
      TIDINGS_DATA_DIR: data,
      DATABASE_URL: '',
      KAFKA_BROKERS: brokers.join(),
      KAFKA_TOPIC_PREFIX: `five-${process.pid}.`,
      LOG_LEVEL: '',
    };
    await start();
  }, KAFKA_START_TIMEOUT_MS + START_TIMEOUT_MS);

  afterAll(async () => {
    const left = pids();
    await launcher?.kill();
    await waitUntil(() => !left.some(isRunning), { what: 'the end of the apps', timeoutMs: END_TIMEOUT_MS }).catch(() => undefined);
    if (existsSync(join(data, 'postgres'))) await clearSurvivor(join(data, 'postgres'));
    rmSync(folder, { recursive: true, force: true });
  });

  async function sendAndAwaitDelivery(): Promise<void> {
    const body = JSON.stringify({ message: { to: { email: 'ada@example.com' }, content: { title: 'Hello', body: 'Ada' } } });
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await fetch(`${url}/send`, { method: 'POST', headers, body });
    expect(answer.status).toBe(202);
    const { requestId } = (await answer.json()) as { requestId: string };
    await waitUntil(async () => (await get<{ status: string }>(`/messages/${requestId}`)).body.status === 'DELIVERED', {
      what: 'the delivery',
      timeoutMs: START_TIMEOUT_MS,
    });
  }

  it('deliver a message into the mailbox of the banner', async () => {
    await sendAndAwaitDelivery();

    const mailbox = /Mailbox\s+(http\S+)/.exec(launcher.output)![1]!;
    const { results } = (await (await fetch(mailbox)).json()) as { results: { to: string[]; subject: string }[] };
    expect(results).toEqual([expect.objectContaining({ to: ['ada@example.com'], subject: 'Hello' })]);
    expect((await fetch(`${mailbox}/none`)).status).toBe(404);
    expect((await fetch(mailbox, { method: 'DELETE' })).status).toBe(204);
    expect(await (await fetch(mailbox)).json()).toEqual({ results: [] });
  });

  it('require a sender of smtp providers, and warn of none where the mailbox is theirs', async () => {
    const { body } = await get<{ results: { settings: Record<string, { required: boolean }> }[] }>('/providers/catalog?keys=smtp');
    expect(body.results[0]!.settings.from_address).toMatchObject({ required: true });
    expect(launcher.output).not.toContain('TIDINGS_SMTP_URL');
  });

  it('print the address of the brokers', () => {
    expect(/^ {2}Kafka +(\S+)$/m.exec(launcher.output)![1]).toBe(environment.KAFKA_BROKERS);
  });

  it('answer probes from this machine only', async () => {
    const external = Object.values(networkInterfaces())
      .flat()
      .find((one) => one && !one.internal && one.family === 'IPv4');
    // Without another interface 127.0.0.2 replaces it: another address of the loopback.
    const host = external?.address ?? '127.0.0.2';
    for (const { managementPort } of Object.values(processes())) {
      await expect(fetch(`http://${host}:${managementPort}/health/live`)).rejects.toThrow();
    }
  });

  it('are listed for the owner, and each answers probes for itself', async () => {
    expect(Object.keys(processes()).sort()).toEqual([...APPS].sort());
    expect(statSync(join(data, 'processes.json')).mode & 0o777).toBe(0o600);
    for (const app of APPS) await waitUntil(() => isReady(app), { what: `the readiness of ${app}`, timeoutMs: START_TIMEOUT_MS });
    expect(launcher.output).toMatch(/^identity {2}\| \d\d:\d\d:\d\d {2}info /m);
  });

  it('are restarted when they are killed, with an error in the log, and messages are delivered', async () => {
    const { pid } = processes().messaging!;
    process.kill(pid, 'SIGKILL');

    await launcher.untilOutput(/messaging HAS ENDED unexpectedly \(SIGKILL\) and is restarted/, { timeoutMs: START_TIMEOUT_MS });
    await waitUntil(() => processes().messaging!.pid !== pid, { what: 'another messaging', timeoutMs: START_TIMEOUT_MS });
    await waitUntil(() => isReady('messaging'), { what: 'its readiness', timeoutMs: START_TIMEOUT_MS });
    await sendAndAwaitDelivery();
  });

  it('all end on one Ctrl-C, the gateway first, and leave no process or list', async () => {
    const [started, postgres] = [pids(), readServerNote(join(data, 'postgres'))!.pid];

    expect(await launcher.kill('SIGINT')).toBe(0);

    expect([...started, postgres].filter(isRunning)).toEqual([]);
    expect(existsSync(join(data, 'processes.json'))).toBe(false);
    const stops = [...launcher.output.matchAll(/^(\w+) +\| \S+ +info +Shutdown +Stopping/gm)].map(([, name]) => name);
    expect(stops.slice(0, 3)).toEqual(['tidings', 'gateway', 'messaging']);
    expect(stops.slice(3).sort()).toEqual(['audience', 'content', 'identity']);
    const logged = [...launcher.output.matchAll(/^tidings +\| \S+ +info +(?:Start|Shutdown) +((?:Starting|Waiting for) .*)$/gm)];
    expect(logged.map(([, line]) => line)).toEqual([
      'Starting PostgreSQL …',
      'Starting identity, audience, content, messaging, gateway …',
      'Waiting for gateway to end',
      'Waiting for messaging to end',
      'Waiting for identity, audience, content to end',
      'Waiting for PostgreSQL to end',
    ]);
  });

  it('have the same key at the next start, and do not outlive a launcher that is killed', async () => {
    const earlier = key;
    await start();
    expect(key).toBe(earlier);
    const started = pids();

    await launcher.kill('SIGKILL');

    await waitUntil(() => !started.some(isRunning), { what: 'the end of the apps', timeoutMs: END_TIMEOUT_MS });
  });

  it('end when one of them cannot start, with its reason in the output', async () => {
    const refused = SourceProcess.start(LAUNCHER, {
      environment: { ...environment, TIDINGS_SMTP_URL: 'smtp://mail.example.com?speed=high' },
    });

    expect(await refused.ended).toBe(1);
    expect(refused.output).toMatch(/messaging \| Tidings \(messaging\) cannot start: .*unknown option 'speed'/);
    expect(refused.output).toContain('Tidings cannot start: messaging cannot start: see its output above');
    expect(existsSync(join(data, 'processes.json'))).toBe(false);
  });
});
