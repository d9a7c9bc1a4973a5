import { type DynamicModule, Inject, Module } from '@nestjs/common';
import type { DeadLetterOperations, AnsweringService } from '@tidings/contracts/core/dead-letter-operations';
import type { EventLog } from '@tidings/events/event-log';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Handles } from '@tidings/rpc/handles';
import { DeadLetterHandlers } from './dead-letter-handlers';
import { EVENT_LOG } from './resources.module';

/** The operations of a service on dead letters. The service provides `EVENT_LOG`. */
@Module({})
export class DeadLettersModule {
  static of(service: AnsweringService, operations: DeadLetterOperations): DynamicModule {
    @Handles(operations)
    class Handlers extends DeadLetterHandlers {
      protected readonly service = service;
      protected readonly operations = operations;

      constructor(@Inject(EVENT_LOG) log: EventLog, journal: CallJournal) {
        super(log, journal);
      }
    }
    return { module: DeadLettersModule, controllers: [Handlers] };
  }
}
