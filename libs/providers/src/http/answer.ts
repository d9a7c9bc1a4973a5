import { bounced, failed, type Outcome, refused, type RefusedToken, retry } from '../provider';
import type { Recipient } from '../recipient';
import { accepted, classify, errorOf, isSuccess, jsonOf, toResponse } from '../vendor/classify';
import type { HttpAnswer } from '../vendor/http-call';
import { retryAfterMs } from '../vendor/retry-after';

const CODE_LENGTH_MAX = 100;

/** Maps a receiver's answer to the outcome of the attempt. `nowMs` is for dates in `Retry-After`. */
export function outcomeOf(answer: HttpAnswer, recipient: Recipient, nowMs: number): Outcome {
  const fields = jsonOf(answer.body);
  const response = toResponse(answer);
  if (isSuccess(answer)) {
    const refusedTokens = refusedOf(fields.refused_tokens, recipient);
    return {
      // A webhook has no service behind it that could report the delivery later.
      ...accepted(fields.id, recipient.channel === 'webhook' || fields.delivered === true),
      ...(refusedTokens.length > 0 && { refusedTokens }),
      response,
    };
  }
  const error = errorOf('The receiver', answer.status, [fields.error, fields.message, answer.body]);
  return { ...(namedOutcome(fields, recipient, error, answer, nowMs) ?? classify(answer, error, 'The receiver', nowMs)), response };
}

/** The outcome that the receiver names by `cause`, which is more precise than its status. */
function namedOutcome(fields: AnswerFields, recipient: Recipient, error: string, { status, headers }: HttpAnswer, nowMs: number) {
  switch (fields.cause) {
    case 'recipient':
      return bounced(error, fields.reason_code === 'SOFT' ? 'SOFT' : 'HARD');
    case 'token': {
      if (recipient.channel !== 'push') return undefined;
      const named = refusedOf(fields.tokens, recipient);
      return refused(error, named.length > 0 ? named : recipient.tokens.map(({ token }) => ({ token, outcome: 'revoked' })));
    }
    case 'permanent':
    case 'configuration':
      return failed(error, fields.cause);
    case 'retry':
      // With a cause, the receiver attributes the failure to this message: it is no outage. A redirect stays one.
      return status >= 300 && status < 400 ? undefined : retry(error, { retryAfterMs: retryAfterMs(headers['retry-after'], nowMs) });
    default:
      return undefined;
  }
}

type AnswerFields = Readonly<Record<string, unknown>>;

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
