import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Where ports are drawn: below those that systems give to outgoing connections (from 32768 on Linux, 49152 elsewhere), so that none of
 * these takes the port before it is listened on.
 */
const DRAWN_FROM = 20_000;
const DRAWN_BELOW = 32_768;
const DRAWS_MAX = 100;

/** Ports that this process was given lately: whoever has one may not listen on it yet. */
const given = new Set<number>();
const GIVEN_MAX = 5_000;

/**
 * A port of 127.0.0.1 on which nobody listens now; `preferred` if it is such a port. Another process may take it before it
 * is used, so whoever listens on it next must be ready to ask again; this process is not given it twice, unless it
 * prefers it.
 */
export async function freePort(preferred?: number): Promise<number> {
  if (preferred && (await isFree(preferred))) {
    remember(preferred);
    return preferred;
  }
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const port = randomInt(DRAWN_FROM, DRAWN_BELOW);
    if (given.has(port)) continue;
    remember(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No port of 127.0.0.1 was found free to listen on between ${DRAWN_FROM} and ${DRAWN_BELOW - 1}`);
}

function remember(port: number): void {
  if (given.size >= GIVEN_MAX) given.clear();
  given.add(port);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
