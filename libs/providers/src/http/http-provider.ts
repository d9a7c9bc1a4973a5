import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import { ServiceError } from '@tidings/contracts/core/errors';
import { readOverride, refusedOverride } from '../call-override';
import type { OpenProvider } from '../provider-kind';
import { type Attempt, failed, type Outcome, retry } from '../provider';
import type { Recipient } from '../recipient';
import type { Rendered } from '../rendered';
import { outcomeOf } from './answer';
import { CallLimit } from './call-limit';
import { type Destination, destinationOf, OVERRIDABLE } from './destination';
import { AddressGuard, AddressRefused } from './guard/address-guard';
import { call } from './http-call';
import { signatureOf } from './signature';
import { wireMessage } from './wire-message';

export interface HttpProviderSettings {
  readonly url: URL;
  /** Signs every request to `url`. */
  readonly secret: string;
  /** The whole value of `Authorization`, for receivers that require one. */
  readonly authorization?: string;
}

export interface HttpProviderOptions {
  readonly guard: AddressGuard;
  /** For a whole call, the wait for a connection included. Default 10 s. */
  readonly timeoutMs?: number;
  readonly now?: () => number;
}

const TIMEOUT_MS = 10_000;
/** The number of concurrent calls of a process. */
const CONNECTIONS_MAX = 128;
const IDLE_CONNECTIONS_MAX = 16;
const IDLE_MS = 30_000;

/** One request, ready to be sent. */
interface Prepared extends Destination {
  readonly body: string;
}

/**
 * Sends each message with one POST to the operator's HTTP endpoint, or to that of a webhook's recipient. Requests to the configured
 * URL are signed. Repeated calls carry the same `Idempotency-Key`. Connects only to hosts that the guard allows, and follows no
 * redirect.
 */
export class HttpProvider implements OpenProvider {
  private readonly agents = new Map<string, HttpAgent | HttpsAgent>();
  private readonly openCalls = new Set<Promise<Outcome>>();
  private closed = false;

  constructor(
    private readonly settings: HttpProviderSettings,
    private readonly options: HttpProviderOptions,
  ) {}

  send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome> {
    if (this.closed) return Promise.resolve(retry('The HTTP provider was closed'));
    let prepared: Prepared;
    try {
      prepared = this.prepare(rendered, recipient, attempt);
    } catch (error) {
      if (error instanceof ServiceError) return Promise.resolve(refusedOverride(error));
      throw error;
    }
    const called = this.call(prepared, recipient, attempt);
    const outcome = prepared.isConfigured ? called : called.then(ofThisMessage);
    this.openCalls.add(outcome);
    void outcome.finally(() => this.openCalls.delete(outcome));
    return outcome;
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all(this.openCalls);
    for (const agent of this.agents.values()) agent.destroy();
  }

  /** @throws ServiceError for an invalid override. */
  private prepare(rendered: Rendered, recipient: Recipient, attempt: Attempt): Prepared {
    const override = readOverride(attempt.override, OVERRIDABLE);
    const message = wireMessage(rendered, recipient, attempt);
    return {
      ...destinationOf(this.settings.url, recipient, override),
      body: JSON.stringify(override.body ? deepMerge(message, override.body, { nullRemoves: true }) : message),
    };
  }

  private async call(prepared: Prepared, recipient: Recipient, { messageId, idempotencyKey, signal }: Attempt): Promise<Outcome> {
    const { url, method, headers, isConfigured, body } = prepared;
    const { guard, timeoutMs = TIMEOUT_MS, now = Date.now } = this.options;
    if (signal?.aborted) return retry('The call was aborted before it started');
    const limit = new CallLimit(timeoutMs, signal);
    let isConnected = false;
    try {
      guard.assertHost(url.hostname);
      const answer = await call({
        url,
        method,
        agent: this.agentOf(prepared),
        body,
        headers: {
          'content-type': 'application/json',
          'user-agent': 'tidings',
          'accept-encoding': 'identity',
          'idempotency-key': idempotencyKey,
          'x-courier-message-id': messageId,
          ...(isConfigured && this.credentials(body, now())),
          ...headers,
        },
        signal: limit.ended,
        onConnected: () => (isConnected = true),
      });
      return outcomeOf(answer, recipient, now());
    } catch (error) {
      if (limit.isOver) {
        // A connected receiver that does not answer may accept other messages; one without a connection accepts none.
        return retry(`The receiver did not answer within ${timeoutMs} ms`, isConnected ? { hung: true } : { outage: true });
      }
      if (signal?.aborted) return retry('The call was aborted before its answer');
      return unreached(error as NodeJS.ErrnoException);
    } finally {
      limit.end();
    }
  }

  /** Headers for the configured receiver alone. */
  private credentials(body: string, nowMs: number): Record<string, string> {
    const { secret, authorization } = this.settings;
    return {
      'courier-signature': signatureOf(secret, body, nowMs),
      ...(authorization !== undefined && { authorization }),
    };
  }

  /** Connections to the configured receiver are reused; those to other hosts serve one request each. */
  private agentOf({ url: { protocol }, isConfigured }: Destination): HttpAgent | HttpsAgent {
    const name = `${protocol}${isConfigured ? 'reused' : 'once'}`;
    const existing = this.agents.get(name);
    if (existing) return existing;
    const options = {
      maxSockets: CONNECTIONS_MAX,
      maxTotalSockets: CONNECTIONS_MAX,
      maxFreeSockets: IDLE_CONNECTIONS_MAX,
      timeout: IDLE_MS,
      keepAlive: isConfigured,
      lookup: this.options.guard.lookup,
    };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    this.agents.set(name, agent);
    return agent;
  }
}

/** The outcome at another URL than the configured one is no evidence about the configuration. */
function ofThisMessage(outcome: Outcome): Outcome {
  if (outcome.kind === 'failed' && outcome.cause === 'configuration') return { ...outcome, cause: 'permanent' };
  if (outcome.kind !== 'retry') return outcome;
  const { outage: _outage, hung: _hung, ...rest } = outcome;
  return rest;
}

/** Error codes of TLS for certificates that are not trusted. */
const CERTIFICATE_CODE = /CERT|SELF_SIGNED|UNABLE_TO_/;

/** The outcome without an answer. It omits the error's own text, which may contain internal addresses. */
function unreached(error: NodeJS.ErrnoException): Outcome {
  if (error instanceof AddressRefused) return failed(error.message, 'configuration');
  const code = error.code ?? error.name;
  if (CERTIFICATE_CODE.test(code)) return failed(`The receiver's certificate is not trusted (${code})`, 'configuration');
  return retry(`The receiver could not be reached (${code})`, { outage: true });
}
