import { hash, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@tidings/contracts/core/errors';
import { unauthenticated } from '../auth/credentials';
import { ADMIN_KEY_LENGTH_MIN } from '../gateway.options';

/** How long a wrong key waits for its answer, in ms, and how many may wait; the others are told at once that they are too many. */
const REFUSAL_DELAY_MS = 1_000;
export const REFUSALS_WAITING_MAX = 10;

const BEARER = /^bearer +([^ ]+) *$/i;

/**
 * Lets operators in. Their credential has nothing to do with the workspaces' keys: neither opens what the other is for. Wrong ones
 * are answered late, and only so many at once. Whoever guesses does not keep operators out: the right key never waits, and it is
 * too long to be guessed at any speed.
 */
export class AdminAuthenticator {
  private readonly expected: Buffer;
  private waiting = 0;

  constructor(
    adminKey: string,
    private readonly delayMs = REFUSAL_DELAY_MS,
  ) {
    if (adminKey.length < ADMIN_KEY_LENGTH_MIN) throw new Error(`The operators' key must have at least ${ADMIN_KEY_LENGTH_MIN} characters`);
    this.expected = digest(adminKey);
  }

  /** Resolves when the header carries the operators' key. Rejects with `unauthenticated`, or `rate_limited` while too many were wrong. */
  async admit(header: string | undefined): Promise<void> {
    const given = BEARER.exec(header ?? '')?.[1] ?? '';
    // Digests: the comparison takes the same time whatever differs, the length too.
    if (timingSafeEqual(digest(given), this.expected)) return;
    if (this.waiting >= REFUSALS_WAITING_MAX) {
      throw new ServiceError('rate_limited', 'Too many wrong keys were shown; try again in a moment');
    }

    this.waiting += 1;
    try {
      await delay(this.delayMs, undefined, { ref: false });
    } finally {
      this.waiting -= 1;
    }
    throw unauthenticated(`The operators' interface needs the header "Authorization: Bearer <the gateway's TIDINGS_ADMIN_KEY>"`);
  }
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
