import { createServer } from 'node:net';

/**
 * A port of 127.0.0.1 on which nobody listens now; `preferred` if it is such a port. Another process may take it before it
 * is used, so whoever listens on it next must be ready to ask again.
 */
export async function freePort(preferred = 0): Promise<number> {
  return (await portOrNothing(preferred)) ?? (await portOrNothing(0)) ?? failWithoutPort();
}

function portOrNothing(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address ? address.port : undefined));
    });
  });
}

function failWithoutPort(): never {
  throw new Error('No port of 127.0.0.1 is free to listen on');
}
