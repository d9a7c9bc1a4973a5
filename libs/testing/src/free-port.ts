import { randomInt } from 'node:crypto';
import { freePort as ofAll } from '@tidings/runtime/free-port';

/** Below those that the product and the brokers draw for themselves: none of these takes what a test has not begun to use. */
const FIRST = 10_000;
const BELOW = 20_000;
/** Workers that run beside each other; more than there are cores share what there is. */
const WORKERS_MAX = 20;
const PORTS = (BELOW - FIRST) / WORKERS_MAX;
/** The port behind one is for the mailbox of the product that listens on it. */
const STEP = 2;

/** The one port of these that fetch calls a bad port (https://fetch.spec.whatwg.org/#port-blocking). */
const REFUSED_BY_FETCH = 10_080;

const worker = (Number(process.env.JEST_WORKER_ID ?? 1) - 1) % WORKERS_MAX;
let place = STEP * randomInt(PORTS / STEP);

/** A port of 127.0.0.1 on which nobody listens now. No suite beside this one is given it, and this one not again for long. */
export async function freePort(): Promise<number> {
  for (let looks = 0; looks < PORTS; looks += 1) {
    place = (place + STEP) % PORTS;
    const port = FIRST + worker * PORTS + place;
    if (port !== REFUSED_BY_FETCH && (await ofAll(port)) === port) return port;
  }
  return ofAll();
}
