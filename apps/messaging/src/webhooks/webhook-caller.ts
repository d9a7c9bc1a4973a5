import { Injectable } from '@nestjs/common';
import { AddressGuard } from '@tidings/providers/http/guard/address-guard';
import { courierSignature, standardHeaders } from '@tidings/providers/http/signature';
import { isSuccess } from '@tidings/providers/vendor/classify';
import { HttpClient } from '@tidings/providers/vendor/http-client';
import { retryAfterMs } from '@tidings/providers/vendor/retry-after';
import { Clock } from '@tidings/runtime/clock';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';

/** Answers after which the same request may succeed, beside 5xx. */
const TRANSIENT = new Set([408, 409, 425, 429]);
/** A test is answered by the request that asks for it. */
const TEST_MS_MAX = 5_000;
/** The receiver wants no more requests. */
const NO_MORE = 410;

const CALLS = metrics.counter(METRICS.webhookCalls);
const DURATION = metrics.histogram(METRICS.webhookDuration);

/** What identifies a receiver and proves us to it. */
export interface Receiver {
  readonly url: string;
  /** Each signs the request. */
  readonly secrets: readonly string[];
}

/** The answer of a receiver, or why there was none. */
export interface CallResult {
  /** `refused`: no request will be accepted any more. */
  readonly outcome: 'delivered' | 'retry' | 'failed' | 'refused';
  /** Status of the answer; absent without one. */
  readonly code?: number;
  readonly durationMs: number;
  readonly error?: string;
  /** With `retry`. */
  readonly retryAfterMs?: number;
}

/** Posts signed events to receivers at allowed addresses, within 10 s; follows no redirect. */
@Injectable()
export class WebhookCaller {
  private readonly client = new HttpClient({ guard: this.guard });
  private readonly testClient = new HttpClient({ guard: this.guard, timeoutMs: TEST_MS_MAX });

  constructor(
    private readonly guard: AddressGuard,
    private readonly clock: Clock,
  ) {}

  /**
   * Posts an event. Never rejects.
   * @param id of the event, the same for every attempt.
   * @param signal ends the call at once, with `retry`.
   */
  call(receiver: Receiver, id: string, event: object, signal?: AbortSignal): Promise<CallResult> {
    return this.post(this.client, receiver, id, event, signal);
  }

  /** As `call`, within 5 s. */
  test(receiver: Receiver, id: string, event: object): Promise<CallResult> {
    return this.post(this.testClient, receiver, id, event);
  }

  private async post(client: HttpClient, { url, secrets }: Receiver, id: string, event: object, signal?: AbortSignal): Promise<CallResult> {
    const since = performance.now();
    const body = JSON.stringify(event);
    const now = this.clock.now();
    const headers = {
      'content-type': 'application/json',
      'courier-signature': courierSignature(secrets, body, now),
      ...standardHeaders(secrets, id, body, now),
    };
    const answer = await client.request({ url: new URL(url), method: 'POST', headers, body }, signal);
    const seconds = (performance.now() - since) / 1_000;
    const outcome = 'kind' in answer ? 'retry' : outcomeOf(answer.status);
    CALLS.inc({ outcome });
    DURATION.observe(seconds);
    const durationMs = Math.round(seconds * 1_000);
    if ('kind' in answer) return { outcome, durationMs, error: answer.error };
    const { status: code, headers: received } = answer;
    if (outcome === 'delivered') return { outcome, code, durationMs };
    const error = `The receiver answered ${code}${code >= 300 && code < 400 ? ': redirects are not followed' : ''}`;
    const pause = outcome === 'retry' ? { retryAfterMs: retryAfterMs(received['retry-after'], now) } : {};
    return { outcome, code, durationMs, error, ...pause };
  }

  async close(): Promise<void> {
    await Promise.all([this.client.close(), this.testClient.close()]);
  }
}

function outcomeOf(status: number) {
  if (isSuccess({ status })) return 'delivered';
  if (status === NO_MORE) return 'refused';
  return status >= 500 || TRANSIENT.has(status) ? 'retry' : 'failed';
}
