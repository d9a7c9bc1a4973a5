import { connect } from 'node:net';

const METADATA_API = 3;
const API_VERSION = 1;
const ANSWER_BYTES_MAX = 65_536;
const ANSWER_TIMEOUT_MS = 2_000;

/**
 * Resolves with the ids of the cluster's brokers from the metadata of the broker at this plaintext port, or `undefined` when it does
 * not answer within 2 s. A broker lists itself only when it accepts requests.
 */
export function queryBrokers(port: number): Promise<number[] | undefined> {
  return new Promise((resolve) => {
    let answer: Buffer = Buffer.alloc(0);
    const socket = connect({ host: '127.0.0.1', port, timeout: ANSWER_TIMEOUT_MS });
    const end = (brokers?: number[]): void => {
      clearTimeout(late);
      socket.destroy();
      resolve(brokers);
    };
    const late = setTimeout(end, ANSWER_TIMEOUT_MS);
    socket.once('connect', () => socket.write(metadataRequest()));
    socket.on('data', (chunk) => {
      answer = Buffer.concat([answer, chunk]);
      if (answer.length > ANSWER_BYTES_MAX) end();
      else if (answer.length >= 4 && answer.length >= 4 + answer.readInt32BE(0)) end(parse(answer));
    });
    socket.once('error', () => end());
    socket.once('close', () => end());
  });
}

/** A metadata request for no topic: header (api, version, correlation id, no client id), then an empty list. */
function metadataRequest(): Buffer {
  const body = Buffer.alloc(14);
  body.writeInt16BE(METADATA_API, 0);
  body.writeInt16BE(API_VERSION, 2);
  body.writeInt32BE(1, 4);
  body.writeInt16BE(-1, 8);
  body.writeInt32BE(0, 10);
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length);
  return Buffer.concat([length, body]);
}

/** Broker ids. The answer has, after length and correlation id, the number of brokers, then id, host, port and rack of each. */
function parse(answer: Buffer): number[] | undefined {
  try {
    const ids: number[] = [];
    let at = 12;
    for (let left = answer.readInt32BE(8); left > 0; left--) {
      ids.push(answer.readInt32BE(at));
      at += 4 + 2 + answer.readInt16BE(at + 4) + 4;
      at += 2 + Math.max(answer.readInt16BE(at), 0);
    }
    return ids;
  } catch {
    return undefined; // not a broker
  }
}

/** Whether a process listens on this port of 127.0.0.1. */
export function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}
