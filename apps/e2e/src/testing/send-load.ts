import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { Answer, ApiClient, ErrorBody } from './api-client';

/** What became of one send, as its client saw it. */
export interface Sent {
  email: string;
  /** `'lost'`: the connection ended without an answer, so nobody knows whether it was kept. */
  status: number | 'lost';
  /** With a 202. */
  id?: string;
  /** Of anything but a 202. */
  error?: ErrorBody;
  retryAfter: string | null;
  /** `performance.now()` at the start and the end. */
  begunAt: number;
  endedAt: number;
}

/** Sends to one recipient after another and remembers what became of each. */
export class SendLoad {
  readonly sent: Sent[] = [];
  private count = 0;

  constructor(
    private readonly client: ApiClient,
    private readonly name: string,
    /** What is sent besides, or instead; see `ApiClient.trySend`. */
    private readonly messageTo: (email: string) => object = () => ({}),
  ) {}

  /** Those that were answered with 202: what was promised. */
  get accepted(): (Sent & { id: string })[] {
    return this.sent.filter((one): one is Sent & { id: string } => one.status === 202);
  }

  /** How many answers there were of each kind. */
  get tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const { status } of this.sent) tally[status] = (tally[status] ?? 0) + 1;
    return tally;
  }

  /**
   * `total` sends on `connections`, each as soon as the one before it ended. `onSent` is awaited before a connection goes
   * on; what it does is the story's part.
   */
  async flood(total: number, connections: number, onSent: (sent: Sent) => Promise<void> | void): Promise<void> {
    const last = this.count + total;
    const one = async (): Promise<void> => {
      while (this.count < last) await onSent(await this.send());
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /**
   * Begins a send every `everyMs` ms until `signal` aborts, whether those before it are answered or not: what hangs does
   * not slow the others down. Resolves when all are answered.
   */
  async trickle(everyMs: number, signal: AbortSignal): Promise<void> {
    const open: Promise<Sent>[] = [];
    while (!signal.aborted) {
      open.push(this.send());
      await delay(everyMs, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(open);
  }

  /** Sends on `connections`, each as soon as the one before it ended, until `signal` aborts; what is refused is followed by a pause. */
  async stream(connections: number, signal: AbortSignal, refusedMs: number): Promise<void> {
    setMaxListeners(connections, signal); // each of them pauses
    const one = async (): Promise<void> => {
      while (!signal.aborted) {
        const { status } = await this.send();
        if (status !== 202) await delay(refusedMs, undefined, { signal }).catch(() => undefined);
      }
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  private async send(): Promise<Sent> {
    const email = `${this.name}-${++this.count}@example.com`;
    const begunAt = performance.now();
    const answer = await this.client.trySend(email, this.messageTo(email)).catch(() => undefined);
    const sent: Sent = {
      email,
      ...(answer ? outcomeOf(answer) : { status: 'lost', retryAfter: null }),
      begunAt,
      endedAt: performance.now(),
    };
    this.sent.push(sent);
    return sent;
  }
}

function outcomeOf({
  status,
  body,
  headers,
}: Answer<{ requestId: string } & ErrorBody>): Pick<Sent, 'status' | 'id' | 'error' | 'retryAfter'> {
  const retryAfter = headers.get('retry-after');
  return status === 202 ? { status, id: body.requestId, retryAfter } : { status, error: body, retryAfter };
}
