/** One try at handing one rendered message to one recipient. Everything in it survives a crash, so a repeat is the same call. */
export interface Attempt {
  /** The message's id, as clients know it. */
  readonly messageId: string;
  /** Stable over every repeat of this delivery (message, channel, provider): receivers that honour such a key see one message. */
  readonly idempotencyKey: string;
  /** 1 for the first try; for logs and errors only, it changes nothing of what is sent. */
  readonly number: number;
  /** When the message was first rendered for this delivery; the `Date` of an e-mail. The same for every repeat. */
  readonly renderedAt: Date;
  /** The data of the message, for receivers that do more with it than show it. Default: none. */
  readonly data?: Readonly<Record<string, unknown>>;
  /** What the send changes of the call itself, as its client wrote it: `{ body, config, url, method, headers }`; see `readOverride`. */
  readonly override?: Readonly<Record<string, unknown>>;
  /** Aborted when nobody waits for the outcome any more (lease lost, process stopping): the call ends at once with `retry`. Every open call listens once. */
  readonly signal?: AbortSignal;
}

/** What a receiver answered, as far as it is kept: shown with the delivery to whoever looks for a fault. */
export interface ProviderResponse {
  readonly status: number;
  /** At most 4 KB of it. */
  readonly body: string;
}

/** A push token that its service does not take, in the words identity learns of it. */
export interface RefusedToken {
  readonly token: string;
  /** `revoked`: the device is gone. `suspicious`: refused, for a reason that may be ours. */
  readonly outcome: 'revoked' | 'suspicious';
  /** The service's own word for it. */
  readonly code?: string;
}

/** The receiver has taken the message over. */
export interface Accepted {
  readonly kind: 'accepted';
  /** What the receiver calls it; shown with the delivery and used to match later reports. */
  readonly reference: Record<string, string>;
  /** True where acceptance is all that will ever be reported, so the message counts as delivered. */
  readonly delivered: boolean;
  /** Of several tokens, those that were not taken; at least one was. */
  readonly refusedTokens?: readonly RefusedToken[];
  readonly response?: ProviderResponse;
}

/** A receiver may ask us to wait, not to wait for ever: as long as the longest wait between two attempts. */
export const RETRY_AFTER_MS_MAX = 3 * 3_600_000;

/** Trying again later may help. */
interface Retry {
  readonly kind: 'retry';
  readonly error: string;
  /** The receiver's own wish, in milliseconds from now; at most `RETRY_AFTER_MS_MAX` counts. */
  readonly retryAfterMs?: number;
  /** `SOFT`: the recipient's side has a passing problem, such as a full mailbox. */
  readonly reasonCode?: 'SOFT';
  /** Any message would have met it, whoever it is for: nobody answers, or the receiver takes nothing at the moment. */
  readonly outage?: true;
  /** The receiver was there and said nothing in time. Of one message this says little; of many in a row, that any would meet it. */
  readonly hung?: true;
  readonly response?: ProviderResponse;
}

/** Trying the same again cannot help. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: string;
  /**
   * - `permanent`: this provider will not take this message; another one may.
   * - `configuration`: this provider takes nothing as it is set up; somebody must look at it.
   * - `recipient`: the address is the problem; another provider would fail as well.
   * - `token`: every push token was refused; `refusedTokens` says which.
   */
  readonly cause: 'permanent' | 'configuration' | 'recipient' | 'token';
  readonly reason: 'BOUNCED' | 'PROVIDER_ERROR' | 'FAILED';
  /** Only with `BOUNCED`. */
  readonly reasonCode?: 'HARD' | 'SOFT';
  /** Only with the cause `token`, and always there. */
  readonly refusedTokens?: readonly RefusedToken[];
  readonly response?: ProviderResponse;
}

export type Outcome = Accepted | Retry | Failed;

/**
 * One configured way to deliver on one channel. `Rendered` is what the channel's renderer makes, `Recipient` the part of a
 * profile it needs.
 */
export interface Provider<Rendered, Recipient> {
  /** As configurations name it: `smtp`, `twilio`, … */
  readonly key: string;
  readonly channel: string;
  /** Never rejects for anything the network or the receiver can do: every such end is an `Outcome`. Ends in bounded time. */
  send(rendered: Rendered, recipient: Recipient, attempt: Attempt): Promise<Outcome>;
  /** Takes no further calls, waits for those that are open, and leaves no connection behind. */
  close(): Promise<void>;
}
