import { type Answer, at, connect, drop, noReply, send, serve, defaultReply } from './scripted-server.fixture';
import { cleanUp } from './smtp-server.fixture';

afterEach(cleanUp);

describe('a server', () => {
  it('that closes after the whole message leaves its acceptance open, and gets the message once', async () => {
    const server = await serve(at('END', 1, drop));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: expect.stringContaining('after the whole message') as string,
    });
    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['1 END']);
  });

  it('that closes after a later whole message on a reused connection gets it once as well', async () => {
    let ends = 0;
    const server = await serve((command) => (command === 'END' && ++ends === 2 ? drop : defaultReply(command)));
    const provider = connect(server);
    await send(provider);
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('may have accepted it') as string });
    expect(ends).toBe(2);
  });

  it.each(['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA'])('that closes at %s ends the call in a retry, with nothing sent', async (stage) => {
    const server = await serve(at(stage, 1, drop));
    expect(await send(connect(server))).toMatchObject({ kind: 'retry', error: expect.stringContaining('before the message') as string });
    expect(server.log.some((line) => line.endsWith('END'))).toBe(false);
  });

  it.each(['GREETING', 'EHLO', 'MAIL', 'DATA', 'END'])(
    'that does not reply at %s costs no more than the timeout and its connection',
    async (stage) => {
      const server = await serve(at(stage, 1, noReply));
      const provider = connect(server, '&timeout=1000');
      const outcome = await send(provider);
      expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('1000 ms') as string });
      if (stage === 'END') expect(outcome).toMatchObject({ error: expect.stringContaining('after the whole message') as string });
      if (stage !== 'GREETING' && stage !== 'EHLO') expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    },
  );

  it.each(['GREETING', 'EHLO', 'RCPT', 'END'])(
    'that sends an invalid reply at %s is disconnected, and the call ends in a retry',
    async (stage) => {
      const server = await serve(at(stage, 1, 'HTTP/1.1 400 Bad Request'));
      expect(await send(connect(server))).toMatchObject({ kind: 'retry', error: expect.stringContaining('HTTP/1.1 400') as string });
    },
  );

  it('that never ends its reply is disconnected', async () => {
    const server = await serve(at('RCPT', 1, (socket) => socket.write(`250-${'x'.repeat(200_000)}`)));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: expect.stringContaining('does not end its reply') as string,
    });
  });

  it('that closes with 421 at the recipient ends the call in a retry', async () => {
    const server = await serve(at('RCPT', 1, '421 4.3.2 shutting down'));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: 'Mail server refused the recipient: 421 4.3.2 shutting down',
    });
  });

  it('that refuses the connection is a configuration failure; a busy one is retried', async () => {
    expect(await send(connect(await serve(at('GREETING', 1, '554 no service for you'))))).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
    expect(await send(connect(await serve(at('GREETING', 1, '421 too busy'))))).toMatchObject({ kind: 'retry' });
  });

  it('that expects the message of a refused recipient gets none, and no empty one', async () => {
    const server = await serve(at('RCPT', 1, '550 5.1.1 no such user'));
    const provider = connect(server);
    expect(await send(provider)).toMatchObject({ kind: 'failed', reason: 'BOUNCED' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['2 END']);
  });

  it('without EHLO gets HELO, and its commands one by one', async () => {
    const server = await serve((command) => (command === 'EHLO' ? '502 what?' : command === 'HELO' ? '250 ok' : defaultReply(command)));
    expect(await send(connect(server))).toMatchObject({ kind: 'accepted' });
    expect(server.log).toEqual(['1 GREETING', '1 EHLO', '1 HELO', '1 MAIL', '1 RCPT', '1 DATA', '1 END']);
  });
});

describe('a reused connection', () => {
  it.each([
    ['dropped', drop],
    ['dismissed with 421', '421 4.4.2 idle for too long'],
  ] as [string, Answer][])('%s at the first command of a mail is replaced within the call', async (_how, answer) => {
    let mails = 0;
    const server = await serve((command, n) => (command === 'MAIL' && n === 1 && ++mails === 2 ? answer : defaultReply(command)));
    const provider = connect(server);

    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });

    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['1 END', '2 END']);
  });

  it('is replaced once per call', async () => {
    const server = await serve((command, n) => (command === 'MAIL' && n > 1 ? drop : defaultReply(command)));
    const provider = connect(server);
    await send(provider);
    for (const socket of server.sockets) socket.destroy();
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('MAIL FROM') as string });
    expect(server.log.filter((line) => line.endsWith('GREETING'))).toHaveLength(2);
  });

  it('that breaks after the reply to the recipient is not replaced: the caller decides', async () => {
    let data = 0;
    const server = await serve((command) => (command === 'DATA' && ++data === 2 ? drop : defaultReply(command)));
    const provider = connect(server);
    await send(provider);
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('DATA') as string });
  });
});

describe('a call', () => {
  it('that is aborted ends at once, and the next one works', async () => {
    let mails = 0;
    const server = await serve((command) => (command === 'MAIL' && ++mails === 1 ? noReply : defaultReply(command)));
    const provider = connect(server);
    const abort = new AbortController();
    const call = send(provider, { signal: abort.signal });
    while (mails === 0) await new Promise((resolve) => setImmediate(resolve));
    abort.abort();

    expect(await call).toMatchObject({ kind: 'retry', error: expect.stringContaining('aborted') as string });
    expect(await send(provider, { signal: abort.signal })).toMatchObject({ kind: 'retry' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
  });

  it('that waits for a connection of a busy pool ends with its timeout', async () => {
    const server = await serve((command) => (command === 'MAIL' ? noReply : defaultReply(command)));
    const provider = connect(server, '&connections=1&timeout=300');
    const outcomes = await Promise.all([send(provider), send(provider)]);
    expect(outcomes).toMatchObject([{ kind: 'retry' }, { kind: 'retry', error: expect.stringContaining('300 ms') as string }]);
  });
});

describe('a server that allows fewer connections than the settings', () => {
  it('gets all mails over the allowed ones', async () => {
    const server = await serve((command, n) => (command === 'GREETING' && n > 2 ? '421 too many connections' : defaultReply(command)));
    const provider = connect(server, '&connections=10');
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(provider)));
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
  });
});
