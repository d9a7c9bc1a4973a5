import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { reasonOf } from '@tidings/persistence/errors';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { AccessChanges } from './access-changes';
import { unauthenticated } from './credentials';
import { KeyCache, keyName } from './key-cache';

/** Questions under way at once: a flood of made-up keys must not become a flood of calls. */
export const ASKING_MAX = 1_000;

/** What is asked of identity, and what is said when there is no such key. */
interface Question {
  /** Where the answer is remembered. */
  name: string;
  ask(callId: string): Promise<VerifiedKey>;
  refusal: string;
}

/**
 * Whose key a hash is, and whether the key that issued a token still opens. Asks identity once and remembers the answer until it
 * is told that the key changed. A key that cannot be verified now is `unavailable`, never `unauthenticated`: clients do not try
 * a 401 again.
 */
export class KeyVerifier {
  private readonly logger = new Logger(KeyVerifier.name);
  private readonly cache = new KeyCache();
  /** Questions under way, by name: whoever asks meanwhile shares the answer. */
  private readonly asking = new Map<string, Promise<VerifiedKey>>();

  constructor(
    private readonly client: OperationClient,
    private readonly changes: AccessChanges,
  ) {
    changes.onChange(({ key: name }) => {
      this.cache.forget(name);
      this.asking.clear();
    });
  }

  /**
   * The key of this hash: at once when it is remembered, else when identity answered.
   * Throws or rejects with `unauthenticated`, or `unavailable` with the time to try again.
   */
  verify(hash: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find(
      {
        name: hash,
        ask: (askedIn) => this.client.call(keys.verify, systemContext(askedIn), { hash }),
        refusal: 'The API key is unknown or was revoked',
      },
      callId,
    );
  }

  /** The same for a key that is known by its id, because it issued a token. */
  verifyIssuer(workspaceId: string, keyId: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find(
      {
        name: `issuer ${keyName(workspaceId, keyId)}`, // no hash has a blank
        ask: (askedIn) => this.client.call(keys.inspect, { ...systemContext(askedIn), workspaceId }, { key_id: keyId }),
        refusal: 'The API key that issued the token was revoked',
      },
      callId,
    );
  }

  private find(question: Question, callId: string): VerifiedKey | Promise<VerifiedKey> {
    const { name, refusal } = question;
    if (!this.changes.isConnected()) {
      this.cache.clear();
      return this.ask(question, callId);
    }
    const found = this.cache.find(name, performance.now());
    if (found === 'refused') throw unauthenticated(refusal);
    if (found) {
      // A rotated key ends by itself: nobody tells of it.
      if (found.key.valid_until !== undefined && found.key.valid_until <= Date.now()) throw unauthenticated(refusal);
      if (found.isStale) this.askAgain(question, callId);
      return found.key;
    }

    const underWay = this.asking.get(name);
    if (underWay) return underWay;
    if (this.asking.size >= ASKING_MAX) throw notNow();
    return this.askOnce(question, callId);
  }

  /** Renews what is remembered, while it goes on to hold: identity may be away for longer than an answer is young. */
  private askAgain(question: Question, callId: string): void {
    if (this.asking.has(question.name) || this.asking.size >= ASKING_MAX) return;
    this.askOnce(question, callId).catch((error: unknown) => {
      if (isRefusal(error)) this.cache.drop(question.name);
    });
  }

  private askOnce(question: Question, callId: string): Promise<VerifiedKey> {
    const { name } = question;
    const answer = this.askAndKeep(question, callId).finally(() => {
      if (this.asking.get(name) === answer) this.asking.delete(name);
    });
    this.asking.set(name, answer);
    return answer;
  }

  private async askAndKeep(question: Question, callId: string): Promise<VerifiedKey> {
    const before = this.changes.count;
    const current = (): boolean => this.changes.count === before && this.changes.isConnected();
    try {
      const key = await this.ask(question, callId);
      if (current()) this.cache.keep(question.name, key, performance.now());
      return key;
    } catch (error) {
      if (isRefusal(error) && current()) this.cache.refuse(question.name, performance.now());
      throw error;
    }
  }

  private async ask({ ask, refusal }: Question, callId: string): Promise<VerifiedKey> {
    try {
      return await ask(callId);
    } catch (error) {
      if (isRefusal(error)) throw unauthenticated(refusal);
      this.logger.warn({ callId, message: `An API key could not be verified: ${reasonOf(error)}` });
      throw notNow();
    }
  }
}

const isRefusal = (error: unknown): boolean => error instanceof ServiceError && error.code === 'unauthenticated';

function notNow(): ServiceError {
  return unavailable('The API key cannot be verified right now; try again');
}
