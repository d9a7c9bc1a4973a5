/** One call for one rendered message and one recipient. All of it survives a crash, so a repeat is the same call. */
export interface Attempt {
  /** The message's id, as clients know it. */
  readonly messageId: string;
  /** The same for every repeat of this delivery (message, channel, provider): receivers that honour the key see one message. */
  readonly idempotencyKey: string;
  /** 1 for the first attempt; for logs and errors, without effect on the sent message. */
  readonly number: number;
  /** When the message was first rendered for this delivery; the `Date` of an e-mail. The same for every repeat. */
  readonly renderedAt: Date;
  /** The data of the message, for receivers that process it. Default: none. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** The send's changes of the call, unvalidated: `{ body, config, url, method, headers }`; see `readOverride`. */
  readonly override?: Readonly<Record<string, unknown>>;
  /**
   * Aborted when the caller no longer needs the outcome (lease lost, process stopping): the call ends at once with `retry`. Every
   * open call adds one listener.
   */
  readonly signal?: AbortSignal;
}

/** The stored part of a receiver's answer, shown with the delivery for diagnosis. */
export interface ProviderResponse {
  readonly status: number;
  /** At most 4 KB. */
  readonly body: string;
}

/** A push token that its service refused, as reported to identity. */
export interface RefusedToken {
  readonly token: string;
  /** `revoked`: the device is no longer registered. `suspicious`: refused, possibly by a fault of the sender. */
  readonly outcome: 'revoked' | 'suspicious';
  /** The service's error code. */
  readonly code?: string;
  /** Since when it is refused, in ms since the epoch, where the service says so. Default: the time of its answer. */
  readonly at?: number;
}

/** The receiver accepted the message. */
export interface Accepted {
  readonly kind: 'accepted';
  /** The receiver's id of the message; shown with the delivery and used to match later reports. */
  readonly reference: Record<string, string>;
  /** The acceptance is the delivery, as by a mail server. False: the message is SENT until a report follows, and stays so without one. */
  readonly delivered: boolean;
  /** The refused ones of several tokens; at least one was accepted. */
  readonly refusedTokens?: readonly RefusedToken[];
  /** Push: the receipts of its devices are requested later, by these. */
  readonly tickets?: readonly PushTicket[];
  readonly response?: ProviderResponse;
}

/** What a push service gives for a message to one device that it accepted. */
export interface PushTicket {
  readonly id: string;
  /** The token of the device. */
  readonly token: string;
}

/** What became of a message to one device. */
export type PushReceipt =
  | { readonly kind: 'delivered' }
  /** `isRevoked`: the device is not registered any more. */
  | { readonly kind: 'failed'; readonly error: string; readonly code?: string; readonly isRevoked: boolean };

/** The receipts that a push service has, by the ids of their tickets. */
export interface PushReceipts {
  readonly kind: 'receipts';
  readonly found: ReadonlyMap<string, PushReceipt>;
}

/** Upper bound of a receiver's `Retry-After`: the longest pause between two attempts. */
export const RETRY_AFTER_MS_MAX = 3 * 3_600_000;

/** A later attempt may succeed. */
export interface Retry {
  readonly kind: 'retry';
  readonly error: string;
  /** The receiver's `Retry-After`, in milliseconds from now; capped at `RETRY_AFTER_MS_MAX`. */
  readonly retryAfterMs?: number;
  /** `SOFT`: a transient fault of the recipient's side, such as a full mailbox. */
  readonly reasonCode?: 'SOFT';
  /** The fault concerns every message, whatever its recipient: the receiver is unreachable or accepts nothing now. */
  readonly outage?: true;
  /** The receiver was connected and did not answer in time: one such call may concern its message alone, many in a row mean an outage. */
  readonly hung?: true;
  readonly response?: ProviderResponse;
}

/** Repeating the same call cannot succeed. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: string;
  /**
   * - `permanent`: this provider refuses this message; another one may accept it.
   * - `configuration`: this provider accepts nothing with its configuration; an operator must correct it.
   * - `recipient`: the address is invalid; another provider would fail as well.
   * - `token`: every push token was refused; `refusedTokens` lists them.
   */
  readonly cause: 'permanent' | 'configuration' | 'recipient' | 'token';
  readonly reason: 'BOUNCED' | 'PROVIDER_ERROR' | 'FAILED';
  /** Only with `BOUNCED`. */
  readonly reasonCode?: 'HARD' | 'SOFT';
  /** With `HARD`: what is refused may be this mail or its sender, so the address is not suppressed. */
  readonly isOfMail?: true;
  /** Set with the cause `token`, and only then. */
  readonly refusedTokens?: readonly RefusedToken[];
  readonly response?: ProviderResponse;
}

/** The result of one attempt. */
export type Outcome = Accepted | Retry | Failed;

/** The outcome of an attempt that a later one may follow. */
export function retry(error: string, more?: Omit<Retry, 'kind' | 'error'>): Retry {
  return { kind: 'retry', error, ...more };
}

/** A failure that concerns the provider, whatever the recipient. */
export function failed(error: string, cause: 'permanent' | 'configuration'): Failed {
  return { kind: 'failed', error, cause, reason: 'PROVIDER_ERROR' };
}

/** The recipient wants no messages from this sender, by the vendor's own record. */
export function optedOut(error: string): Failed {
  return { kind: 'failed', error, cause: 'recipient', reason: 'FAILED' };
}

/** A failure of every push token of a call. */
export function refused(error: string, refusedTokens: readonly RefusedToken[]): Failed {
  return { kind: 'failed', error, cause: 'token', reason: 'FAILED', refusedTokens };
}

/** A failure that concerns the recipient: other providers would fail as well. */
export function bounced(error: string, reasonCode: 'HARD' | 'SOFT'): Failed {
  return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode };
}
