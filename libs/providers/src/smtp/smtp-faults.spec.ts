import { type Answer, at, connect, drop, hang, send, serve, usual } from './scripted-server.fixture';
import { cleanUp } from './smtp-server.fixture';

afterEach(cleanUp);

describe('a server', () => {
  it('that hangs up after the whole message leaves open whether it was taken, and is not told twice', async () => {
    const server = await serve(at('END', 1, drop));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: expect.stringContaining('after the whole message') as string,
    });
    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['1 END']);
  });

  it('that hangs up after a later whole message on a kept connection is not told twice either', async () => {
    let ends = 0;
    const server = await serve((command) => (command === 'END' && ++ends === 2 ? drop : usual(command)));
    const provider = connect(server);
    await send(provider);
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('may have taken it') as string });
    expect(ends).toBe(2);
  });

  it.each(['GREETING', 'EHLO', 'MAIL', 'RCPT', 'DATA'])(
    'that hangs up at %s ends the call in a retry, with nothing sent',
    async (stage) => {
      const server = await serve(at(stage, 1, drop));
      expect(await send(connect(server))).toMatchObject({ kind: 'retry', error: expect.stringContaining('before the message') as string });
      expect(server.log.some((line) => line.endsWith('END'))).toBe(false);
    },
  );

  it.each(['GREETING', 'EHLO', 'MAIL', 'DATA', 'END'])(
    'that says nothing at %s costs no more than the time-out, and its connection',
    async (stage) => {
      const server = await serve(at(stage, 1, hang));
      const provider = connect(server, '&timeout=1000');
      const outcome = await send(provider);
      expect(outcome).toMatchObject({ kind: 'retry', error: expect.stringContaining('1000 ms') as string });
      if (stage === 'END') expect(outcome).toMatchObject({ error: expect.stringContaining('after the whole message') as string });
      if (stage !== 'GREETING' && stage !== 'EHLO') expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    },
  );

  it.each(['GREETING', 'EHLO', 'RCPT', 'END'])('that speaks nonsense at %s is left, and the call is a retry', async (stage) => {
    const server = await serve(at(stage, 1, 'HTTP/1.1 400 Bad Request'));
    expect(await send(connect(server))).toMatchObject({ kind: 'retry', error: expect.stringContaining('HTTP/1.1 400') as string });
  });

  it('that never ends its reply is left', async () => {
    const server = await serve(at('RCPT', 1, (socket) => socket.write(`250-${'x'.repeat(200_000)}`)));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: expect.stringContaining('does not end its reply') as string,
    });
  });

  it('that closes with 421 in the middle is a retry', async () => {
    const server = await serve(at('RCPT', 1, '421 4.3.2 shutting down'));
    expect(await send(connect(server))).toMatchObject({
      kind: 'retry',
      error: 'Mail server refused the recipient: 421 4.3.2 shutting down',
    });
  });

  it('that refuses us at the door is a matter of configuration; one that is busy is tried again', async () => {
    expect(await send(connect(await serve(at('GREETING', 1, '554 no service for you'))))).toMatchObject({
      kind: 'failed',
      cause: 'configuration',
    });
    expect(await send(connect(await serve(at('GREETING', 1, '421 too busy'))))).toMatchObject({ kind: 'retry' });
  });

  it('that asks for the message of a recipient it refused gets none, and no empty one', async () => {
    const server = await serve(at('RCPT', 1, '550 5.1.1 nobody'));
    const provider = connect(server);
    expect(await send(provider)).toMatchObject({ kind: 'failed', reason: 'BOUNCED' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['2 END']);
  });

  it('without EHLO is spoken to the old way, command by command', async () => {
    const server = await serve((command) => (command === 'EHLO' ? '502 what?' : command === 'HELO' ? '250 ok' : usual(command)));
    expect(await send(connect(server))).toMatchObject({ kind: 'accepted' });
    expect(server.log).toEqual(['1 GREETING', '1 EHLO', '1 HELO', '1 MAIL', '1 RCPT', '1 DATA', '1 END']);
  });
});

describe('a kept connection', () => {
  it.each([
    ['dropped', drop],
    ['dismissed with 421', '421 4.4.2 idle for too long'],
  ] as [string, Answer][])('%s at the first word of a mail is replaced within the call', async (_how, nasty) => {
    let mails = 0;
    const server = await serve((command, n) => (command === 'MAIL' && n === 1 && ++mails === 2 ? nasty : usual(command)));
    const provider = connect(server);

    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });

    expect(server.log.filter((line) => line.endsWith('END'))).toEqual(['1 END', '2 END']);
  });

  it('is replaced once per call, not for ever', async () => {
    const server = await serve((command, n) => (command === 'MAIL' && n > 1 ? drop : usual(command)));
    const provider = connect(server);
    await send(provider);
    for (const socket of server.sockets) socket.destroy();
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('MAIL FROM') as string });
    expect(server.log.filter((line) => line.endsWith('GREETING'))).toHaveLength(2);
  });

  it('that breaks after the recipient was answered is not replaced: the caller decides', async () => {
    let data = 0;
    const server = await serve((command) => (command === 'DATA' && ++data === 2 ? drop : usual(command)));
    const provider = connect(server);
    await send(provider);
    expect(await send(provider)).toMatchObject({ kind: 'retry', error: expect.stringContaining('DATA') as string });
  });
});

describe('a call', () => {
  it('that nobody waits for any more ends at once, and the next one works', async () => {
    let mails = 0;
    const server = await serve((command) => (command === 'MAIL' && ++mails === 1 ? hang : usual(command)));
    const provider = connect(server);
    const giveUp = new AbortController();
    const call = send(provider, { signal: giveUp.signal });
    while (mails === 0) await new Promise((resolve) => setImmediate(resolve));
    giveUp.abort();

    expect(await call).toMatchObject({ kind: 'retry', error: expect.stringContaining('given up') as string });
    expect(await send(provider, { signal: giveUp.signal })).toMatchObject({ kind: 'retry' });
    expect(await send(provider)).toMatchObject({ kind: 'accepted' });
  });

  it('waiting for a connection of a busy pool ends with its time', async () => {
    const server = await serve((command) => (command === 'MAIL' ? hang : usual(command)));
    const provider = connect(server, '&connections=1&timeout=300');
    const outcomes = await Promise.all([send(provider), send(provider)]);
    expect(outcomes).toMatchObject([{ kind: 'retry' }, { kind: 'retry', error: expect.stringContaining('300 ms') as string }]);
  });
});

describe('a server that allows fewer connections than we may open', () => {
  it('gets all mails over those it allows', async () => {
    const server = await serve((command, n) => (command === 'GREETING' && n > 2 ? '421 too many connections' : usual(command)));
    const provider = connect(server, '&connections=10');
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(provider)));
    expect(outcomes.filter(({ kind }) => kind === 'accepted')).toHaveLength(100);
  });
});
