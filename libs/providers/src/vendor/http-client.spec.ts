import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Answering } from '@tidings/testing/capturing-http';
import { waitUntil } from '@tidings/testing/wait-until';
import { cleanUp, cleanUps, guardOf, LOOPBACK, startReceiver } from '../http/receiver.fixture';
import { HttpClient } from './http-client';

afterEach(cleanUp);

const CONNECTIONS_MAX = 128;

function openClient(url: string, guard = LOOPBACK) {
  const client = new HttpClient({ guard });
  cleanUps.push(() => client.close());
  const post = (signal?: AbortSignal) => client.request({ url: new URL(url), method: 'POST', headers: {}, body: 'x' }, signal);
  return { client, post };
}

/** A server of bytes: `answering` gets each piece that arrives, with the number of its connection. */
async function startBytes(answering: (socket: Socket, connection: number) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    const connection = sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('end', () => socket.end());
    socket.on('data', () => answering(socket, connection));
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  cleanUps.push(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, sockets };
}

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

it('makes the calls beyond its connections when others have ended, without those that were aborted meanwhile', async () => {
  const receiver = await startReceiver();
  const answers: Parameters<Answering>[0][] = [];
  receiver.answering = (answer) => answers.push(answer);
  const { post } = openClient(receiver.url);
  const aborting = new AbortController();
  const first = Array.from({ length: CONNECTIONS_MAX }, () => post());
  const aborted = post(aborting.signal);
  const last = post();
  await waitUntil(() => answers.length === CONNECTIONS_MAX, { what: 'a call on each connection' });

  aborting.abort();
  expect(await aborted).toEqual({ kind: 'retry', error: 'The call was aborted before its answer' });
  receiver.answer(202);
  for (const answer of answers) answer.writeHead(200).end();

  expect((await Promise.all(first)).every((answer) => 'status' in answer && answer.status === 200)).toBe(true);
  expect(await last).toMatchObject({ status: 202 });
  expect(receiver.received).toHaveLength(CONNECTIONS_MAX + 1);
  expect(receiver.connectionCount).toBe(CONNECTIONS_MAX);
});

it('repeats a call once whose reused connection is reset', async () => {
  const { url, sockets } = await startBytes((socket, connection) => {
    if (connection > 1 || socket.bytesRead < 200) socket.write(OK);
    else socket.resetAndDestroy();
  });
  const { post } = openClient(url);

  const answers = [await post(), await post()];

  expect(answers).toMatchObject([{ status: 200 }, { status: 200 }]);
  expect(sockets).toHaveLength(2);
});

it.each([`${CONTINUE}${OK}`, `${CONTINUE}${CONTINUE}`])(
  'ignores `100 Continue`, also several, alone or before the answer: %#',
  async (first) => {
    const { url, sockets } = await startBytes((socket) => {
      socket.write(first, () => !first.endsWith(OK) && setImmediate(() => socket.write(OK)));
    });
    const { post } = openClient(url);

    const answers = [await post(), await post()];

    expect(answers).toMatchObject([
      { status: 200, body: 'ok' },
      { status: 200, body: 'ok' },
    ]);
    expect(sockets).toHaveLength(1);
  },
);

it('does not repeat a call whose answer has started, or whose connection is new', async () => {
  const reached = { kind: 'retry', error: 'The receiver could not be reached (ECONNRESET)', outage: true };
  const started = await startBytes((socket) => (socket.bytesRead < 200 ? socket.write(OK) : socket.end(OK.slice(0, -1))));
  const cut = await startBytes((socket) => socket.destroy());
  const { post } = openClient(started.url);
  await post();

  expect(await post()).toEqual(reached);
  expect(await openClient(cut.url).post()).toEqual(reached);
  expect([started.sockets.length, cut.sockets.length]).toEqual([1, 1]);
});

it('keeps connections to a bounded number of origins, and closes none that carries a call', async () => {
  const receiver = await startReceiver();
  const answers: Parameters<Answering>[0][] = [];
  receiver.answering = (answer) => answers.push(answer);
  const { client, post } = openClient(receiver.url, guardOf(['127.0.0.0/8']));
  const busy = post();
  await waitUntil(() => answers.length === 1, { what: 'the call' });
  let opened = 0;
  const others = await startBytes((socket, connection) => {
    opened = connection;
    socket.write(OK);
  });
  const { port } = new URL(others.url);
  for (let host = 1; host <= 150; host++)
    await client.request({ url: new URL(`http://127.0.0.${host}:${port}/`), method: 'POST', headers: {}, body: 'x' });

  expect(opened).toBe(150);
  await waitUntil(() => others.sockets.filter(({ destroyed }) => !destroyed).length <= 100, { what: 'the end of the other connections' });
  receiver.answer(202);
  for (const answer of answers) answer.writeHead(202).end();
  expect(await busy).toMatchObject({ status: 202 });
});

it('has the first value of a header that is there several times', async () => {
  const receiver = await startReceiver();
  receiver.answering = (answer) => answer.setHeader('retry-after', ['7', '9']).writeHead(429).end();

  expect(await openClient(receiver.url).post()).toMatchObject({ status: 429, headers: { 'retry-after': '7' } });
});

it('ends connections that are being established with its end', async () => {
  // TLS that is never answered.
  const { url, sockets } = await startBytes(() => undefined);
  const { client, post } = openClient(url.replace('http:', 'https:'));
  const aborting = new AbortController();
  const call = post(aborting.signal);
  await waitUntil(() => sockets.length > 0, { what: 'a connection' });
  aborting.abort();
  expect(await call).toMatchObject({ kind: 'retry' });

  await client.close();
  await waitUntil(() => sockets[0]!.closed, { what: 'the end of the connection' });
});
