import { setTimeout as delay } from 'node:timers/promises';
import { Injectable, Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { keys, type VerifiedKey } from '@tidings/contracts/identity/keys';
import { withTimeout } from '@tidings/contracts/core/with-timeout';
import { sessions, type VerifiedSession } from '@tidings/contracts/identity/sessions';
import { type CallOptions, OperationClient } from '@tidings/rpc/operation-client';
import { AccessChanges } from './access-changes';
import { unauthenticated } from './credentials';
import { KeyCache, keyName } from './key-cache';

const logger = new Logger('KeyVerifier');

/** Concurrent lookups at identity: a flood of invented keys must not become a flood of calls. */
export const LOOKUPS_MAX = 1_000;

/**
 * Time for a lookup, which is repeated while the log is interrupted: brokers take over from one that restarts within seconds. The request
 * that waits for it has a deadline of its own afterwards.
 */
const LOOKUP_MS_MAX = 5_000;
/** Shortest time for the call of an attempt. */
const ATTEMPT_MS_MIN = 1_000;
const RETRY_DELAY_MS_MAX = 500;

/** A lookup at identity. */
interface Lookup<Key extends VerifiedKey> {
  /** Key of the cache. */
  name: string;
  callId: string;
  run(options: CallOptions): Promise<Key>;
  /** Error message when there is no such key. */
  refusal: string;
  /** The end of what was found may be later by now: another process may have used it. */
  isExtended?: boolean;
}

/** Two names, so that what the background has looked up does not spare a use its lookup. No hash contains a blank. */
const sessionName = (hash: string, background: boolean) => `${background ? 'background' : 'session'} ${hash}`;

/**
 * Verifies API keys by their hash, the keys that issued tokens, and sessions, which end with their keys. Looks a key up at identity once
 * and caches it until the key changes. A key that cannot be verified now is `unavailable`, never `unauthenticated`: clients do not retry
 * a 401.
 */
@Injectable()
export class KeyVerifier {
  private readonly cache = new KeyCache();
  /** Open lookups by name; concurrent requests share them. */
  private readonly lookups = new Map<string, Promise<VerifiedKey>>();
  /** Lookups that wait for another attempt. */
  private waiting = 0;
  /** The call that runs while the log is interrupted: resolves with whether identity answered. */
  private probe?: Promise<boolean>;

  constructor(
    private readonly client: OperationClient,
    private readonly changes: AccessChanges,
  ) {
    changes.onChange(({ key: name }) => {
      this.cache.invalidate(name);
      this.lookups.clear();
    });
    changes.onMissed(() => {
      this.cache.clear();
      this.lookups.clear();
    });
  }

  /**
   * The key of this hash: synchronously when it is cached, else after the answer of identity.
   * Throws or rejects with `unauthenticated`, or `unavailable` with a retry delay.
   */
  verify(hash: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find({
      name: hash,
      callId,
      run: (options) => this.client.call(keys.verify, systemContext(callId), { hash }, options),
      refusal: 'The API key is unknown, has expired or was revoked',
    });
  }

  /** As `verify`, for the key that issued a token, by its id. */
  verifyIssuer(workspaceId: string, keyId: string, callId: string): VerifiedKey | Promise<VerifiedKey> {
    return this.find({
      name: `issuer ${keyName(workspaceId, keyId)}`,
      callId,
      run: (options) => this.client.call(keys.inspect, { ...systemContext(callId), workspaceId }, { key_id: keyId }, options),
      refusal: 'The API key that issued the token has expired or was revoked',
    });
  }

  /**
   * As `verify`, for a session, by the hash of its id. A lookup counts as its use, unless `background`, so one that is in use is looked
   * up each minute.
   */
  verifySession(hash: string, callId: string, background = false): VerifiedSession | Promise<VerifiedSession> {
    return this.find({
      name: sessionName(hash, background),
      callId,
      run: (options) => this.client.call(sessions.verify, systemContext(callId), { hash, ...(background && { background }) }, options),
      refusal: 'The session has ended: sign in again',
      isExtended: true,
    });
  }

  /** Drops a session that ended here, before its event arrives. */
  forgetSession(hash: string) {
    for (const name of [sessionName(hash, false), sessionName(hash, true)]) {
      this.cache.delete(name);
      this.lookups.delete(name);
    }
  }

  private find<Key extends VerifiedKey>(lookup: Lookup<Key>): Key | Promise<Key> {
    const { name, refusal } = lookup;
    if (!this.changes.isConnected()) {
      this.cache.clear();
      return this.lookUp(lookup);
    }
    const cached = this.cache.find(name, performance.now());
    if (cached === 'refused') throw unauthenticated(refusal);
    // A key that was rotated or has an expiry ends without an event.
    const hasEnded = cached?.key.valid_until !== undefined && cached.key.valid_until <= Date.now();
    if (hasEnded && !lookup.isExtended) throw unauthenticated(refusal);
    if (hasEnded) this.cache.delete(name);
    if (cached && !hasEnded) {
      // A stale entry is refreshed in the background; it stays valid while identity is unavailable.
      if (cached.isStale && !this.lookups.has(name) && this.lookups.size < LOOKUPS_MAX) {
        this.startLookup(lookup).catch((error: unknown) => {
          if (isRefusal(error)) this.cache.delete(name);
        });
      }
      return cached.key as Key; // names of different kinds differ
    }

    const open = this.lookups.get(name) as Promise<Key> | undefined;
    if (open) return open;
    if (this.lookups.size >= LOOKUPS_MAX) throw notNow();
    return this.startLookup(lookup);
  }

  private startLookup<Key extends VerifiedKey>(lookup: Lookup<Key>) {
    const { name } = lookup;
    const answer = this.lookUpAndCache(lookup).finally(() => {
      if (this.lookups.get(name) === answer) this.lookups.delete(name);
    });
    this.lookups.set(name, answer);
    return answer;
  }

  private async lookUpAndCache<Key extends VerifiedKey>(lookup: Lookup<Key>) {
    const before = this.changes.count;
    const isCurrent = () => this.changes.count === before && this.changes.isConnected();
    try {
      const key = await this.lookUp(lookup);
      if (isCurrent()) this.cache.store(lookup.name, key, performance.now());
      return key;
    } catch (error) {
      if (isRefusal(error) && isCurrent()) this.cache.refuse(lookup.name, performance.now());
      throw error;
    }
  }

  private async lookUp<Key extends VerifiedKey>({ callId, run, refusal }: Lookup<Key>) {
    const until = performance.now() + LOOKUP_MS_MAX;
    const inTime = () => run({ deadlineMs: Math.ceil(Math.max(ATTEMPT_MS_MIN, until - performance.now())) });
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.attempt(inTime, until);
      } catch (error) {
        if (isRefusal(error)) throw unauthenticated(refusal);
        if (this.mayWait(until)) {
          await this.pause(attempt);
          continue;
        }
        logger.warn({ requestId: callId, message: `An API key could not be verified: ${(error as Error).message}` });
        throw notNow();
      }
    }
  }

  /**
   * One call at a time finds out whether identity answers while the log is interrupted; others begin when it did, and fail with it: many
   * requests that wait for the database must not become many calls, which hold up what it does answer.
   */
  private async attempt<Key>(run: () => Promise<Key>, until: number): Promise<Key> {
    if (this.changes.isConnected()) return run();
    if (this.probe && !(await withTimeout(until - performance.now(), this.probe))?.value) throw notNow();
    const answer = run();
    const probe = answer.then(
      () => true,
      (error: unknown) => isRefusal(error),
    );
    this.probe ??= probe;
    void probe.then(() => {
      if (this.probe === probe) this.probe = undefined;
    });
    return answer;
  }

  /** Whether the log is interrupted, as while a broker restarts: identity, which may run, cannot be reached then either. */
  private mayWait(until: number) {
    return !this.changes.isConnected() && performance.now() < until && this.waiting < LOOKUPS_MAX;
  }

  private async pause(attempt: number) {
    this.waiting += 1;
    await delay(retryDelayMs(attempt, RETRY_DELAY_MS_MAX));
    this.waiting -= 1;
  }
}

const isRefusal = (error: unknown) => error instanceof ServiceError && error.code === 'unauthenticated';

function notNow() {
  return unavailable('The API key cannot be verified right now; try again');
}
