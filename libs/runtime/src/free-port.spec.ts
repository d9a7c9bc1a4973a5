import { createServer, type Server } from 'node:net';
import { freePort } from './free-port';

/** The lowest port that a common system assigns to outgoing connections. */
const OUTGOING_FROM = 32_768;

/** Enough for two equal ports if each were drawn independently. */
const MANY = 500;

const listening = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen({ port, host: '127.0.0.1' }, () => resolve(server));
  });
const ended = (server: Server): Promise<unknown> => new Promise((resolve) => server.close(resolve));

describe('a free port', () => {
  it('can be listened on and is outside the range of outgoing connections', async () => {
    const ports = await Promise.all(Array.from({ length: 50 }, () => freePort()));
    expect(Math.max(...ports)).toBeLessThan(OUTGOING_FROM);
    await ended(await listening(ports[0]!));
  });

  it('is handed out once, even while no process listens on it', async () => {
    const ports: number[] = [];
    for (let n = 0; n < MANY; n += 1) ports.push(await freePort());
    expect(new Set(ports).size).toBe(MANY);
  });

  it('is the preferred port if that is free, else another one', async () => {
    const preferred = await freePort();
    expect(await freePort(preferred)).toBe(preferred);

    const server = await listening(preferred);
    expect(await freePort(preferred)).not.toBe(preferred);
    await ended(server);
  });
});
