import { type DynamicModule, Inject, Module, Optional } from '@nestjs/common';
import type { AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import type { AppStatus } from '@tidings/contracts/core/status';
import type { StatusOperations } from '@tidings/contracts/core/status-operations';
import type { ConsumerLags, EventLog } from '@tidings/events/event-log';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { EVENT_LOG } from './resources.module';
import { type Backlog, DUE_BACKLOG, type Readiness, statusOf } from './status-handlers';

/** The status of a service, for the gateway. The service provides `EVENT_LOG`, and `DUE_BACKLOG` where it has due work. */
@Module({})
export class StatusModule {
  /** @param health of the process. */
  static of(service: AnsweringService, operations: StatusOperations, health?: Readiness): DynamicModule {
    @Handles(operations)
    class Handlers {
      constructor(
        @Inject(EVENT_LOG) private readonly log: EventLog & ConsumerLags,
        private readonly database: Database,
        @Optional() private readonly outbox?: Outbox,
        @Optional() @Inject(DUE_BACKLOG) private readonly due?: () => Promise<Backlog>,
      ) {}

      read(): Promise<AppStatus> {
        const { log, database, outbox, due } = this;
        const backlogs = [...(outbox ? [() => outbox.backlog()] : []), ...(due ? [due] : [])];
        return statusOf({ service, log, database, health, backlogs });
      }
    }
    return { module: StatusModule, controllers: [Handlers] };
  }
}
