import { CreateCallJournal1700000000002 } from './call-journal.migrations';
import { CreateConsumerPositions1796083200000 } from './consumer-positions.migrations';
import { AddIdempotencyBodies1795917600000, CreateIdempotencyKeys1700000000003 } from './idempotency.migrations';
import type { Migrations } from './make-data-source';
import { OUTBOX_MIGRATIONS } from './outbox.migrations';
import { CreateQuotaCounts1795911600002 } from './quotas.migrations';

/** All migrations of a service's schema: its own, and those of what every service stores. */
export function serviceMigrations(own: Migrations, { hasOutbox = true }: { hasOutbox?: boolean } = {}): Migrations {
  return [
    ...(hasOutbox ? OUTBOX_MIGRATIONS : []),
    CreateCallJournal1700000000002,
    CreateIdempotencyKeys1700000000003,
    CreateQuotaCounts1795911600002,
    AddIdempotencyBodies1795917600000,
    CreateConsumerPositions1796083200000,
    ...own,
  ];
}
