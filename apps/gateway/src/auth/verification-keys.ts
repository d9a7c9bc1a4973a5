import { Logger } from '@nestjs/common';
import { SYSTEM_WORKSPACE_ID, systemContext } from '@tidings/contracts/core/context';
import { type ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { setTimeout as delay } from 'node:timers/promises';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { AccessChanges } from './access-changes';
import { keyName } from './key-cache';
import { malformed, type TokenReader, tokenReader } from './jwt';

/** How old what is known may be before it is asked for again, in ms; it goes on to hold meanwhile. */
const FRESH_MS_MAX = 60_000;
/** How often a key that nobody knows is asked for, in ms: made-up tokens must not become a flood of calls. */
const ASK_INTERVAL_MS_MIN = 1_000;
/** Requests that wait for the next question; beyond them a token of an unknown key is 503. */
const WAITING_MAX = 1_000;

/** Ids that are known to be nobody's; the oldest is forgotten first. */
const REFUSED_IDS_MAX = 10_000;

interface KnownKey {
  publicKey: string;
  reader: TokenReader;
}

/**
 * With what the signatures of tokens are checked here. Asked of identity once, then remembered: a token costs no call. Identity
 * tells when a signing key begins or ends to count; a key that is not known yet is asked for.
 */
export class VerificationKeys {
  private readonly logger = new Logger(VerificationKeys.name);
  /** The last answer, and when it came. It holds while `isCurrent`. */
  private known: ReadonlyMap<string, KnownKey> = new Map();
  private askedAt = -Infinity;
  private isCurrent = false;
  /** Ids that count no more, or never did. None of them ever will: the id of a new key is drawn, and nobody knew it before. */
  private readonly refused = new Set<string>();
  private asking: Promise<ReadonlyMap<string, KnownKey>> | undefined;
  private next: Promise<ReadonlyMap<string, KnownKey>> | undefined;
  private waiting = 0;

  constructor(
    private readonly client: OperationClient,
    private readonly changes: AccessChanges,
  ) {
    changes.onChange(({ key: name }) => {
      if (name.startsWith(keyName(SYSTEM_WORKSPACE_ID, ''))) this.forget();
    });
  }

  /**
   * What reads the tokens of the signing key of this id: at once when it is remembered. Throws or rejects with `unauthenticated`
   * when its tokens count no more, or never did; with `unavailable` when that cannot be known now.
   */
  find(id: string, callId: string): TokenReader | Promise<TokenReader> {
    if (!this.changes.isConnected()) this.forget();
    if (!this.isCurrent) return this.findAsking(id, callId);
    const age = performance.now() - this.askedAt;
    const known = this.known.get(id);
    if (known) {
      if (age > FRESH_MS_MAX) this.ask(callId).catch(() => undefined); // said in the log; what is known holds
      return known.reader;
    }
    if (this.refused.has(id)) throw malformed();
    return age >= ASK_INTERVAL_MS_MIN ? this.findAsking(id, callId) : this.findNext(id, callId);
  }

  private async findAsking(id: string, callId: string): Promise<TokenReader> {
    const joins = this.asking !== undefined;
    const found = (await this.ask(callId)).get(id);
    if (found) return found.reader;
    if (joins && !this.refused.has(id)) return this.findNext(id, callId); // the question may be older than the key
    this.refuse(id);
    throw malformed();
  }

  /** For a key that may have been made since the last answer: all who miss one wait for the same next question. */
  private async findNext(id: string, callId: string): Promise<TokenReader> {
    if (this.waiting >= WAITING_MAX) throw notNow();
    this.waiting += 1;
    try {
      this.next ??= this.askNext(callId);
      const found = (await this.next).get(id);
      if (found) return found.reader;
    } finally {
      this.waiting -= 1;
    }
    this.refuse(id);
    throw malformed();
  }

  private async askNext(callId: string): Promise<ReadonlyMap<string, KnownKey>> {
    await delay(Math.max(0, this.askedAt + ASK_INTERVAL_MS_MIN - performance.now()), undefined, { ref: false });
    this.next = undefined;
    return this.ask(callId);
  }

  private refuse(id: string): void {
    this.refused.add(id);
    if (this.refused.size > REFUSED_IDS_MAX) this.refused.delete(this.refused.values().next().value!);
  }

  private ask(callId: string): Promise<ReadonlyMap<string, KnownKey>> {
    if (this.asking) return this.asking;
    const answer = this.askAndKeep(callId).finally(() => {
      if (this.asking === answer) this.asking = undefined;
    });
    this.asking = answer;
    return answer;
  }

  private async askAndKeep(callId: string): Promise<ReadonlyMap<string, KnownKey>> {
    const before = this.changes.count;
    try {
      const { keys } = await this.client.call(issuedTokens.verificationKeys, systemContext(callId), {});
      const answered = new Map(keys.map(({ key_id, public_key }) => [key_id, this.knownAs(key_id, public_key)]));
      if (this.changes.count === before && this.changes.isConnected()) this.keep(answered);
      return answered;
    } catch (error) {
      this.logger.warn({ err: error, callId }, 'The keys that tokens are signed with could not be asked for');
      throw notNow();
    }
  }

  private keep(answered: ReadonlyMap<string, KnownKey>): void {
    for (const id of this.known.keys()) if (!answered.has(id)) this.refuse(id);
    this.known = answered;
    this.askedAt = performance.now();
    this.isCurrent = true;
  }

  /** The same reader for the same key: by it a token is known to have been checked. */
  private knownAs(id: string, publicKey: string): KnownKey {
    const known = this.known.get(id);
    return known?.publicKey === publicKey ? known : { publicKey, reader: tokenReader(publicKey) };
  }

  private forget(): void {
    this.isCurrent = false;
    this.asking = undefined;
  }
}

function notNow(): ServiceError {
  return unavailable('The token cannot be verified right now; try again');
}
