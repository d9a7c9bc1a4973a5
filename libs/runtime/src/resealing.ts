import { Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import type { CallContext } from '@tidings/contracts/core/context';
import type { ResealedSecrets, ResealSecrets } from '@tidings/contracts/core/reseal';
import type { CallJournal } from '@tidings/persistence/call-journal';
import { type Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { resealAll, resealStep, type ResealTable } from './reseal';

// SQL because the table has one row and no entity.
const IS_SEALED = statement('sealing-is-sealed', 'select from sealing where key_id = $1');
const SET_SEALED = statement(
  'sealing-set-sealed',
  'insert into sealing (key_id) values ($1) on conflict (only_row) do update set key_id = excluded.key_id',
);

interface ResealingOptions {
  /** Has the table `sealing`, with the key of the last complete sealing. Default: everything is sealed at each start. */
  database?: Database;
  journal: CallJournal;
  /** Of the first key; without one nothing is sealed. */
  keyId: string | null | undefined;
  /** The operation that `reseal` handles. */
  pattern: string;
}

/**
 * Base of the handlers that seal the stored secrets of a service again with the first secret key: in the background at the first start with
 * that key, and when an operator requests it. Also what was stored in clear before there was a key.
 */
export abstract class Resealing implements OnApplicationBootstrap, OnApplicationShutdown {
  protected abstract readonly tables: readonly ResealTable[];
  private readonly logger = new Logger('Secrets');
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  constructor(private readonly resealing: ResealingOptions) {}

  /** Seals everything in the background, unless it was sealed with this key before. */
  onApplicationBootstrap(): void {
    const { keyId } = this.resealing;
    if (!keyId) return;
    this.running = this.sealOnce(keyId).catch((error: unknown) =>
      this.logger.warn(`Sealing stored secrets with the first key failed; retrying at the next start: ${reasonOf(error)}`),
    );
  }

  /** Resolves when the background work has ended. */
  async onApplicationShutdown(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** One step, the first with an audit event for all; without a key the only one. @throws ServiceError as `resealStep`. */
  async reseal(context: CallContext, request: ResealSecrets): Promise<ResealedSecrets> {
    const { journal, keyId, pattern } = this.resealing;
    if (!keyId) return { done: true, resealed: 0, unreadable: 0 };
    if (!request.cursor) await journal.recordForAll(context, { type: 'secrets:resealed', targetId: keyId, operation: pattern });
    return resealStep(this.tables, request);
  }

  private async sealOnce(keyId: string) {
    const { database } = this.resealing;
    if (database && (await database.query(IS_SEALED, [keyId])).length > 0) return;
    const { done, resealed, unreadable } = await resealAll(this.tables, () => this.stopped);
    if (resealed > 0) this.logger.log(`${resealed} stored secrets were sealed with the first key`);
    if (unreadable > 0) this.logger.error(`${unreadable} stored secrets cannot be opened with any key of TIDINGS_SECRET_KEY`);
    if (done) await database?.execute(SET_SEALED, [keyId]);
  }
}
