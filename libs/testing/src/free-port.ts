import { randomInt } from 'node:crypto';
import { freePort as ofAll } from '@tidings/runtime/free-port';

/** Below the ports that the product and the brokers choose themselves, so that neither takes a port reserved by a test. */
const FIRST = 10_000;
const BELOW = 20_000;
/** Number of port ranges; further workers share them. */
const WORKERS_MAX = 20;
const PORTS = (BELOW - FIRST) / WORKERS_MAX;
/** The next port is for the mailbox of a product that listens on this one. */
const STEP = 2;

/** The one port in the range that fetch blocks (https://fetch.spec.whatwg.org/#port-blocking). */
const REFUSED_BY_FETCH = 10_080;

const worker = (Number(process.env.JEST_WORKER_ID ?? 1) - 1) % WORKERS_MAX;
let offset = STEP * randomInt(PORTS / STEP);

/** An unused port of 127.0.0.1. Other workers do not get it, and this one gets it again only after all its other ports. */
export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < PORTS; attempt += 1) {
    offset = (offset + STEP) % PORTS;
    const port = FIRST + worker * PORTS + offset;
    if (port !== REFUSED_BY_FETCH && (await ofAll(port)) === port) return port;
  }
  return ofAll();
}
