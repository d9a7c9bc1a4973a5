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
  /** Aborted when nobody waits for the outcome any more (lease lost, process stopping): the call ends at once with `retry`. Every open call listens once. */
  readonly signal?: AbortSignal;
}

/** The receiver has taken the message over. */
export interface Accepted {
  readonly kind: 'accepted';
  /** What the receiver calls it; shown with the delivery and used to match later reports. */
  readonly reference: Record<string, string>;
  /** True where acceptance is all that will ever be reported, so the message counts as delivered. */
  readonly delivered: boolean;
}

/** Trying again later may help. */
export interface Retry {
  readonly kind: 'retry';
  readonly error: string;
  /** The receiver's own wish, in milliseconds from now. */
  readonly retryAfterMs?: number;
  /** `SOFT`: the recipient's side has a passing problem, such as a full mailbox. */
  readonly reasonCode?: 'SOFT';
}

/** Trying the same again cannot help. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: string;
  /**
   * - `permanent`: this provider will not take this message; another one may.
   * - `configuration`: this provider takes nothing as it is set up; somebody must look at it.
   * - `recipient`: the address is the problem; another provider would fail as well.
   */
  readonly cause: 'permanent' | 'configuration' | 'recipient';
  readonly reason: 'BOUNCED' | 'PROVIDER_ERROR' | 'FAILED';
  /** Only with `BOUNCED`. */
  readonly reasonCode?: 'HARD' | 'SOFT';
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
