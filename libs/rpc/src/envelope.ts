import type { Actor } from '@tidings/contracts/core/audit';
import type { CallContext } from '@tidings/contracts/core/context';
import { type ErrorShape, fromErrorShape, ServiceError, toErrorShape } from '@tidings/contracts/core/errors';
import { type StoredOutcome, RequestKey } from '@tidings/contracts/core/idempotency';
import type { AnyOperation } from '@tidings/contracts/core/request-parts';

/**
 * A request to a service, alike on every transport. Headers are strings, the body is JSON text: only text is passed, so that a
 * single process has no bugs hidden that two processes would have.
 */
export interface RequestRecord {
  headers: RequestHeaders;
  body: string;
}

/** Headers of a request, all texts. */
export interface RequestHeaders {
  operation: string;
  callId: string;
  workspace: string;
  mode: string;
  /** JSON array. */
  scopes: string;
  /** JSON array; absent if the caller may send to any recipient. */
  recipients?: string;
  /** How long the caller still waits, in ms, from the moment the transport accepted the record. */
  deadline: string;
  traceparent?: string;
  tracestate?: string;
  /** For a request with an `Idempotency-Key`: until when its answer is stored (ms since the epoch), a dot, `RequestKey.id`. */
  requestKey?: string;
  /** `RequestKey.bodyHash`; not part of `requestKey`, whose other parts services of earlier versions read. */
  bodyHash?: string;
  /** Of an audited call: the `Actor` as JSON. */
  actor?: string;
  /** The workspace's quota for the operation. */
  quota?: string;
  /** Unique to this record, on transports that may deliver it more than once. */
  deliveryId?: string;
  /** The deadline by `performance.now()` of the answering process; not transmitted. */
  expiresAt?: number;
}

/** JSON text of `{ "ok": … }` or `{ "error": { code, message, … } }`, `"replayed": true` before it when it is a replay. */
export type ReplyRecord = string;

/** Limit of a request or reply, in UTF-16 units: above 6 MB of a client's request and 4 MB of a page, below a broker's limit. */
const RECORD_LENGTH_MAX = 8 * 1024 * 1024;

/** The record of a request. @throws ServiceError `payload_too_large`. */
export function encodeRequest(operation: AnyOperation, context: CallContext, request: object, deadlineMs: number): RequestRecord {
  const body = JSON.stringify(request);
  if (body.length > RECORD_LENGTH_MAX) {
    throw new ServiceError(
      'payload_too_large',
      `The request of ${operation.pattern} has ${body.length} characters, at most ${RECORD_LENGTH_MAX} are allowed`,
    );
  }
  const { requestKey, actor, quota } = context;
  const headers = {
    operation: operation.pattern,
    callId: context.callId,
    workspace: context.workspaceId,
    mode: context.mode,
    scopes: JSON.stringify(context.scopes),
    recipients: context.recipients && JSON.stringify(context.recipients),
    deadline: String(deadlineMs),
    traceparent: context.traceparent,
    tracestate: context.tracestate,
    requestKey: requestKey && `${requestKey.expiresAt}.${requestKey.id}`,
    bodyHash: requestKey?.bodyHash,
    actor: operation.audit && actor && JSON.stringify(actor),
    quota: quota === undefined ? undefined : String(quota),
  };
  return { headers, body };
}

/** The caller's context, from the headers. */
export function contextOf(headers: RequestHeaders): CallContext {
  const { workspace, mode, scopes, recipients, callId, traceparent, tracestate, deliveryId } = headers;
  const { requestKey, bodyHash, actor, quota, expiresAt } = headers;
  return {
    workspaceId: workspace,
    mode: mode === 'test' ? 'test' : 'production',
    scopes: JSON.parse(scopes) as string[],
    ...(recipients !== undefined && { recipients: JSON.parse(recipients) as string[] }),
    callId,
    traceparent,
    tracestate,
    deliveryId,
    requestKey: requestKey === undefined ? undefined : toRequestKey(requestKey, bodyHash),
    actor: actor === undefined ? undefined : (JSON.parse(actor) as Actor),
    quota: quota === undefined ? undefined : Number(quota),
    expiresAt,
  };
}

function toRequestKey(header: string, bodyHash: string | undefined) {
  const dot = header.indexOf('.');
  return new RequestKey(header.slice(dot + 1), Number(header.slice(0, dot)), bodyHash);
}

const OK = '{"ok":';
const OK_NOTHING = `${OK}null}`;
const REPLAYED = '{"replayed":true,';

/** The reply with an answer; an error reply when the answer is too large. */
export function encodeOk(answer: unknown): ReplyRecord {
  const reply = answer === undefined ? OK_NOTHING : `${OK}${JSON.stringify(answer)}}`;
  if (reply.length > RECORD_LENGTH_MAX)
    return encodeError(new Error(`A reply of ${reply.length} characters is longer than ${RECORD_LENGTH_MAX}`));
  return reply;
}

/** The reply with an error. */
export function encodeError(error: unknown): ReplyRecord {
  return JSON.stringify({ error: toErrorShape(error) });
}

/** The reply with a stored outcome, marked when it is a replay. */
export function encodeStored({ outcome, replayed }: StoredOutcome): ReplyRecord {
  const reply = 'error' in outcome ? JSON.stringify(outcome) : encodeOk(outcome.ok);
  return replayed ? `${REPLAYED}${reply.slice(1)}` : reply;
}

/** Whether a reply is marked as a replay. */
export function isReplay(reply: ReplyRecord): boolean {
  return reply.startsWith(REPLAYED);
}

const ERROR_CODE = /^\{(?:"replayed":true,)?"error":\{"code":"(\w+)"/;

/** `ok`, or the error code of a reply. */
export function outcomeOf(reply: ReplyRecord): string {
  if (reply.startsWith(OK)) return 'ok';
  return ERROR_CODE.exec(reply)?.[1] ?? 'ok';
}

/** The answer in a reply; throws the `ServiceError` it carries instead. */
export function decodeReply<Response>(reply: ReplyRecord): Response {
  const { ok, error } = JSON.parse(reply) as { ok?: Response | null; error?: ErrorShape };
  if (error) throw fromErrorShape(error);
  return (ok ?? undefined) as Response;
}

/** The JSON text of the answer in a reply, `undefined` for one without content; throws the `ServiceError` it carries instead. */
export function answerText(reply: ReplyRecord): string | undefined {
  if (isReplay(reply)) return answerText(`{${reply.slice(REPLAYED.length)}`);
  if (reply === OK_NOTHING) return undefined;
  if (reply.startsWith(OK)) return reply.slice(OK.length, -1);
  const answer = decodeReply<unknown>(reply);
  return answer === undefined ? undefined : JSON.stringify(answer);
}
