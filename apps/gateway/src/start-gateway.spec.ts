import { startGateway } from './start-gateway';
import { MemoryEventLog } from './testing/memory-event-log';
import { RawConnection } from './testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from './testing/start-test-gateway';
import { things } from './testing/test-operations';

const GET = `GET /things/one HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\n\r\n`;

/** A request that is under way until `answer` is called. */
async function openRequest(gateway: TestGateway): Promise<{ connection: RawConnection; answer: () => void }> {
  let answer = (): void => undefined;
  const asked = new Promise<void>((resolve) => {
    gateway.client.answer(things.get, () => {
      resolve();
      return new Promise((answered) => (answer = () => answered({ name: 'done' })));
    });
  });
  const connection = new RawConnection(gateway.port);
  connection.write(GET);
  await asked;
  return { connection, answer };
}

it('answers what is open when it is stopped, closes the connection with it, and takes no more', async () => {
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

it('still authenticates and answers a request that has begun to arrive when the stop begins', async () => {
  const gateway = await startTestGateway();
  gateway.client.addKey('pk_unseen');
  const connection = new RawConnection(gateway.port);
  const [begun, rest] = ['GET /things HTTP/1.1\r\nHost: x\r\n', 'Authorization: Bearer pk_unseen\r\n\r\n'];
  connection.write(`${GET}${begun}`); // the beginning comes with a request whose answer tells that it is there
  await connection.answer();

  const stopped = gateway.stop();
  connection.write(rest);

  expect(await connection.answer()).toMatchObject({ status: 200, headers: { connection: 'close' } });
  await connection.closed();
  await stopped;
});

it('waits for open requests no longer than it is told', async () => {
  const gateway = await startTestGateway();
  const { connection } = await openRequest(gateway);

  await gateway.stop(100);

  await connection.closed();
});

it('stops once, however often it is asked', async () => {
  const gateway = await startTestGateway();

  await Promise.all([gateway.stop(), gateway.stop()]);
  await gateway.stop();
});

it('does not start on a port that is taken, and leaves nothing open', async () => {
  const gateway = await startTestGateway();
  const { client, events, port } = gateway;

  await expect(startGateway({ port, host: '127.0.0.1', client, events })).rejects.toThrow(/taken by another process/);
  await gateway.stop();
});

it('does not start while revoked keys could not be heard of', async () => {
  const events = new MemoryEventLog();
  events.broadcast = () => Promise.reject(new Error('The log is away'));

  await expect(startTestGateway({ events })).rejects.toThrow('The log is away');
});
