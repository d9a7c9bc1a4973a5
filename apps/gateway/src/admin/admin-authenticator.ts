import { createHmac, hash, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { SigningOperator, VerifiedSession } from '@tidings/contracts/identity/sessions';
import { isEqual } from '@tidings/providers/callback/signatures';
import { unauthenticated } from '../auth/credentials';
import { DelayedRefusals } from '../auth/delayed-refusals';
import { ADMIN_KEY_LENGTH_MIN, type OperatorKey } from '../gateway.options';

const BEARER = /^bearer +([^ ]+) *$/i;

/**
 * Authenticates operators. Their keys are independent of the workspaces' keys: neither is valid for the other interface. Wrong keys
 * are answered late and in bounded number.
 */
export class AdminAuthenticator {
  private readonly operators: readonly (OperatorKey & { expected: Buffer })[];
  private readonly refusals: DelayedRefusals;

  constructor(operators: readonly OperatorKey[], delayMs?: number) {
    const short = operators.find(({ key }) => key.length < ADMIN_KEY_LENGTH_MIN);
    if (short) throw new Error(`The key of operator ${short.name} must have at least ${ADMIN_KEY_LENGTH_MIN} characters`);
    this.operators = operators.map(({ name, key }) => ({ name, key, expected: digest(key) }));
    this.refusals = new DelayedRefusals(delayMs);
  }

  /** Whether there are operators. */
  get isServed() {
    return this.operators.length > 0;
  }

  /**
   * Resolves with the name of the operator whose key the header carries. Rejects with `unauthenticated`, or `rate_limited` while too many
   * were wrong.
   */
  async admit(header: string | undefined) {
    const found = this.find(BEARER.exec(header ?? '')?.[1] ?? '');
    if (found) return found.name;
    return this.refusals.refuse(
      unauthenticated(
        `The operators' interface needs the header "Authorization: Bearer <key>" with the gateway's TIDINGS_ADMIN_KEY or a key of its TIDINGS_ADMIN_KEYS`,
      ),
    );
  }

  /** The operator who signs in with this key, if it is one's, for a session of this id. */
  signingIn(key: string, sessionId: string): SigningOperator | undefined {
    const found = this.find(key);
    return found && { name: found.name, proof: proofOf(found.key, sessionId) };
  }

  /**
   * The name of a session's operator.
   * @throws ServiceError `forbidden` for the session of a workspace, `unauthenticated` once the operator's key has changed.
   */
  admitSession({ operator }: VerifiedSession, sessionId: string) {
    if (!operator) throw new ServiceError('forbidden', "The operators' interface needs the session of an operator");
    if (this.isCurrent(operator, sessionId)) return operator.name;
    throw unauthenticated("The session has ended with the operator's key: sign in again");
  }

  /** Whether an operator who signed in still has the key of that time. */
  isCurrent({ name, proof }: SigningOperator, sessionId: string) {
    return this.operators.some((one) => one.name === name && isEqual(proofOf(one.key, sessionId), proof));
  }

  private find(key: string) {
    // Digests make the comparison constant-time, also for keys of another length.
    const digested = digest(key);
    const [found] = this.operators.filter(({ expected }) => timingSafeEqual(digested, expected));
    return found;
  }
}

/** Changes with the key, and reveals nothing of it to those who have not the id of the session. */
function proofOf(key: string, sessionId: string) {
  return createHmac('sha256', sessionId).update(`operator ${key}`).digest('hex');
}

function digest(text: string) {
  return hash('sha256', text, 'buffer');
}
