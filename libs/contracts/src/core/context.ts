import type { KeyedCall, RequestKey } from './idempotency';

/** The kind of key the caller used: a `test` key runs the whole pipeline but no provider is called. */
export type KeyMode = 'production' | 'test';

/**
 * Who calls. Made from the credential alone, never from a body, a path or a query; every handler takes it first.
 */
export interface CallContext {
  /** UUID of the workspace whose data may be seen. */
  readonly workspaceId: string;
  /** `['*']` for an API key, the granted scopes for an issued token. */
  readonly scopes: readonly string[];
  readonly mode: KeyMode;
  /** Unique per call of a client; the same in every log line and every process the call reaches. */
  readonly callId: string;
  /** Identifies this one call however often a transport delivers it; absent where it is delivered once. */
  readonly deliveryId?: string;
  /**
   * When the caller gives up, in ms of this process's `performance.now()`: what is not done by then it does not hear of, and must not
   * be done. Of this call alone; absent where nobody waits.
   */
  readonly expiresAt?: number;
  /** W3C trace context, passed on as it came. */
  readonly traceparent?: string;
  /** The client's `Idempotency-Key`, in the context of the one call that answers the request; calls that this one makes carry none. */
  readonly requestKey?: RequestKey;
  /** In the handler of a call under a key, instead of the key: `CallJournal` keeps there what was done. */
  readonly keyedCall?: KeyedCall;
}

/** The workspace of calls that the system makes for itself (verifying a key, loading recipients of many workspaces). */
export const SYSTEM_WORKSPACE_ID = '00000000-0000-0000-0000-000000000000';

/** The context of a call that no client caused. */
export function systemContext(callId: string): CallContext {
  return { workspaceId: SYSTEM_WORKSPACE_ID, scopes: ['*'], mode: 'production', callId };
}
