import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { bounced, type Failed, failed, type Outcome, type RefusedToken, retry } from '../provider';
import type { Recipient } from '../recipient';
import type { HttpAnswer } from './http-call';
import { retryAfterMs } from './retry-after';

/** Bytes of the answer that are stored with the delivery. */
const RESPONSE_BYTES_MAX = 4 * 1024;
const ERROR_LENGTH_MAX = 300;
const REFERENCE_LENGTH_MAX = 256;
const CODE_LENGTH_MAX = 100;

/** Maps a receiver's answer to the outcome of the attempt. `nowMs` is for dates in `Retry-After`. */
export function outcomeOf(answer: HttpAnswer, recipient: Recipient, nowMs: number): Outcome {
  const { status } = answer;
  const fields = fieldsOf(answer.body);
  const response = toResponse(answer);
  if (status >= 200 && status < 300) {
    const refusedTokens = refusedOf(fields.refused_tokens, recipient);
    return {
      kind: 'accepted',
      reference: referenceOf(fields.id),
      // A webhook has no service behind it that could report the delivery later.
      delivered: recipient.channel === 'webhook' || fields.delivered === true,
      ...(refusedTokens.length > 0 && { refusedTokens }),
      response,
    };
  }
  const error = `The receiver answered ${status}${wordsOf(fields, answer.body)}`;
  const failure = namedFailure(fields, recipient, error);
  if (failure) return { ...failure, response };
  if (status >= 300 && status < 400) {
    const redirected = `The receiver answered ${status}: redirects are not followed, configure the address it points to`;
    return { ...failed(redirected, 'configuration'), response };
  }
  if (fields.cause === 'retry' || status === 408 || status === 429 || status >= 500 || status < 200) {
    const waitMs = retryAfterMs(answer.retryAfter, nowMs);
    // With a cause, the receiver attributes the failure to this message.
    const isOutage = fields.cause !== 'retry' && (status === 429 || status >= 500);
    return retry(error, { retryAfterMs: waitMs, ...(isOutage && { outage: true }), response });
  }
  return { ...failed(error, status === 401 || status === 403 ? 'configuration' : 'permanent'), response };
}

/** The failure that the receiver names by `cause`, which is more precise than its status. */
function namedFailure(fields: AnswerFields, recipient: Recipient, error: string): Failed | undefined {
  switch (fields.cause) {
    case 'recipient':
      return bounced(error, fields.reason_code === 'SOFT' ? 'SOFT' : 'HARD');
    case 'token': {
      if (recipient.channel !== 'push') return undefined;
      const named = refusedOf(fields.tokens, recipient);
      const refusedTokens = named.length > 0 ? named : recipient.tokens.map(({ token }) => ({ token, outcome: 'revoked' as const }));
      return { kind: 'failed', error, cause: 'token', reason: 'FAILED', refusedTokens };
    }
    case 'permanent':
    case 'configuration':
      return failed(error, fields.cause);
    default:
      return undefined;
  }
}

type AnswerFields = Readonly<Record<string, unknown>>;

function fieldsOf(body: string): AnswerFields {
  try {
    const value: unknown = JSON.parse(body);
    return isJsonObject(value) ? value : {};
  } catch {
    return {}; // receivers may answer with any body
  }
}

/** The refused ones of the sent tokens; the receiver lists them as texts or `{ token, outcome, code }`. */
function refusedOf(listed: unknown, recipient: Recipient) {
  if (recipient.channel !== 'push' || !Array.isArray(listed)) return [];
  const refused = new Map<string, RefusedToken>();
  for (const one of listed as unknown[]) {
    const { token, outcome, code } = (typeof one === 'string' ? { token: one } : (one ?? {})) as AnswerFields;
    if (typeof token !== 'string') continue;
    const reason = typeof code === 'string' && code !== '' ? { code: code.slice(0, CODE_LENGTH_MAX) } : {};
    refused.set(token, { token, outcome: outcome === 'suspicious' ? 'suspicious' : 'revoked', ...reason });
  }
  return recipient.tokens.flatMap(({ token }) => refused.get(token) ?? []);
}

function referenceOf(id: unknown): Record<string, string> {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && text !== '' ? { id: text.slice(0, REFERENCE_LENGTH_MAX) } : {};
}

// eslint-disable-next-line no-control-regex -- it matches the control characters to remove
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]+/g;

/** The receiver's error text, on one line. */
function wordsOf({ error, message }: AnswerFields, body: string) {
  const words = [error, message, body].find((text): text is string => typeof text === 'string' && text.trim() !== '');
  const line = words?.slice(0, ERROR_LENGTH_MAX).replace(CONTROL_CHARACTERS, ' ').trim();
  return line ? `: ${line}` : '';
}

/** The body is cut between characters, not within one: a decoder that expects more waits for the rest of the last one. */
function toResponse({ status, body }: HttpAnswer) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  return { status, body: decoder.decode(Buffer.from(body).subarray(0, RESPONSE_BYTES_MAX), { stream: true }) };
}
