import { Agent, request } from 'node:http';

/** Timeout of one answer; a slower one is a fault. */
export const ANSWER_MS_MAX = 10_000;
/** Characters of a body that a failed test prints. */
const SHOWN_LENGTH_MAX = 600;
/** Enough to identify the kind of credential. */
const CREDENTIAL_SHOWN_MAX = 20;

/** A request exactly as sent; no client library corrects it. */
export interface WireRequest {
  readonly method: string;
  /** The request target, encoded correctly or not. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
}

export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  readonly ms: number;
}

/** Sends malformed requests over keep-alive connections. */
export class Wire {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 4 });
  private readonly host: string;
  private readonly port: number;

  constructor(url: string) {
    const { hostname, port } = new URL(url);
    this.host = hostname;
    this.port = Number(port);
  }

  /** Resolves with the answer of any status; rejects without one within `ANSWER_MS_MAX`. */
  async send(wireRequest: WireRequest): Promise<WireAnswer> {
    for (;;) {
      const sent = this.attempt(wireRequest);
      try {
        return await sent.answer;
      } catch (error) {
        // A keep-alive connection may close just as it is reused, independently of the request.
        if (!sent.reused() || (error as NodeJS.ErrnoException).code !== 'ECONNRESET') throw error;
      }
    }
  }

  close(): void {
    this.agent.destroy();
  }

  private attempt({ method, target, headers, body }: WireRequest): { answer: Promise<WireAnswer>; reused: () => boolean } {
    const startedAt = performance.now();
    const outgoing = request({
      agent: this.agent,
      host: this.host,
      port: this.port,
      method,
      path: target,
      headers: { ...(body && !headers['transfer-encoding'] && { 'content-length': String(body.length) }), ...headers },
    });
    const answer = new Promise<WireAnswer>((answered, failed) => {
      const guard = setTimeout(() => outgoing.destroy(new Error(`No answer within ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX);
      let responded = false;
      outgoing.on('error', (error) => {
        // A refusal may arrive while the body is being sent; the broken pipe that follows is expected.
        if (responded) return;
        clearTimeout(guard);
        failed(error);
      });
      outgoing.on('response', (response) => {
        responded = true;
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', failed);
        response.on('close', () => {
          clearTimeout(guard);
          const text = Buffer.concat(chunks).toString('utf8');
          const ms = performance.now() - startedAt;
          if (response.complete) answered({ status: response.statusCode ?? 0, headers: response.headers, text, ms });
          else failed(new Error(`The answer ended after ${text.length} characters, before its announced length`));
        });
      });
      outgoing.end(body);
    });
    return { answer, reused: () => outgoing.reusedSocket };
  }
}

/** The request as one short text, for failure reports. */
export function shown({ method, target, headers, body }: WireRequest): string {
  const { authorization = '', ...others } = headers;
  const credential = authorization.slice(0, CREDENTIAL_SHOWN_MAX);
  return `${method} ${cut(target)} ${cut(JSON.stringify({ ...others, authorization: credential }))}${body ? ` ${cut(body.toString('utf8'))}` : ''}`;
}

function cut(text: string): string {
  return text.length <= SHOWN_LENGTH_MAX ? text : `${text.slice(0, SHOWN_LENGTH_MAX)}… (${text.length} characters)`;
}
