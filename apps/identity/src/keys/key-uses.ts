import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { isTransientServiceError } from '@tidings/contracts/core/errors';
import { Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { systemTimers, type Timer } from '@tidings/runtime/timers';

/** Uses are written this long after the first. */
const WRITE_AFTER_MS = 1_000;
/** Keys whose use waits to be written; others are noted at their next lookup, a minute later. */
const WAITING_MAX = 10_000;

// SQL because one statement notes many keys, by the database's clock. A key that another transaction changes is left for the next time.
const NOTE = statement(
  'keys-note-uses',
  `update api_keys set used_at = now()
    where id in (
      select id from api_keys where id = any ($1::uuid[]) and (used_at is null or used_at <= now() - interval '1 minute')
         for no key update skip locked)`,
);

/**
 * Notes when keys were last used, once a minute each. Gateways look up a key in use about once a minute, so a lookup is a use; it is written
 * behind the lookup, which waits for nothing. The last uses before a crash may be missing.
 */
@Injectable()
export class KeyUses implements BeforeApplicationShutdown {
  private readonly logger = new Logger(KeyUses.name);
  private waiting = new Set<string>();
  private timer: Timer | undefined = undefined;

  constructor(private readonly database: Database) {}

  note(keyId: string) {
    if (this.waiting.size < WAITING_MAX) this.waiting.add(keyId);
    this.timer ??= systemTimers.setTimeout(() => void this.write(), WRITE_AFTER_MS).unref();
  }

  async beforeApplicationShutdown() {
    systemTimers.clear(this.timer);
    await this.write();
  }

  private async write() {
    this.timer = undefined;
    const used = [...this.waiting];
    this.waiting = new Set();
    if (used.length === 0) return;
    try {
      await this.database.execute(NOTE, [used]);
    } catch (error) {
      if (!isTransientServiceError(error)) this.logger.warn(`The last uses of API keys were not noted: ${reasonOf(error)}`);
    }
  }
}
