import { type Agent as HttpAgent, type IncomingMessage, request as requestPlain } from 'node:http';
import { type Agent as HttpsAgent, request as requestTls } from 'node:https';

/** Bytes of an answer that are read; the rest is dropped. */
const ANSWER_BYTES_MAX = 64 * 1024;

interface HttpCall {
  readonly url: URL;
  readonly method: string;
  readonly agent: HttpAgent | HttpsAgent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the call at once, at any stage. */
  readonly signal: AbortSignal;
  /** Called once the connection is established, TLS included. */
  readonly onConnected: () => void;
}

/** A receiver's answer, as far as it is used. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  /** The first 64 KB. */
  readonly body: string;
}

/**
 * Makes one request and resolves with its answer, whatever the status; redirects are not followed. Rejects with the error of the
 * network or the signal. A reused connection that the receiver had closed is replaced once: it carried no answer.
 */
export function call(made: HttpCall, isRepeated = false): Promise<HttpAnswer> {
  const { url, method, agent, headers, body, signal, onConnected } = made;
  return new Promise((resolve, reject) => {
    const request = url.protocol === 'https:' ? requestTls : requestPlain;
    const outgoing = request(url, {
      method,
      agent,
      signal,
      headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
    });
    outgoing.on('socket', (socket) => {
      if (!socket.connecting) onConnected();
      else socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', onConnected);
    });
    outgoing.on('response', (answer) => void read(answer).then(resolve, reject));
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE') && !signal.aborted;
      if (isStale && !isRepeated) resolve(call(made, true));
      else reject(error);
    });
    outgoing.end(body);
  });
}

async function read(answer: IncomingMessage) {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ANSWER_BYTES_MAX) break; // destroys the connection with the rest of the answer
  }
  const body = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString();
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body };
}
