import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { oneLine } from '../one-line';
import { type Accepted, type Failed, failed, type Outcome, type ProviderResponse, type Retry, retry } from '../provider';
import type { HttpAnswer } from './http-call';
import { retryAfterMs } from './retry-after';

/** Bytes of the answer that are stored with the delivery. */
const RESPONSE_BYTES_MAX = 4 * 1024;
const ERROR_LENGTH_MAX = 300;
const REFERENCE_LENGTH_MAX = 256;

/** Whether the status is one of success. */
export function isSuccess({ status }: Pick<HttpAnswer, 'status'>): boolean {
  return status >= 200 && status < 300;
}

/**
 * The outcome by the status of an answer that is no success: 408, 429 and 5xx may pass, with their `Retry-After`; 401, 403 and redirects are
 * a fault of the configuration; every other one is permanent.
 * @param name of the receiver, for redirects. @param nowMs for dates in `Retry-After`.
 */
export function classify(answer: HttpAnswer, error: string, name: string, nowMs: number): Retry | Failed {
  const { status } = answer;
  if (status >= 300 && status < 400)
    return failed(`${name} answered ${status}: redirects are not followed, configure the address it points to`, 'configuration');
  if (status === 408 || status === 429 || status >= 500 || status < 200) {
    const waitMs = retryAfterMs(answer.headers['retry-after'], nowMs);
    return retry(error, { retryAfterMs: waitMs, ...((status === 429 || status >= 500) && { outage: true }) });
  }
  return failed(error, status === 401 || status === 403 ? 'configuration' : 'permanent');
}

/** The message was accepted. @param id the receiver's, bounded; other values than texts and numbers count as none. */
export function accepted(id: unknown, delivered: boolean): Accepted {
  const text = typeof id === 'number' ? String(id) : id;
  const reference = typeof text === 'string' && text !== '' ? { id: text.slice(0, REFERENCE_LENGTH_MAX) } : undefined;
  return { kind: 'accepted', reference: reference ?? {}, delivered };
}

/** The outcome of a call with an address or credentials that are not the configured ones: it is no evidence about the configuration. */
export function ofThisMessage(outcome: Outcome): Outcome {
  if (outcome.kind === 'failed' && outcome.cause === 'configuration') return { ...outcome, cause: 'permanent' };
  if (outcome.kind !== 'retry') return outcome;
  const { outage: _outage, hung: _hung, ...rest } = outcome;
  return rest;
}

/** The JSON object of a body; an empty one for any other body. */
export function jsonOf(body: string): JsonObject {
  if (body === '') return {};
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // receivers may answer with any body
  }
}

/** `SendGrid answered 400: the words`, on one line: the first of these texts that is not blank, bounded. */
export function errorOf(name: string, status: number, words: readonly unknown[]): string {
  const text = words.find((one): one is string => typeof one === 'string' && one.trim() !== '');
  const line = oneLine(text?.slice(0, ERROR_LENGTH_MAX) ?? '').trim();
  return `${name} answered ${status}${line ? `: ${line}` : ''}`;
}

/** The body is cut between characters, not within one: a decoder that expects more waits for the rest of the last one. */
export function toResponse({ status, body }: Pick<HttpAnswer, 'status' | 'body'>): ProviderResponse {
  if (Buffer.byteLength(body) <= RESPONSE_BYTES_MAX) return { status, body };
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return { status, body: decoder.decode(Buffer.from(body).subarray(0, RESPONSE_BYTES_MAX), { stream: true }) };
}
