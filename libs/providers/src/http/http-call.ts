import { type Agent as HttpAgent, type IncomingMessage, request as requestPlain } from 'node:http';
import { type Agent as HttpsAgent, request as requestTls } from 'node:https';

/** Characters of an answer that are read; the rest is not waited for. */
const ANSWER_BYTES_MAX = 64 * 1024;

interface HttpCall {
  readonly url: URL;
  readonly method: string;
  readonly agent: HttpAgent | HttpsAgent;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the call at once, wherever it is. */
  readonly signal: AbortSignal;
  /** Told when the receiver is there: connected, TLS included. */
  readonly onConnected: () => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter?: string;
  /** As far as it was read. */
  readonly body: string;
}

/**
 * One request, and its answer whatever it says; redirects are answers like others. Rejects with what the network or the signal did.
 * A kept connection that the receiver had closed meanwhile is replaced once: nothing had been answered on it.
 */
export async function call(made: HttpCall): Promise<HttpAnswer> {
  try {
    return await callOnce(made);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return await callOnce(made);
  }
}

/** A kept connection turned out to be dead before anything was answered. */
class StaleConnection extends Error {}

function callOnce({ url, method, agent, headers, body, signal, onConnected }: HttpCall): Promise<HttpAnswer> {
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
      const stale = outgoing.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE') && !signal.aborted;
      reject(stale ? new StaleConnection(error.message) : error);
    });
    outgoing.end(body);
  });
}

async function read(answer: IncomingMessage): Promise<HttpAnswer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    bytes += chunk.length;
    if (bytes >= ANSWER_BYTES_MAX) break; // which ends the connection: what is still to come is nobody's
  }
  const body = Buffer.concat(chunks).subarray(0, ANSWER_BYTES_MAX).toString('utf8');
  return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'], body };
}
