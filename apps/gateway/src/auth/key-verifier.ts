import { Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { accessChanged, keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
import type { BroadcastSubscription, EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { unauthenticated } from './credentials';
import { KeyCache } from './key-cache';

/** Above this silence of the broadcast, in ms, a revocation may have been missed: nothing remembered is believed. */
const INTERRUPTED_MS_MAX = 1_000;
const RETRY_AFTER_SECONDS = 1;
/** Questions under way at once: a flood of made-up keys must not become a flood of calls. */
export const ASKING_MAX = 1_000;

/**
 * Whose key a hash is. Asks identity once and remembers the answer until it is told that the key changed.
 * A key that cannot be verified now is `unavailable`, never `unauthenticated`: clients do not try a 401 again.
 */
export class KeyVerifier implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(KeyVerifier.name);
  private readonly cache = new KeyCache();
  /** Questions under way, by hash: whoever asks meanwhile shares the answer. */
  private readonly asking = new Map<string, Promise<VerifiedKey>>();
  /** Counts the changes heard of. An answer that a change overtook may be older than the change. */
  private changes = 0;
  private subscription: BroadcastSubscription | undefined;

  constructor(
    private readonly client: OperationClient,
    private readonly events: EventLog,
  ) {}

  /** Listens for changed keys. Until then nothing is remembered. */
  async onModuleInit(): Promise<void> {
    this.subscription = await this.events.broadcast(accessChanged, ({ key }) => {
      this.changes += 1;
      this.cache.forget(key);
      this.asking.clear();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.subscription?.stop();
    this.subscription = undefined;
  }

  /**
   * The key of this hash: at once when it is remembered, else when identity answered.
   * Throws or rejects with `unauthenticated`, or `unavailable` with the time to try again.
   */
  verify(hash: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    if (!this.hearsChanges()) {
      this.cache.clear();
      return this.ask(hash, callId);
    }
    const found = this.cache.find(hash, performance.now());
    if (found === 'refused') throw unknownKey();
    if (found) {
      if (found.isStale) this.askAgain(hash, callId);
      return found.key;
    }

    const underWay = this.asking.get(hash);
    if (underWay) return underWay;
    if (this.asking.size >= ASKING_MAX) throw notNow();
    return this.askOnce(hash, callId);
  }

  /** Renews what is remembered, while it goes on to hold: identity may be away for longer than an answer is young. */
  private askAgain(hash: string, callId: string): void {
    if (this.asking.has(hash) || this.asking.size >= ASKING_MAX) return;
    this.askOnce(hash, callId).catch((error: unknown) => {
      if (error instanceof ServiceError && error.code === 'unauthenticated') this.cache.drop(hash);
    });
  }

  private askOnce(hash: string, callId: string): Promise<VerifiedKey> {
    const question = this.askAndKeep(hash, callId).finally(() => {
      if (this.asking.get(hash) === question) this.asking.delete(hash);
    });
    this.asking.set(hash, question);
    return question;
  }

  private async askAndKeep(hash: string, callId: string): Promise<VerifiedKey> {
    const changes = this.changes;
    const current = (): boolean => this.changes === changes && this.hearsChanges();
    try {
      const key = await this.ask(hash, callId);
      if (current()) this.cache.keep(hash, key, performance.now());
      return key;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthenticated' && current()) this.cache.refuse(hash, performance.now());
      throw error;
    }
  }

  private async ask(hash: string, callId: string): Promise<VerifiedKey> {
    try {
      return await this.client.call(keys.verify, systemContext(callId), { hash });
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthenticated') throw unknownKey();
      this.logger.warn({ err: error, callId }, 'An API key could not be verified');
      throw new ServiceError('unavailable', 'The API key cannot be verified right now; try again', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      });
    }
  }

  private hearsChanges(): boolean {
    return this.subscription !== undefined && this.subscription.interruptedForMs() <= INTERRUPTED_MS_MAX;
  }
}

function notNow(): ServiceError {
  return new ServiceError('unavailable', 'The API key cannot be verified right now; try again', { retryAfterSeconds: RETRY_AFTER_SECONDS });
}

function unknownKey(): ServiceError {
  return unauthenticated('The API key is unknown or was revoked');
}
