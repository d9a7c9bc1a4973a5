import { readFileSync } from 'node:fs';
import { constants } from 'node:http2';
import { Certificates } from '@tidings/testing/certificates';
import { latch } from '@tidings/testing/latch';
import { startTcpProxy } from '@tidings/testing/tcp-proxy';
import { waitUntil } from '@tidings/testing/wait-until';
import { cleanUp, cleanUps, guardOf, startReceiver } from '../http/receiver.fixture';
import { caller, OK, openTransport, startPeer } from './http2-transport.fixture';

afterEach(cleanUp);

const OUTAGE = { kind: 'retry', outage: true };
const names = (count: number) => Array.from({ length: count }, (_, i) => `/${i + 1}`);

it('makes many requests at once over one connection', async () => {
  const peer = await startPeer();
  peer.answering = (answer, { url }) => answer.writeHead(201, { 'x-answer': url }).end(`answer to ${url}`);
  const call = caller(openTransport(), peer.url);

  const answers = await Promise.all(names(200).map((name) => call(name)));

  expect(answers).toEqual(
    names(200).map((name) => ({
      status: 201,
      headers: expect.objectContaining({ 'x-answer': name }) as object,
      body: `answer to ${name}`,
    })),
  );
  expect(peer.connectionCount).toBe(1);
  expect(peer.received[0]).toMatchObject({
    method: 'POST',
    url: '/1',
    headers: { 'x-name': '/1', 'user-agent': 'tidings' },
    body: 'body of /1',
  });
});

it('has no more requests open than the server allows, also when that changes', async () => {
  const peer = await startPeer({ settings: { maxConcurrentStreams: 2 } });
  const call = caller(openTransport(), peer.url);
  await expect(Promise.all(names(20).map((name) => call(name)))).resolves.toEqual(Array(20).fill(OK));
  expect(peer.openMax).toBe(2);

  const all = latch();
  peer.answering = (answer) => void all.opened.then(() => answer.writeHead(200).end());
  peer.sessions[0]!.settings({ maxConcurrentStreams: 5 });
  const calls = names(8).map((name) => call(name));
  await waitUntil(() => peer.open === 5, { what: 'as many requests as are allowed now' });
  all.open();

  await expect(Promise.all(calls)).resolves.toEqual(Array(8).fill(OK));
  expect(peer.openMax).toBe(5);
  expect(peer.connectionCount).toBe(1);
});

it('ends a request that waits for another one to end at its time limit, and at its signal', async () => {
  const peer = await startPeer({ settings: { maxConcurrentStreams: 1 } });
  peer.answering = () => undefined;
  const call = caller(openTransport({ timeoutMs: 100 }), peer.url);
  const aborted = new AbortController();

  const calls = [call('/open'), call('/waits'), call('/aborted', aborted.signal)];
  aborted.abort();

  await expect(Promise.all(calls)).resolves.toMatchObject([
    { kind: 'retry', hung: true },
    { kind: 'retry', hung: true },
    { kind: 'retry', error: 'The call was aborted before its answer' },
  ]);
  // On a busy machine the first one ends just before the time limit of the second, which then begins.
  expect(peer.received.map(({ url }) => url)).not.toContain('/aborted');
});

describe('a server that ends the connection (GOAWAY)', () => {
  it('answers the open requests on it, and gets new ones on another', async () => {
    const peer = await startPeer();
    const left = latch();
    peer.answering = (answer, { url }) => {
      if (url === '/open') void left.opened.then(() => answer.writeHead(200).end());
      else answer.writeHead(200).end();
    };
    const call = caller(openTransport(), peer.url);
    const open = call('/open');
    await waitUntil(() => peer.received.length === 1);

    peer.sessions[0]!.goaway(constants.NGHTTP2_NO_ERROR, 2 ** 31 - 1);
    await waitUntil(async () => {
      expect(await call('/later')).toEqual(OK);
      return peer.connectionCount === 2;
    });
    left.open();

    await expect(open).resolves.toEqual(OK);
    await waitUntil(() => peer.sessions[0]!.destroyed, { what: 'the end of the first connection' });
  });

  it('gets the requests that it did not process once more', async () => {
    const peer = await startPeer();
    peer.answering = (answer, { url }) => {
      if (peer.connectionCount === 1 && url === '/second') answer.stream.session!.goaway(constants.NGHTTP2_NO_ERROR, 1);
      else if (url === '/second' || peer.connectionCount === 2) answer.writeHead(200).end();
      else void waitUntil(() => peer.connectionCount === 2).then(() => answer.writeHead(200).end());
    };
    const call = caller(openTransport(), peer.url);

    await expect(Promise.all([call('/first'), call('/second')])).resolves.toEqual([OK, OK]);
    expect(peer.received.map(({ url }) => url)).toEqual(['/first', '/second', '/second']);
  });

  it('with an error code has perhaps processed the open requests, and no others', async () => {
    const peer = await startPeer();
    peer.answering = (answer, { url }) => {
      if (peer.connectionCount > 1) answer.writeHead(200).end();
      else if (url === '/third') answer.stream.session!.goaway(constants.NGHTTP2_INTERNAL_ERROR, 3);
    };
    const call = caller(openTransport(), peer.url);

    await expect(Promise.all(['/first', '/second', '/third'].map((name) => call(name)))).resolves.toEqual([
      expect.objectContaining(OUTAGE),
      expect.objectContaining(OUTAGE),
      OK,
    ]);
    expect(peer.received.map(({ url }) => url)).toEqual(['/first', '/second', '/third', '/third']);
  });
});

it('repeats a refused request a few times', async () => {
  const peer = await startPeer();
  peer.answering = (answer) => answer.stream.close(constants.NGHTTP2_REFUSED_STREAM);
  const call = caller(openTransport(), peer.url);

  await expect(call('/refused')).resolves.toMatchObject(OUTAGE);
  expect(peer.received).toHaveLength(6);

  let refusals = 2;
  peer.answering = (answer) => {
    if (refusals-- > 0) answer.stream.close(constants.NGHTTP2_REFUSED_STREAM);
    else answer.writeHead(200).end();
  };
  await expect(call('/refused twice')).resolves.toEqual(OK);
  expect(peer.connectionCount).toBe(1);
});

it('does not repeat a request whose connection or stream was cut, and makes the next on a new one', async () => {
  const peer = await startPeer();
  const call = caller(openTransport(), peer.url);
  peer.answering = (answer) => answer.stream.session!.destroy();
  await expect(call('/cut')).resolves.toMatchObject(OUTAGE);

  peer.answering = (answer) => answer.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  await expect(call('/reset')).resolves.toMatchObject(OUTAGE);

  peer.answering = (answer) => answer.writeHead(200).end();
  await expect(call('/next')).resolves.toEqual(OK);
  expect(peer.received.map(({ url }) => url)).toEqual(['/cut', '/reset', '/next']);
});

it('takes the status of an answer whose body was cut', async () => {
  const peer = await startPeer();
  peer.answering = (answer) => {
    answer.writeHead(200, { 'apns-id': 'one' });
    answer.write('{', () => answer.stream.close(constants.NGHTTP2_INTERNAL_ERROR));
  };

  await expect(caller(openTransport(), peer.url)('/cut')).resolves.toMatchObject({ status: 200, headers: { 'apns-id': 'one' } });
});

it('reads only the beginning of an endless answer', async () => {
  const peer = await startPeer();
  peer.answering = (answer) => {
    answer.writeHead(200);
    const pour = (): void => {
      while (!answer.stream.destroyed && answer.write('x'.repeat(10_000)));
      if (!answer.stream.destroyed) answer.once('drain', pour);
    };
    pour();
  };

  const answer = await caller(openTransport(), peer.url)('/endless');

  expect(answer).toMatchObject({ status: 200, body: 'x'.repeat(65_536) });
});

it('ends a request that is not answered in time, or not wholly', async () => {
  const peer = await startPeer();
  const call = caller(openTransport({ timeoutMs: 200 }), peer.url);
  await call('/connects');
  peer.answering = (answer, { url }) => void (url === '/half' && answer.writeHead(200).write('{'));

  const error = 'The receiver did not answer within 200 ms';
  await expect(Promise.all([call('/none'), call('/half')])).resolves.toEqual(Array(2).fill({ kind: 'retry', error, hung: true }));
  peer.answer(200);
  await expect(call('/next')).resolves.toEqual(OK);
  expect(peer.connectionCount).toBe(1);
});

it('ends a connection that does not answer a ping, with its requests', async () => {
  const peer = await startPeer();
  const proxy = await startTcpProxy(peer.url);
  cleanUps.push(() => proxy.close());
  const call = caller(openTransport({ pingMs: 20, pongMs: 100 }), proxy.url);
  await expect(call('/connects')).resolves.toEqual(OK);

  proxy.setSilent(true);
  await expect(call('/lost')).resolves.toMatchObject(OUTAGE);

  proxy.setSilent(false);
  await expect(call('/next')).resolves.toEqual(OK);
  expect(peer.connectionCount).toBe(2);
});

it('looks for a dead connection as soon as a request gets no answer', async () => {
  const peer = await startPeer();
  const proxy = await startTcpProxy(peer.url);
  cleanUps.push(() => proxy.close());
  const call = caller(openTransport({ timeoutMs: 200, pongMs: 50 }), proxy.url);
  await waitUntil(async () => 'status' in (await call('/connects')));
  proxy.setSilent(true);
  await expect(call('/lost')).resolves.toMatchObject({ kind: 'retry', hung: true });

  await waitUntil(() => peer.sessions[0]!.destroyed, { what: 'the end of the dead connection' });
  proxy.setSilent(false);
  await waitUntil(async () => 'status' in (await call('/next')), { what: 'a new connection' });
  expect(peer.connectionCount).toBe(2);
});

it('closes a connection without requests after a while, and opens another for the next', async () => {
  const peer = await startPeer();
  const call = caller(openTransport({ pingMs: 10, idleMs: 30 }), peer.url);
  await call('/first');
  await waitUntil(() => peer.sessions[0]!.destroyed, { what: 'the end of the idle connection' });

  await expect(call('/second')).resolves.toEqual(OK);
  expect(peer.connectionCount).toBe(2);
});

it('retries where no HTTP/2 server answers, without naming an address', async () => {
  const peer = await startPeer();
  const { url: stopped } = peer;
  await peer.stop();
  const plain = await startReceiver();
  const transport = openTransport();

  for (const url of [stopped, plain.url]) {
    const outcome = await caller(transport, url)('/');
    expect(outcome).toMatchObject(OUTAGE);
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1');
  }
});

it('connects only to addresses that the guard allows, however they are named', async () => {
  const peer = await startPeer();
  const refusing = guardOf([], { resolve: (_host, _options, callback) => callback(null, [{ address: '127.0.0.1', family: 4 }]) });
  const call = caller(openTransport({ guard: refusing }), peer.url);
  await expect(call('/')).resolves.toMatchObject({ kind: 'failed', cause: 'configuration' });

  const named = caller(openTransport({ guard: refusing }), peer.url.replace('127.0.0.1', 'apns.example'));
  await expect(named('/')).resolves.toMatchObject({
    ...OUTAGE,
    error: expect.stringContaining('apns.example does not exist or is not at') as string,
  });
  const secure = caller(openTransport({ guard: refusing }), peer.url.replace('http://127.0.0.1', 'https://apns.example'));
  await expect(secure('/')).resolves.toMatchObject(OUTAGE);
  expect(peer.connectionCount).toBe(0);
});

it('uses TLS, and trusts only certificates of an authority', async () => {
  const certificates = new Certificates();
  cleanUps.push(() => Promise.resolve(certificates.remove()));
  const { certificate, key } = certificates.sign('peer');
  const peer = await startPeer({ cert: readFileSync(certificate), key: readFileSync(key) });
  const ca = readFileSync(certificates.ca.certificate);

  await expect(caller(openTransport({ tls: { ca } }), peer.url)('/')).resolves.toEqual(OK);
  await expect(caller(openTransport(), peer.url)('/')).resolves.toMatchObject({
    kind: 'failed',
    cause: 'configuration',
    error: expect.stringContaining('certificate is not trusted') as string,
  });
});
