import { startGateway } from './start-gateway';
import { MemoryEventLog } from './testing/memory-event-log';
import { RawConnection } from './testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from './testing/start-test-gateway';
import { things } from './testing/test-operations';

const GET = `GET /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;

/** A request that stays open until `answer` is called. */
async function openRequest(gateway: TestGateway): Promise<{ connection: RawConnection; answer: () => void }> {
  let answer = (): void => undefined;
  const called = new Promise<void>((resolve) => {
    gateway.client.answer(things.get, () => {
      resolve();
      return new Promise((answered) => (answer = () => answered({ name: 'done' })));
    });
  });
  const connection = new RawConnection(gateway.port);
  connection.write(GET);
  await called;
  return { connection, answer };
}

it('answers open requests when it stops, closes their connections, and refuses new ones', async () => {
  const gateway = await startTestGateway();
  const idle = new RawConnection(gateway.port);
  idle.write(GET);
  await idle.answer();
  const { connection, answer } = await openRequest(gateway);

  const stopped = gateway.stop();
  await idle.closed();
  await expect(fetch(gateway.url)).rejects.toThrow();
  answer();

  expect(await connection.answer()).toMatchObject({ status: 200, body: '{"name":"done"}', headers: { connection: 'close' } });
  await connection.closed();
  await stopped;
});

it('authenticates and answers a request that arrives partly before the stop', async () => {
  const gateway = await startTestGateway();
  gateway.client.addKey('pk_unseen');
  const connection = new RawConnection(gateway.port);
  const [start, rest] = ['GET /things HTTP/1.1\r\nHost: x\r\n', 'Authorization: Bearer pk_unseen\r\n\r\n'];
  connection.write(`${GET}${start}`); // the answer to GET shows that the partial request has arrived
  await connection.answer();

  const stopped = gateway.stop();
  connection.write(rest);

  expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await connection.closed();
  await stopped;
});

it('listens at the given address only, and names it in its URL', async () => {
  const gateway = await startTestGateway({ host: '127.0.0.2' });

  expect(gateway.url).toBe(`http://127.0.0.2:${gateway.port}`);
  expect((await gateway.request('/things/one')).status).toBe(200);
  await expect(fetch(`http://127.0.0.1:${gateway.port}/things/one`)).rejects.toThrow();
  await gateway.stop();
});

it('waits for open requests for the given time at most', async () => {
  const gateway = await startTestGateway();
  const { connection } = await openRequest(gateway);

  await gateway.stop(100);

  await connection.closed();
});

it('stops once for several calls', async () => {
  const gateway = await startTestGateway();

  await Promise.all([gateway.stop(), gateway.stop()]);
  await gateway.stop();
});

it('does not start on a port in use, and leaves nothing open', async () => {
  const gateway = await startTestGateway();
  const { client, events, port } = gateway;

  await expect(startGateway({ port, host: '127.0.0.1', client, events })).rejects.toThrow(/in use by another process/);
  await gateway.stop();
});

it('does not start without a subscription to changed keys', async () => {
  const events = new MemoryEventLog();
  events.broadcast = () => Promise.reject(new Error('The log is unavailable'));

  await expect(startTestGateway({ events })).rejects.toThrow('The log is unavailable');
});
