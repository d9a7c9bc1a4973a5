import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Range of drawn ports: below those that systems assign to outgoing connections (from 32768 on Linux, 49152 elsewhere), so that no
 * outgoing connection uses the port before the caller listens on it.
 */
const DRAWN_FROM = 20_000;
const DRAWN_BELOW = 32_768;
const DRAWS_MAX = 100;

/** Ports that this process handed out recently: their callers may not listen on them yet. */
const handedOut = new Set<number>();
const HANDED_OUT_MAX = 5_000;

/**
 * A port of 127.0.0.1 on which no process listens now; `preferred` if that one is free. Another process may use it before the
 * caller listens, so the caller must be ready to try again. One process gets no port twice, unless it prefers it.
 */
export async function freePort(preferred?: number) {
  if (preferred && (await isFree(preferred))) {
    markHandedOut(preferred);
    return preferred;
  }
  for (let draw = 0; draw < DRAWS_MAX; draw++) {
    const port = randomInt(DRAWN_FROM, DRAWN_BELOW);
    if (handedOut.has(port)) continue;
    markHandedOut(port);
    if (await isFree(port)) return port;
  }
  throw new Error(`No free port of 127.0.0.1 found between ${DRAWN_FROM} and ${DRAWN_BELOW - 1}`);
}

function markHandedOut(port: number) {
  if (handedOut.size >= HANDED_OUT_MAX) handedOut.clear();
  handedOut.add(port);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)));
  });
}
