import { createServer } from 'node:net';
import { waitUntil } from '@tidings/testing/wait-until';
import { TestServer, attempt, cleanUp, cleanUps, connect as connectTo, MAIL } from './smtp-server.fixture';
import { type Answer, connect, hang, send, serve, usual } from './scripted-server.fixture';
import type { SmtpProvider } from './smtp-provider';

afterEach(cleanUp);

const OUTAGE = { kind: 'retry', outage: true };
/** Little time where nothing comes; where something does it comes in time. */
const timeFor = (answer: Answer): string => (answer === hang ? '&timeout=200' : '');

/** A provider that has a connection, so that the time of the next mail is its own; from then on `answer` is what the server says at `stage`. */
async function connectedTo(stage: string, answer: Answer, query: string): Promise<SmtpProvider> {
  let isConnected = false;
  const server = await serve((command) => (isConnected && command === stage ? answer : usual(command)));
  const provider = connect(server, query);
  await waitUntil(async () => (await send(provider)).kind === 'accepted', { what: 'a connection' });
  isConnected = true;
  return provider;
}

describe('that no mail would get through is said', () => {
  it.each<[string, Answer]>([
    ['GREETING', '421 too busy'],
    ['GREETING', hang],
    ['GREETING', (socket) => socket.destroy()],
    ['EHLO', '451 not now'],
    ['EHLO', hang],
    ['RCPT', '421 4.3.2 shutting down'],
  ])('where the server answers %s so: %#', async (stage, answer) => {
    const server = await serve((command) => (command === stage ? answer : usual(command)));

    expect(await send(connect(server, timeFor(answer)))).toMatchObject(OUTAGE);
  });

  it('where nobody listens, or a login is put off', async () => {
    const gone = await new TestServer().start();
    await gone.stop();
    const busy = await new TestServer({
      authOptional: false,
      onAuth: (_auth, _session, done) => done(Object.assign(new Error('later'), { responseCode: 454 })),
    }).start();
    cleanUps.push(() => busy.stop());

    expect(await connectTo(gone).send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(OUTAGE);
    expect(await connectTo(busy, '', 'a:b@').send(MAIL, { email: 'jane@example.org' }, attempt())).toMatchObject(OUTAGE);
  });

  it('where the server takes connections and says nothing, of every call that waits for one', async () => {
    const silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const provider = connect({ port }, '&timeout=200');
    cleanUps.push(() => new Promise((resolve) => silent.close(() => resolve())));

    const outcomes = await Promise.all([send(provider), send(provider), send(provider)]);

    expect(outcomes).toMatchObject([OUTAGE, OUTAGE, OUTAGE]);
  });
});

describe('of one mail alone is', () => {
  it.each<[string, Answer]>([
    ['MAIL', hang],
    ['RCPT', '451 4.7.1 greylisted'],
    ['RCPT', hang],
    ['DATA', '451 later'],
    ['END', '451 later'],
    ['END', hang],
  ])('what the server answers to %s so: %#', async (stage, answer) => {
    const outcome = await send(await connectedTo(stage, answer, timeFor(answer)));

    expect(outcome).toMatchObject({ kind: 'retry' });
    expect(outcome).not.toHaveProperty('outage');
  });

  it('a wait for connections that others keep busy, also as these come to their end', async () => {
    const provider = await connectedTo('END', hang, '&connections=1&timeout=300');

    const outcomes = await Promise.all([send(provider), send(provider), send(provider)]);

    expect(outcomes.map(({ kind }) => kind)).toEqual(['retry', 'retry', 'retry']);
    expect(outcomes.filter((outcome) => 'outage' in outcome)).toEqual([]);
  });
});
