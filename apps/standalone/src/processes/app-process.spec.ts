import '@tidings/testing/quiet';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppProcess } from './app-process';
import { LogRelay } from './log-relay';

const FILE = path.join(__dirname, 'app.fixture.cjs');
const HOST = '127.0.0.1';

describe('an app in a process of its own', () => {
  let directory: string;
  let occupant: Server;
  let app: AppProcess;
  /** Management ports of its starts. */
  let ports: number[];

  beforeEach(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'tidings-app-process-'));
    occupant = createServer((socket) => socket.destroy());
    ports = [];
  });
  afterEach(async () => {
    await app.stop();
    await new Promise((closed) => occupant.close(closed));
    rmSync(directory, { recursive: true, force: true });
  });

  /** An app that listens once `proceed` is called; `beforeListen` gets the port of its first start. */
  function makeApp(beforeListen: (port: number, proceed: () => void) => void): AppProcess {
    const startFile = path.join(directory, 'start');
    return new AppProcess({
      name: 'content',
      file: FILE,
      environment: { ...process.env, START_FILE: startFile },
      relay: new LogRelay({ width: 9, coloured: false, write: () => undefined }),
      onStart: ({ managementPort }) => {
        ports.push(managementPort);
        if (ports.length === 1) beforeListen(managementPort, () => writeFileSync(startFile, ''));
      },
    });
  }

  it('gets another port when its port is in use before it listens', async () => {
    app = makeApp((port, proceed) => occupant.listen({ port, host: HOST }, proceed));

    await app.start();
    await app.untilReady(new AbortController().signal);

    expect(ports).toHaveLength(2);
    expect(ports[1]).not.toBe(ports[0]);
  });

  it('is not restarted when it ends before it was ready', async () => {
    app = new AppProcess({
      name: 'content',
      file: path.join(directory, 'missing.cjs'),
      environment: process.env,
      relay: new LogRelay({ width: 9, coloured: false, write: () => undefined }),
      onStart: ({ managementPort }) => ports.push(managementPort),
    });

    await app.start();

    await expect(app.untilReady(new AbortController().signal)).rejects.toThrow('content cannot start');
    expect(ports).toHaveLength(1);
  });
});
