import { Logger } from '@nestjs/common';
import type { ResealedSecrets, ResealSecrets } from '@tidings/contracts/core/reseal';
import { type Database, statement } from '@tidings/persistence/database';
import { reasonOf } from '@tidings/persistence/errors';
import { resealAll, resealStep, type ResealTable } from './reseal';

// SQL because the table has one row and no entity.
const IS_SEALED = statement('sealing-is-sealed', 'select from sealing where key_id = $1');
const SET_SEALED = statement(
  'sealing-set-sealed',
  'insert into sealing (key_id) values ($1) on conflict (only_row) do update set key_id = excluded.key_id',
);

/**
 * Seals the stored secrets of a service again with the first secret key: in the background at the first start with that key, and when an
 * operator requests it. Also what was stored in clear before there was a key. The service's schema has the table `sealing`.
 */
export class Resealing {
  private readonly logger = new Logger('Secrets');
  private stopped = false;
  private running: Promise<void> = Promise.resolve();

  /** @param keyId of the first key; without one nothing is sealed. */
  constructor(
    private readonly database: Database,
    private readonly keyId: string | undefined,
    private readonly tables: readonly ResealTable[],
  ) {}

  /** Seals everything in the background, unless it was sealed with this key before. */
  start(): void {
    const { keyId } = this;
    if (keyId === undefined) return;
    this.running = this.sealOnce(keyId).catch((error: unknown) =>
      this.logger.warn(`Sealing stored secrets with the first key failed; retrying at the next start: ${reasonOf(error)}`),
    );
  }

  /** Resolves when the background work has ended. */
  async stop(): Promise<void> {
    this.stopped = true;
    await this.running;
  }

  /** One step; without a key the only one. @throws ServiceError as `resealStep`. */
  async step(request: ResealSecrets): Promise<ResealedSecrets> {
    if (this.keyId === undefined) return { done: true, resealed: 0, unreadable: 0 };
    return resealStep(this.tables, request);
  }

  private async sealOnce(keyId: string) {
    if ((await this.database.query(IS_SEALED, [keyId])).length > 0) return;
    const { done, resealed, unreadable } = await resealAll(this.tables, () => this.stopped);
    if (resealed > 0) this.logger.log(`${resealed} stored secrets were sealed with the first key`);
    if (unreadable > 0) this.logger.error(`${unreadable} stored secrets cannot be opened with any key of TIDINGS_SECRET_KEY`);
    if (done) await this.database.execute(SET_SEALED, [keyId]);
  }
}
