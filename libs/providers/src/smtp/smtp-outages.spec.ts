import { createServer } from 'node:net';
import { waitUntil } from '@tidings/testing/wait-until';
import { TestServer, attempt, cleanUp, cleanUps, connect as connectTo, MAIL, type Mailer } from './smtp-server.fixture';
import { type Answer, connect, noReply, send, serve, defaultReply } from './scripted-server.fixture';

afterEach(cleanUp);

const OUTAGE = { kind: 'retry', outage: true };
/** A short timeout where no reply comes; other replies come in time. */
const timeoutFor = (answer: Answer): string => (answer === noReply ? '&timeout=200' : '');

/** A provider with an open connection, so that the next timeout includes no connecting; then the server sends `answer` at `stage`. */
async function connectedTo(stage: string, answer: Answer, query: string): Promise<Mailer> {
  let isConnected = false;
  const server = await serve((command) => (isConnected && command === stage ? answer : defaultReply(command)));
  const provider = connect(server, query);
  await waitUntil(async () => (await send(provider)).kind === 'accepted', { what: 'a connection' });
  isConnected = true;
  return provider;
}

describe('an outage is reported', () => {
  it.each<[string, Answer]>([
    ['GREETING', '421 too busy'],
    ['GREETING', noReply],
    ['GREETING', (socket) => socket.destroy()],
    ['EHLO', '451 not now'],
    ['EHLO', noReply],
    ['RCPT', '421 4.3.2 shutting down'],
  ])('when the server answers %s by case %#', async (stage, answer) => {
    const server = await serve((command) => (command === stage ? answer : defaultReply(command)));

    expect(await send(connect(server, timeoutFor(answer)))).toMatchObject(OUTAGE);
  });

  it('when no server listens, or the server postpones a login', async () => {
    const stopped = await new TestServer().start();
    await stopped.stop();
    const busy = await new TestServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('later'), { responseCode: 454 })),
    }).start();
    cleanUps.push(() => busy.stop());

    expect(await connectTo(stopped).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(OUTAGE);
    expect(await connectTo(busy, '', 'a:b@').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(OUTAGE);
  });

  it('by every waiting call when the server accepts connections and sends nothing', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const provider = connect({ port }, '&timeout=200');
    cleanUps.push(() => new Promise((resolve) => silent.close(() => resolve())));

    const outcomes = await Promise.all([send(provider), send(provider), send(provider)]);

    expect(outcomes).toMatchObject([OUTAGE, OUTAGE, OUTAGE]);
  });
});

describe('no outage is', () => {
  it.each<[string, Answer]>([
    ['MAIL', noReply],
    ['RCPT', '451 4.7.1 greylisted'],
    ['RCPT', noReply],
    ['DATA', '451 later'],
    ['END', '451 later'],
    ['END', noReply],
  ])('the answer to %s by case %#', async (stage, answer) => {
    const outcome = await send(await connectedTo(stage, answer, timeoutFor(answer)));

    expect(outcome).toMatchObject({ kind: 'retry' });
    expect(outcome).not.toHaveProperty('outage');
  });

  it('a wait for connections that other calls use, also while these end', async () => {
    const provider = await connectedTo('END', noReply, '&connections=1&timeout=1000'); // includes connecting again

    const outcomes = await Promise.all([send(provider), send(provider), send(provider)]);

    expect(outcomes.map(({ kind }) => kind)).toEqual(['retry', 'retry', 'retry']);
    expect(outcomes.filter((outcome) => 'outage' in outcome)).toEqual([]);
  });
});
