import { attempt, cleanUp, connect, MAIL, start, until } from './smtp-server.fixture';

afterEach(cleanUp);

describe('connections', () => {
  it('are few, reused, and shared by many concurrent mails', async () => {
    const server = await start();
    const provider = connect(server, '&connections=5');

    const outcomes = await Promise.all(
      Array.from({ length: 200 }, (_, i) => provider.send({ ...MAIL, subject: `n${i}` }, { email: `u${i}@example.org` }, attempt())),
    );

    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(200);
    expect(new Set(server.received.map(({ mail }) => mail.subject)).size).toBe(200);
    for (const { mail } of server.received) expect(mail.to?.[0]?.address).toBe(`u${mail.subject?.slice(1)}@example.org`);
    expect(server.connectionCount).toBeLessThanOrEqual(5);
  });

  it('are opened on demand and closed when idle', async () => {
    const server = await start();
    const provider = connect(server);
    expect(server.connectionCount).toBe(0);
    for (let i = 0; i < 3; i++) await provider.send(MAIL, { email: 'jane@example.org' }, attempt());
    expect(server.connectionCount).toBe(1);

    const idle = connect(server, '', '', { idleMs: 50 });
    for (let connections = 2; connections <= 3; connections++) {
      expect(await idle.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
      await until(() => server.openConnections.size === 1);
      expect(server.connectionCount).toBe(connections);
    }
  });

  it('closed by a restart of the server are replaced within the call', async () => {
    const server = await start();
    const provider = connect(server, '&connections=3');
    await Promise.all([1, 2, 3].map(() => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

    await server.stop();
    await server.start();
    const outcomes = await Promise.all([1, 2, 3].map(() => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));

    expect(outcomes).toMatchObject([{ kind: 'accepted' }, { kind: 'accepted' }, { kind: 'accepted' }]);
    expect(server.received).toHaveLength(6);
  });

  it('to an unavailable server end in a retry, and work once it is available', async () => {
    const server = await start();
    const provider = connect(server);
    await server.stop();
    const outcomes = await Promise.all(Array.from({ length: 50 }, () => provider.send(MAIL, { email: 'jane@example.org' }, attempt())));
    for (const outcome of outcomes)
      expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('ECONNREFUSED') as string });

    await server.start();
    expect(await provider.send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject({ kind: 'accepted' });
  });

  it('are closed after the open calls, and later calls are refused', async () => {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    let atServer = false;
    const server = await start({
      onRcptTo: (_address, _session, done) => {
        atServer = true;
        void released.then(() => done());
      },
    });
    const provider = connect(server);
    const open = provider.send(MAIL, { email: 'jane@example.org' }, attempt());
    await until(() => atServer);

    let closed = false;
    const closing = provider.close().then(() => (closed = true));
    expect(await provider.send(MAIL, { email: 'john@example.org' }, attempt())).toMatchObject({ kind: 'retry' });
    expect(closed).toBe(false);
    release();

    expect(await open).toMatchObject({ kind: 'accepted' });
    await closing;
    await until(() => server.openConnections.size === 0);
    expect(server.received).toHaveLength(1);
  });
});
