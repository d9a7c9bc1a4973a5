import type { Actor, AuditedCall } from './audit';
import type { KeyedCall, RequestKey } from './idempotency';

/** The mode of the caller's key: a `test` key runs the whole pipeline without calling a provider. */
export type KeyMode = 'production' | 'test';

/**
 * The caller. Derived from the credential only, never from a body, a path or a query; the first parameter of every handler.
 */
export interface CallContext {
  /** UUID of the workspace whose data the caller may access. */
  readonly workspaceId: string;
  /** `['*']` for an API key, the granted scopes for an issued token. */
  readonly scopes: readonly string[];
  readonly mode: KeyMode;
  /** The guest list of the API key: the only user ids and addresses that it may send to. Absent: any. */
  readonly recipients?: readonly string[];
  /** Unique per call of a client; the same in every log line and every process the call reaches. */
  readonly callId: string;
  /** Identifies this call across redeliveries; absent if the transport delivers it only once. */
  readonly deliveryId?: string;
  /**
   * The caller's deadline, in ms of this process's `performance.now()`: a call not finished by then is unanswered and must have no
   * effect. For this call only; absent if no caller waits.
   */
  readonly expiresAt?: number;
  /** The holder of the credential, for the audit event; only in calls that change something. */
  readonly actor?: Actor;
  /** Set in the handler of a call whose change is audited: `CallJournal` records it with the change. */
  readonly audit?: AuditedCall;
  /** W3C trace context: the span of this call, or the client's own where this process does not trace. */
  readonly traceparent?: string;
  /** What other tracing systems pass on with `traceparent`. */
  readonly tracestate?: string;
  /** How many resources of the operation's kind the workspace may store; absent: any number, and for calls that no client made. */
  readonly quota?: number;
  /** The client's `Idempotency-Key`, only in the call that answers the request; calls made by that call have none. */
  readonly requestKey?: RequestKey;
  /** Replaces `requestKey` in the handler of a keyed call; `CallJournal` stores the effect of the call in it. */
  readonly keyedCall?: KeyedCall;
}

/** The workspace of internal calls (verifying a key, loading recipients of many workspaces). */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';

/** The context of a call that no client caused. */
export function systemContext(callId: string): CallContext {
  return { workspaceId: SYSTEM_WORKSPACE_ID, scopes: ['*'], mode: 'production', callId };
}
