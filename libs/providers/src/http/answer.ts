import type { Failed, Outcome, ProviderResponse, RefusedToken } from '../provider';
import type { Recipient } from '../recipient';
import type { HttpAnswer } from './http-call';
import { retryAfterMs } from './retry-after';

/** What is kept of the answer with the delivery. */
const KEPT_BYTES_MAX = 4 * 1024;
const ERROR_LENGTH_MAX = 300;
const REFERENCE_LENGTH_MAX = 256;
const CODE_LENGTH_MAX = 100;

/** What a receiver's answer means for the delivery. `nowMs` is for dates in `Retry-After`. */
export function outcomeOf(answer: HttpAnswer, recipient: Recipient, nowMs: number): Outcome {
  const { status } = answer;
  const said = objectOf(answer.body);
  const response = kept(answer);
  if (status >= 200 && status < 300) {
    const refusedTokens = refusedOf(said.refused_tokens, recipient);
    return {
      kind: 'accepted',
      reference: referenceOf(said.id),
      // Nobody stands behind a webhook who could tell of it later.
      delivered: recipient.channel === 'webhook' || said.delivered === true,
      ...(refusedTokens.length > 0 && { refusedTokens }),
      response,
    };
  }
  const error = `The receiver answered ${status}${wordsOf(said, answer.body)}`;
  const told = causeOf(said, recipient, error);
  if (told) return { ...told, response };
  if (status >= 300 && status < 400) {
    const redirected = `The receiver answered ${status}: redirects are not followed, configure the address it points to`;
    return { kind: 'failed', error: redirected, cause: 'configuration', reason: 'PROVIDER_ERROR', response };
  }
  if (said.cause === 'retry' || status === 408 || status === 429 || status >= 500 || status < 200) {
    const waitMs = retryAfterMs(answer.retryAfter, nowMs);
    // Of a message's own trouble a receiver tells by the cause.
    const isOutage = said.cause !== 'retry' && (status === 429 || status >= 500);
    return {
      kind: 'retry',
      error,
      ...(waitMs !== undefined && { retryAfterMs: waitMs }),
      ...(isOutage && { outage: true }),
      response,
    };
  }
  const cause = status === 401 || status === 403 ? 'configuration' : 'permanent';
  return { kind: 'failed', error, cause, reason: 'PROVIDER_ERROR', response };
}

/** The failure that the receiver itself names, if it does: it knows better than its status. */
function causeOf(said: Said, recipient: Recipient, error: string): Failed | undefined {
  switch (said.cause) {
    case 'recipient':
      return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: said.reason_code === 'SOFT' ? 'SOFT' : 'HARD' };
    case 'token': {
      if (recipient.channel !== 'push') return undefined;
      const named = refusedOf(said.tokens, recipient);
      const refusedTokens = named.length > 0 ? named : recipient.tokens.map(({ token }) => ({ token, outcome: 'revoked' as const }));
      return { kind: 'failed', error, cause: 'token', reason: 'FAILED', refusedTokens };
    }
    case 'permanent':
    case 'configuration':
      return { kind: 'failed', error, cause: said.cause, reason: 'PROVIDER_ERROR' };
    default:
      return undefined;
  }
}

type Said = Readonly<Record<string, unknown>>;

function objectOf(body: string): Said {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Said) : {};
  } catch {
    return {}; // receivers may answer what they like
  }
}

/** Tokens that were really sent, as the receiver lists them: texts, or `{ token, outcome, code }`. */
function refusedOf(listed: unknown, recipient: Recipient): RefusedToken[] {
  if (recipient.channel !== 'push' || !Array.isArray(listed)) return [];
  const refused = new Map<string, RefusedToken>();
  for (const one of listed as unknown[]) {
    const { token, outcome, code } = (typeof one === 'string' ? { token: one } : (one ?? {})) as Said;
    if (typeof token !== 'string') continue;
    const known = typeof code === 'string' && code !== '' ? { code: code.slice(0, CODE_LENGTH_MAX) } : {};
    refused.set(token, { token, outcome: outcome === 'suspicious' ? 'suspicious' : 'revoked', ...known });
  }
  return recipient.tokens.flatMap(({ token }) => refused.get(token) ?? []);
}

function referenceOf(id: unknown): Record<string, string> {
  const text = typeof id === 'number' ? String(id) : id;
  return typeof text === 'string' && text !== '' ? { id: text.slice(0, REFERENCE_LENGTH_MAX) } : {};
}

// eslint-disable-next-line no-control-regex -- control characters are what is removed
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]+/g;

/** The receiver's own words, on one line. */
function wordsOf({ error, message }: Said, body: string): string {
  const words = [error, message, body].find((text): text is string => typeof text === 'string' && text.trim() !== '');
  const line = words?.slice(0, ERROR_LENGTH_MAX).replace(CONTROL_CHARACTERS, ' ').trim();
  return line ? `: ${line}` : '';
}

/** Cut at a character, not within one. */
function kept({ status, body }: HttpAnswer): ProviderResponse {
  const bytes = Buffer.from(body, 'utf8');
  if (bytes.length <= KEPT_BYTES_MAX) return { status, body };
  let end = KEPT_BYTES_MAX;
  while ((bytes[end]! & 0xc0) === 0x80) end -= 1;
  return { status, body: bytes.subarray(0, end).toString('utf8') };
}
