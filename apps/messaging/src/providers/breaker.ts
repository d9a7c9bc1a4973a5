import type { Outcome } from '@tidings/providers/provider';

interface BreakerOptions {
  /** So many failures without a success between them open it. Default 10. */
  readonly failuresMax?: number;
  /** How long it stays open the first time, in ms. Default 1 s; each failed probe doubles it. */
  readonly openMs?: number;
  /** The longest it stays open without the receiver asking for more. Default 60 s. */
  readonly openMsMax?: number;
  /** A probe whose end is not told within this time counts as lost, and another one may begin. Default 30 s. */
  readonly probeMs?: number;
  /** The present, in ms; only differences matter. */
  readonly now: () => number;
}

type BreakerState = 'closed' | 'open' | 'half-open';

/** Whether a call may begin: yes, or in how many ms asking again makes sense. */
export type Admission = { readonly admitted: true } | { readonly admitted: false; readonly retryAfterMs: number };

const ADMITTED: Admission = { admitted: true };

/**
 * Spares a receiver that is down, and us the waiting for it. After `failuresMax` failures in a row no call is let through for a
 * while; then a single one is, the probe, and what becomes of it decides. A failure is what would meet any message: an outage, or a
 * configuration that is wrong; so is hanging, counted once for each message. A receiver that refuses or puts off a message, an address or
 * a token is well.
 *
 * Pure but for its clock. Of one process: each replica finds out for itself.
 */
export class Breaker {
  private readonly failuresMax: number;
  private readonly openMs: number;
  private readonly openMsMax: number;
  private readonly probeMs: number;
  private readonly now: () => number;
  private failures = 0;
  /** Messages over which it hung since it was well. */
  private readonly hungOver = new Set<string>();
  /** Times it opened without a success since. */
  private openings = 0;
  /** While it is open: when the next probe may begin. */
  private probeAt: number | undefined;
  private probing = false;
  private opened = 0;

  constructor({ failuresMax = 10, openMs = 1_000, openMsMax = 60_000, probeMs = 30_000, now }: BreakerOptions) {
    this.failuresMax = failuresMax;
    this.openMs = openMs;
    this.openMsMax = openMsMax;
    this.probeMs = probeMs;
    this.now = now;
  }

  /** `half-open` when the next call is the probe, or the probe is under way. */
  get state(): BreakerState {
    if (this.probeAt === undefined) return 'closed';
    return this.now() >= this.probeAt || this.probing ? 'half-open' : 'open';
  }

  /** How often it opened so far. */
  get openCount(): number {
    return this.opened;
  }

  /** For how many ms nobody will be admitted; 0: ask. Changes nothing. */
  get openForMs(): number {
    return this.probeAt === undefined ? 0 : Math.max(0, Math.ceil(this.probeAt - this.now()));
  }

  /** Asks before a call. Whoever is admitted makes the call, and tells its outcome by `record`. */
  admit(): Admission {
    if (this.probeAt === undefined) return ADMITTED;
    const waitMs = this.openForMs;
    if (waitMs > 0) return { admitted: false, retryAfterMs: waitMs };
    this.probing = true;
    this.probeAt = this.now() + this.probeMs;
    return ADMITTED;
  }

  /** What became of an admitted call with this message. */
  record(outcome: Outcome, messageId: string): void {
    if (!isFailure(outcome)) {
      this.failures = 0;
      this.hungOver.clear();
      this.openings = 0;
      this.probing = false;
      this.probeAt = undefined;
      return;
    }
    const wasClosed = this.probeAt === undefined;
    if (wasClosed && isHung(outcome)) {
      if (this.hungOver.has(messageId)) return; // it may be the message's own trouble
      this.hungOver.add(messageId);
    }
    this.failures += 1;
    // Calls that were under way when it opened end one after the other; they say nothing new.
    if (wasClosed ? this.failures >= this.failuresMax : this.probing)
      this.open(outcome.kind === 'retry' ? outcome.retryAfterMs : undefined);
  }

  private open(wishedMs = 0): void {
    const backOffMs = Math.min(this.openMs * 2 ** Math.min(this.openings, 30), this.openMsMax);
    this.openings += 1;
    this.opened += 1;
    this.probing = false;
    this.hungOver.clear();
    this.probeAt = this.now() + Math.max(backOffMs, wishedMs);
  }
}

function isFailure(outcome: Outcome): boolean {
  if (outcome.kind === 'retry') return outcome.outage === true || isHung(outcome);
  return outcome.kind === 'failed' && outcome.cause === 'configuration';
}

function isHung(outcome: Outcome): boolean {
  return outcome.kind === 'retry' && outcome.hung === true;
}
