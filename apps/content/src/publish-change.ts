import { type ContentChanged, contentChanged } from '@tidings/contracts/content/events';
import { transactionOf } from '@tidings/persistence/database';
import type { Outbox } from '@tidings/persistence/outbox';
import type { EntityManager } from 'typeorm';

/** Publishes, with its transaction, that content changed. */
export async function publishChange(outbox: Outbox, tx: EntityManager, payload: ContentChanged) {
  await outbox.add(transactionOf(tx), contentChanged, { payload });
}
