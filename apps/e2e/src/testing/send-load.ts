import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { CapturingSmtp } from '@tidings/testing/capturing-smtp';
import { waitUntil } from '@tidings/testing/wait-until';
import type { Answer, ApiClient, ErrorBody } from './api-client';

const MAIL_POLL_MS = 500;

/** Outcome of one send, as its client saw it. */
export interface Sent {
  email: string;
  /** `'lost'`: the connection ended without an answer; the message may be stored or not. */
  status: number | 'lost';
  /** Present with 202. */
  id?: string;
  /** Present with any other status. */
  error?: ErrorBody;
  retryAfter: string | null;
  /** `performance.now()` at the start and the end. */
  startedAt: number;
  endedAt: number;
}

/** Sends to one recipient after another and records each outcome. */
export class SendLoad {
  readonly sent: Sent[] = [];
  /** How late the latest send of `trickle` began, in ms. */
  lateMs = 0;
  private count = 0;

  constructor(
    private readonly client: ApiClient,
    private readonly name: string,
    /** Message fields that extend or override the default; see `ApiClient.trySend`. */
    private readonly messageTo: (email: string) => object = () => ({}),
  ) {}

  /** Sends answered with 202. */
  get accepted(): (Sent & { id: string })[] {
    return this.sent.filter((one): one is Sent & { id: string } => one.status === 202);
  }

  /** Counts of outcomes by status. */
  get tally(): Record<string, number> {
    const tally: Record<string, number> = {};
    for (const { status } of this.sent) tally[status] = (tally[status] ?? 0) + 1;
    return tally;
  }

  /**
   * Makes `total` sends on `connections`, each as soon as the previous one ended. A connection awaits `onSent` before its next
   * send.
   */
  async flood(total: number, connections: number, onSent: (sent: Sent) => Promise<void> | void): Promise<void> {
    const last = this.count + total;
    const one = async (): Promise<void> => {
      while (this.count < last) await onSent(await this.send());
    };
    await Promise.all(Array.from({ length: connections }, one));
  }

  /**
   * Starts a send every `everyMs` ms until `signal` aborts, without awaiting earlier ones, so that slow answers do not reduce the
   * rate. Resolves when all are answered.
   */
  async trickle(everyMs: number, signal: AbortSignal): Promise<void> {
    const open: Promise<Sent>[] = [];
    for (let next = performance.now(); !signal.aborted; next += everyMs) {
      this.lateMs = performance.now() - next;
      open.push(this.send());
      // By the clock: timers that fire late do not reduce the rate either.
      await delay(Math.max(next + everyMs - performance.now(), 0), undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(open);
  }

  /** Sends on `connections` without pauses until `signal` aborts; waits `refusedMs` after a send without 202. */
  async stream(connections: number, signal: AbortSignal, refusedMs: number): Promise<void> {
    setMaxListeners(connections, signal); // each connection adds a listener while it pauses
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
    const startedAt = performance.now();
    const answer = await this.client.trySend(email, this.messageTo(email)).catch(() => undefined);
    const sent: Sent = {
      email,
      ...(answer ? outcomeOf(answer) : { status: 'lost', retryAfter: null }),
      startedAt,
      endedAt: performance.now(),
    };
    this.sent.push(sent);
    return sent;
  }
}

/** Resolves when every accepted send of a load has arrived as a mail. */
export async function untilMailed(smtp: CapturingSmtp, { accepted }: SendLoad, timeoutMs: number): Promise<void> {
  const missing = (): string[] => {
    const arrived = new Set(smtp.mails.flatMap(({ envelope }) => envelope.to));
    return accepted.filter(({ email }) => !arrived.has(email)).map(({ email, id }) => `${email} (${id})`);
  };
  await waitUntil(() => missing().length === 0, { what: 'a mail of each accepted send', timeoutMs, intervalMs: MAIL_POLL_MS }).catch(
    (error: Error) => {
      const lost = missing();
      throw new Error(`${lost.length} accepted sends have no mail: ${lost.slice(0, 5).join(', ')}`, { cause: error });
    },
  );
}

function outcomeOf({
  status,
  body,
  headers,
}: Answer<{ requestId: string } & ErrorBody>): Pick<Sent, 'status' | 'id' | 'error' | 'retryAfter'> {
  const retryAfter = headers.get('retry-after');
  return status === 202 ? { status, id: body.requestId, retryAfter } : { status, error: body, retryAfter };
}
