import { hash, timingSafeEqual } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '@tidings/contracts/core/errors';
import { unauthenticated } from '../auth/credentials';
import { ADMIN_KEY_LENGTH_MIN, type OperatorKey } from '../gateway.options';

/** Delay of the answer to a wrong key, in ms, and how many such answers may wait; further ones are refused at once. */
const REFUSAL_DELAY_MS = 1_000;
export const REFUSALS_WAITING_MAX = 10;

const BEARER = /^bearer +([^ ]+) *$/i;

/**
 * Authenticates operators. Their keys are independent of the workspaces' keys: neither is valid for the other interface. Wrong keys
 * are answered late and in bounded number. Guessing does not lock operators out: a right key never waits, and it is too long to
 * be guessed at any rate.
 */
export class AdminAuthenticator {
  private readonly operators: readonly { name: string; expected: Buffer }[];
  private waiting = 0;

  constructor(
    operators: readonly OperatorKey[],
    private readonly delayMs = REFUSAL_DELAY_MS,
  ) {
    const short = operators.find(({ key }) => key.length < ADMIN_KEY_LENGTH_MIN);
    if (short) throw new Error(`The key of operator ${short.name} must have at least ${ADMIN_KEY_LENGTH_MIN} characters`);
    this.operators = operators.map(({ name, key }) => ({ name, expected: digest(key) }));
  }

  /** Resolves with the name of the operator whose key the header carries. Rejects with `unauthenticated`, or `rate_limited` while too many were wrong. */
  async admit(header: string | undefined) {
    const given = BEARER.exec(header ?? '')?.[1] ?? '';
    // Digests make the comparison constant-time, also for keys of another length.
    const digested = digest(given);
    const [found] = this.operators.filter(({ expected }) => timingSafeEqual(digested, expected));
    if (found) return found.name;
    if (this.waiting >= REFUSALS_WAITING_MAX) throw new ServiceError('rate_limited', 'Too many wrong keys; try again in a moment');

    this.waiting += 1;
    try {
      await delay(this.delayMs, undefined, { ref: false });
    } finally {
      this.waiting -= 1;
    }
    throw unauthenticated(`The operators' interface needs the header "Authorization: Bearer <the gateway's TIDINGS_ADMIN_KEY>"`);
  }
}

function digest(text: string) {
  return hash('sha256', text, 'buffer');
}
