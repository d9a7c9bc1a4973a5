import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { auditRecorded } from '@tidings/contracts/identity/audit-events';
import type { EventLog, Subscription } from '@tidings/events/event-log';
import { ConsumerPositions } from '@tidings/persistence/consumer-positions';
import { Database } from '@tidings/persistence/database';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { storeAuditRecords } from './audit-log';

const GROUP = 'tidings.identity.audit';
const BATCH_MAX = 500;

/** Stores the audit records of the other services. */
@Injectable()
export class AuditProjection implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private subscription?: Subscription;

  constructor(
    @Inject(EVENT_LOG) private readonly events: EventLog,
    private readonly database: Database,
    private readonly positions: ConsumerPositions,
  ) {}

  async onApplicationBootstrap() {
    this.subscription = await this.events.consume(
      auditRecorded,
      { group: GROUP, maxBatch: BATCH_MAX, positions: this.positions },
      (batch) =>
        storeAuditRecords(
          this.database,
          batch.flatMap(({ payload }) => payload ?? []),
        ),
    );
  }

  async beforeApplicationShutdown() {
    await this.subscription?.stop();
  }
}
