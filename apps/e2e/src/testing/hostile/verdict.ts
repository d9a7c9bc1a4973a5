import type { DescribedInterface, DescribedOperation } from './openapi-interface';
import { ANSWER_MS_MAX, type WireAnswer } from './exchange';

/** Upper bound of a message: one that repeats a huge value is a fault. */
const MESSAGE_LENGTH_MAX = 2_000;
const NOT_SERVED = 501;
/** Characters of a failure that are printed. */
const FAILURE_SHOWN_MAX = 300;

const TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'authorization_error',
  403: 'authorization_error',
  429: 'rate_limit_error',
};
const ORDINARY_TYPE = 'invalid_request_error';

/** Internals that must not appear in a message. */
const LEAKS: readonly RegExp[] = [
  /^\s+at .+/m, // a stack trace
  /:\d+:\d+\)?$/m,
  /node_modules|\/dist\/|\/src\/|\/[\w.-]+\.[cm]?[jt]s\b|\.[cm]?[jt]s:\d|\/home\/|\/usr\/|\/var\/|\/root\/|file:\/\//,
  /\b(?:select|insert into|update|delete from)\b.+\b(?:from|values|set|where)\b/is,
  /\b(?:relation|column|constraint) "|\b(?:SQLSTATE|query failed|duplicate key|byte sequence|input syntax)\b/i,
  /\b(?:TypeError|RangeError|SyntaxError|ReferenceError|QueryFailedError|ECONN\w+|EPIPE)\b/,
  /Cannot read propert|is not a function|is not iterable|is not defined|Unexpected token|\[object Object\]/,
];

/** An answer with its operation; `foreign` when the target may have matched another route. */
export interface CheckedAnswer {
  readonly operation: DescribedOperation;
  readonly answer: WireAnswer;
  readonly foreign: boolean;
}

/** All violations of the interface by an answer; empty for a valid one. */
export function faultsOf(described: DescribedInterface, { operation, answer, foreign }: CheckedAnswer): string[] {
  const { status, ms } = answer;
  const faults = ms > ANSWER_MS_MAX ? [`took ${Math.round(ms)} ms`] : [];
  if (status >= 500 && !(status === NOT_SERVED && (foreign || operation.statuses.has(NOT_SERVED))))
    faults.push(`a failure of the server: ${status} ${answer.text.slice(0, FAILURE_SHOWN_MAX)}`);
  if (status >= 400 && !foreign && isOwnError(operation, answer)) return [...faults, ...contentFaults(described, operation, answer)];
  if (status >= 400) return [...faults, ...errorFaults(answer)];
  if (foreign) return faults;
  if (operation.notServed) return [...faults, 'is not served by the document, but was answered'];
  if (!operation.statuses.has(status)) return [...faults, `${status} is not in the document`];
  return [...faults, ...contentFaults(described, operation, answer)];
}

/** Whether the body is an error body of this operation's own, as the document allows. */
function isOwnError(operation: DescribedOperation, { status, text }: WireAnswer): boolean {
  const body = parsed(text);
  return operation.ownErrors.has(status) && typeof body === 'object' && body !== null && !('type' in body);
}

function errorFaults({ status, headers, text }: WireAnswer): string[] {
  if (headers['content-type'] !== 'application/json') return [`an error of type ${String(headers['content-type'])}: ${text.slice(0, 200)}`];
  const body = parsed(text);
  if (typeof body !== 'object' || body === null || Object.keys(body).sort().join() !== 'message,type')
    return [`not the error body: ${text.slice(0, 200)}`];
  const { message, type } = body as { message: unknown; type: unknown };
  const faults: string[] = [];
  if (type !== (TYPES[status] ?? (status >= 500 && status !== NOT_SERVED ? 'internal_error' : ORDINARY_TYPE)))
    faults.push(`type ${String(type)} with ${status}`);
  if (typeof message !== 'string' || message.trim() === '') return [...faults, 'an error without a message'];
  if (message.length > MESSAGE_LENGTH_MAX) faults.push(`a message of ${message.length} characters`);
  const leak = LEAKS.find((pattern) => pattern.test(message));
  if (leak) faults.push(`the message shows internals (${String(leak)}): ${message.slice(0, 300)}`);
  return faults;
}

function contentFaults(described: DescribedInterface, operation: DescribedOperation, { status, headers, text }: WireAnswer): string[] {
  const types = operation.textTypes.get(status);
  if (types) {
    const type = String(headers['content-type']);
    return types.some((one) => type === `${one}; charset=utf-8`) ? [] : [`a text of type ${type}`];
  }
  if (!described.hasContent(operation, status)) return text === '' ? [] : [`a body where the document has none: ${text.slice(0, 200)}`];
  if (headers['content-type'] !== 'application/json') return [`an answer of type ${String(headers['content-type'])}`];
  const body = parsed(text);
  if (body === undefined) return [`no JSON: ${text.slice(0, 200)}`];
  const violation = described.violation(operation, status, body);
  return violation === undefined ? [] : [`not as the document describes it: ${violation}: ${text.slice(0, 300)}`];
}

/** The JSON value; `undefined` for invalid JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
